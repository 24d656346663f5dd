import { createServer } from 'node:http'
import { createReadStream, existsSync } from 'node:fs'
import { extname, join, resolve } from 'node:path'
import { chromium } from '@playwright/test'
import { build } from 'vite'

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
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.woff2': 'font/woff2'
}

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
  const folder = join(ROOT, 'out/charts-harness')
  const server = createServer((request, response) => {
    const file = join(folder, new URL(request.url ?? '/', 'http://loopback').pathname)
    if (!existsSync(file) || extname(file) === '') {
      response.writeHead(404).end()
      return
    }
    response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'text/plain' })
    createReadStream(file).pipe(response)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const browser = await chromium.launch({
    ...(browserPath === undefined ? {} : { executablePath: browserPath }),
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : []
  })
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await page.goto(`http://127.0.0.1:${port}/bench.html`)
    await page.waitForFunction('typeof measureCharts === "function"')
    return await page.evaluate<ChartBench>(`measureCharts(${seconds})`)
  } finally {
    await browser.close()
    server.close()
  }
}
