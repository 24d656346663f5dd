import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, type Page } from '@playwright/test'
import { event, scalar } from '../support/tracker-files'
import { resize, type Place } from './support/app'
import { launchPractice, slipway } from './support/command-line'
import { chooseLook, openRun, openTab, releasesReach, type Story } from './support/story'
import { test } from './support/test'

const shots = process.env['SLIPWAY_SHOTS'] ?? mkdtempSync(join(tmpdir(), 'slipway-curves-'))

async function picture({ slipway: { page } }: Pick<Story, 'slipway'>, name: string): Promise<void> {
  await page.screenshot({ path: join(shots, `curves-${name}.png`) })
}

/** Where the stack of the only run writes. */
function runFolder(home: string): string {
  const [run = ''] = readdirSync(join(home, 'runs'))
  const record: unknown = JSON.parse(readFileSync(join(home, 'runs', run, 'run.json'), 'utf8'))
  const found = /"runDir":"([^"]+)"/.exec(JSON.stringify(record))
  if (found?.[1] === undefined) throw new Error('run.json names no folder of the stack')
  return found[1]
}

/**
 * An event file as the stack could write it: a spike, NaN and infinity, and two hundred steps that never came. It has
 * more samples than the run's log will have, however slow the machine: of two that have a key the longer one is drawn.
 */
function strangeSteps(): Buffer {
  const steps = Array.from({ length: 1000 }, (_, i) => (i < 60 ? i : i + 200))
  return Buffer.concat(
    steps.map((step, i) => {
      const odd: Readonly<Record<number, number>> = { 20: 9.5e7, 30: NaN, 31: Infinity }
      const loss = odd[i] ?? 0.1 + Math.sin(i) / 100
      return event(BigInt(step), scalar('train/loss', loss))
    })
  )
}

async function toggle(page: Page, entry: string): Promise<void> {
  await page.getByTestId('curves-view').click()
  await page.getByTestId(`menu-${entry}`).click()
}

/** Stopped and started again: where the new attempt began is marked, and what it repeats stays, as superseded. */
async function resumed(page: Page, place: Place): Promise<void> {
  const [run = ''] = readdirSync(join(place.home, 'runs'))
  await slipway(place, 'stop', run)
  await page.getByTestId('restart').click()
  const loss = page.getByTestId('panel-loss')
  await expect(loss.locator('[data-restarts="1"]')).toBeVisible({ timeout: 90_000 })
  const path = join(shots, 'Loss.csv')
  rmSync(path)
  await loss.getByRole('button', { name: /More for/ }).click()
  await page.getByTestId('menu-save-csv').click()
  await expect.poll(() => existsSync(path) && statSync(path).size).toBeGreaterThan(500)
  const rows = readFileSync(path, 'utf8').split('\n')
  // The first attempt's event file goes on to step 1199; the second attempt trained some of these steps again.
  expect(rows.some((row) => row.startsWith('train/loss,1,true,'))).toBe(true)
  expect(rows.some((row) => row.startsWith('train/loss,2,false,'))).toBe(true)
}

test('curves of a live run: NaN, spikes, gaps, zoom, table, export, and to the log and back', async ({
  place,
  open
}) => {
  test.setTimeout(420_000)
  await launchPractice(place, 2, 'curves')
  const window = await open()
  const { page } = window
  await resize(window, 1440, 900)
  await chooseLook(page, { theme: 'light', language: 'en' })
  await openRun(page, 'curves')
  await releasesReach(page, 5)
  await expect(page.getByTestId('chart-value').first()).toHaveText(/\d/, { timeout: 90_000 })
  const folder = runFolder(place.home)
  // The stack's own writer would overwrite what is added to its log; a tracker's file stands on its own.
  const tracker = join(folder, 'tb')
  mkdirSync(tracker)
  writeFileSync(join(tracker, 'events.out.tfevents.1.host'), strangeSteps())
  const loss = page.getByTestId('panel-loss')
  await expect(loss.getByTestId('chart-nan')).toHaveText(/1 NaN.*1 infinite/, {
    timeout: 90_000
  })
  await picture({ slipway: window }, '01-strange')

  await toggle(page, 'clip')
  await expect(loss).toContainText('outliers cut')
  await toggle(page, 'papers')
  await picture({ slipway: window }, '02-clipped-papers')
  await page.keyboard.press('+')
  await page.keyboard.press('+')
  await expect(page.getByTestId('curves-reset')).toBeVisible()
  await picture({ slipway: window }, '03-zoomed')
  await page.keyboard.press('r')

  await loss.getByRole('button', { name: /More for/ }).click()
  await page.getByTestId('menu-table').click()
  await expect(page.getByTestId('chart-table').getByRole('row').nth(3)).toContainText('train/')
  await picture({ slipway: window }, '04-table')
  await page.keyboard.press('Escape')
  // The window's own dialog for saving would wait for a person.
  await window.app.evaluate(({ BrowserWindow }, folderOfShots) => {
    BrowserWindow.getAllWindows()[0]?.webContents.session.on('will-download', (_event, item) => {
      item.setSavePath(`${folderOfShots}/${item.getFilename()}`)
    })
  }, shots)
  for (const kind of ['svg', 'png', 'csv']) {
    await loss.getByRole('button', { name: /More for/ }).click()
    await page.getByTestId(`menu-save-${kind}`).click()
    const path = join(shots, `Loss.${kind}`)
    await expect.poll(() => existsSync(path) && statSync(path).size).toBeGreaterThan(500)
  }
  expect(readFileSync(join(shots, 'Loss.svg'), 'utf8')).toContain('</svg>')
  await loss.getByRole('button', { name: /More for/ }).click()
  await page.getByTestId('menu-copy-image').click()
  const copied = (): Promise<number> =>
    window.app.evaluate(({ clipboard }) => {
      // The floor reads at once what a current Electron's types know by promise only.
      const old = clipboard as unknown as { readImage: () => { getSize: () => { width: number } } }
      return old.readImage().getSize().width
    })
  await expect.poll(copied).toBeGreaterThan(200)
  expect(await loss.textContent()).not.toMatch(/could not/i)

  await page.getByTestId('curves-panels').getByText('All').click()
  await picture({ slipway: window }, '05-all-keys')
  await page.getByTestId('curves-panels').getByText('Default').click()
  await openTab(page, 'log')
  await page.getByTestId('log-search').fill('step [0-9]+: .*train/LOSS')
  await page.getByTestId('log-regex').click()
  await expect(page.getByTestId('log-lines')).toContainText('train/loss')
  await picture({ slipway: window }, '06-log-search')
  await page.getByTestId('log-to-curve').first().click()
  await expect(page.getByTestId('curve-grid')).toBeVisible()
  await picture({ slipway: window }, '07-back-on-the-curve')
  // Lines exist for the steps of the run; the event file beside it goes on to step 1199. The reward stands in no line.
  const plot = page.getByTestId('panel-loss').locator('.u-over')
  const width = (await plot.boundingBox())?.width ?? 0
  await plot.hover({ position: { x: width * 0.02, y: 20 } })
  await page.keyboard.press('g')
  await expect(page.locator('[data-marked]')).toBeVisible()
  await picture({ slipway: window }, '08-log-line')
  await openTab(page, 'curves')
  await resumed(page, place)
  await picture({ slipway: window }, '12-resumed')
  await chooseLook(page, { theme: 'dark', language: 'zh' })
  await openRun(page, 'curves')
  await picture({ slipway: window }, '09-dark-zh')

  const printed = await slipway(place, 'metrics', tracker, '--summary', '--json')
  expect(printed).toContain('"train/loss"')
})

/** A table of 500 metrics, the first of which counts backwards. */
function manyMetrics(): string {
  const names = Array.from({ length: 500 }, (_, i) => `m/${String(i).padStart(3, '0')}`)
  const rows = Array.from({ length: 50 }, (_, step) =>
    [step, ...names.map((_name, i) => (i === 0 ? 100 - step : Math.sin(step / 9 + i)))].join(',')
  )
  return [['step', ...names].join(','), ...rows, ''].join('\n')
}

/** Lets go of files over the page of all runs, as a person does who drags them in. */
async function dropOnto(page: Page, ...files: string[]): Promise<void> {
  await page.getByTestId('drop-zone').waitFor()
  const session = await page.context().newCDPSession(page)
  const at = { x: 600, y: 400, data: { items: [], files, dragOperationsMask: 1 } }
  await session.send('Input.dispatchDragEvent', { type: 'dragEnter', ...at })
  await session.send('Input.dispatchDragEvent', { type: 'dragOver', ...at })
  await expect(page.getByTestId('drop-here')).toBeVisible()
  await session.send('Input.dispatchDragEvent', { type: 'drop', ...at })
  await session.detach()
}

test('a dropped file of 500 metrics becomes a record that costs what is in sight, on any x axis', async ({
  open
}) => {
  mkdirSync(shots, { recursive: true })
  const file = join(shots, 'many.csv')
  writeFileSync(file, manyMetrics())
  const { page } = await open()
  await dropOnto(page, file)
  await expect(page.getByTestId('run-now')).toContainText('25000 samples of 500 metrics')
  await expect(page.getByTestId('restart')).toHaveCount(0)
  await page.getByTestId('curves-panels').getByText('All 500 keys').click()
  const drawn = page.locator('[data-testid^="chart-m/"][data-points]:not([data-points="0"])')
  await expect(page.getByTestId('panel-m/499')).toBeAttached()
  await expect(page.getByTestId('chart-m/000')).toHaveAttribute('data-points', '50')
  expect(await drawn.count()).toBeLessThan(60)
  await page.getByTestId('panel-m/499').scrollIntoViewIfNeeded()
  await expect(page.getByTestId('chart-m/499')).toHaveAttribute('data-points', '50')
  await expect(page.getByTestId('chart-m/000')).toHaveCount(0)
  expect(await drawn.count()).toBeLessThan(60)
  await page.getByTestId('curves-filter').fill('m/007')
  await page.getByTestId('curves-axis-other').click()
  await page.getByTestId('menu-axis-m/000').click()
  await page.getByTestId('chart-m/007').locator('.u-over').hover()
  await expect(page.getByTestId('chart-tip')).toContainText(/x = (?:100|[5-9]\d)/)
  await page.screenshot({ path: join(shots, 'curves-10-imported-by-metric.png') })
  await page.getByTestId('rail-runs').click()
  await page.screenshot({ path: join(shots, 'curves-11-imported-in-the-list.png') })
})
