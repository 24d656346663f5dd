import { join, resolve } from 'node:path'
import { chromium } from '@playwright/test'
import { build } from 'vite'
import { serveFolder } from '../support/static-site'

export type ChartBench = {
  readonly charts: number
  readonly series: number
  readonly columns: number
  readonly seconds: number
  /** Share of the time spent in our drawing, 0 to 1. */
  readonly scriptShare: number
  /** Main-thread tasks over 50 ms, as the browser counts them, and the longest one in milliseconds. */
  readonly longTasks: number
  readonly longestTask: number
  /** Milliseconds of script for one update of one chart: ours, and plain uPlot with the same data. */
  readonly perChart: number
  readonly plainPerChart: number
}

const ROOT = resolve('.')
/**
 * 12 charts of 8 series of 1,500 columns, redrawn four times a second, and the same data by plain uPlot.
 * Builds the harness, serves it on the loopback and drives a Chromium.
 * @param browserPath Executable of a Chromium; without it Playwright's own is taken.
 */
export async function benchCharts(seconds: number, browserPath?: string): Promise<ChartBench> {
  await build({
    configFile: join(ROOT, 'test/support/charts-harness/vite.config.mjs'),
    logLevel: 'error'
  })
  const site = await serveFolder(join(ROOT, 'out/charts-harness'))
  const browser = await chromium.launch({
    ...(browserPath === undefined ? {} : { executablePath: browserPath }),
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : []
  })
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await page.goto(`${site.address}/bench.html`)
    await page.waitForFunction('typeof measureCharts === "function"')
    return await page.evaluate<ChartBench>(`measureCharts(${seconds})`)
  } finally {
    await browser.close()
    site.close()
  }
}
