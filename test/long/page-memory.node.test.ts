import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { chromium, type CDPSession, type Page } from '@playwright/test'
import { build } from 'vite'
import { expect, it } from 'vitest'
import { findChromium, serveFolder } from '../support/static-site'

const HARNESS = resolve('test/support/window-harness')
/** Wall time of an hour of data: twelve times as fast. */
const MINUTES = Number(process.env['SLIPWAY_PAGE_MINUTES'] ?? 5)
const UPDATES_A_SECOND = 4
/** Steps of each update, so that the run grows as in an hour. */
const STEPS = 3
/** What caches and compiled code may still take after the first tenth. */
const ROOM = 6 * 2 ** 20

/** Bytes of script objects that are really in use. */
async function heap(session: CDPSession): Promise<number> {
  for (let i = 0; i < 3; i++) await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  return usedSize
}

async function openCurves(page: Page, address: string): Promise<void> {
  await page.goto(`${address}/index.html`)
  await page.getByTestId('rail-runs').click()
  await page.locator('[data-testid^="run-row-"]').first().click()
  await page.getByTestId('tab-curves').click()
  await page.getByTestId('chart-value').first().waitFor()
}

/** The run goes on at its pace in the page itself; resolves after so many seconds. */
function goOn(page: Page, seconds: number): Promise<number> {
  return page.evaluate(`new Promise((done) => {
    let updates = 0
    const timer = setInterval(() => {
      window.fixtureEngine.advance(${STEPS})
      if (++updates < ${seconds * UPDATES_A_SECOND}) return
      clearInterval(timer)
      done(updates)
    }, ${1000 / UPDATES_A_SECOND})
  })`)
}

it('an hour of live curves leaves the memory of the page as it was', async () => {
  const browserPath = findChromium()
  const folder = await mkdtemp(join(tmpdir(), 'slipway-page-'))
  await build({
    configFile: join(HARNESS, 'vite.config.mjs'),
    logLevel: 'error',
    build: { outDir: folder, emptyOutDir: true }
  })
  const site = await serveFolder(folder)
  const browser = await chromium.launch({
    ...(browserPath === null ? {} : { executablePath: browserPath }),
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : []
  })
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await openCurves(page, site.address)
    const session = await page.context().newCDPSession(page)
    const seconds = MINUTES * 60
    await goOn(page, seconds / 10)
    const before = await heap(session)
    const drawn = await goOn(page, (seconds * 9) / 10)
    const after = await heap(session)
    expect(drawn).toBeGreaterThan(0)
    expect(await page.getByTestId('chart-value').first().textContent()).toMatch(/\d/)
    expect((after - before) / 2 ** 20).toBeLessThan(ROOM / 2 ** 20)
  } finally {
    await browser.close()
    site.close()
    await rm(folder, { recursive: true, force: true })
  }
}, 900_000)
