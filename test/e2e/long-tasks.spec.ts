import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, type Page } from '@playwright/test'
import { resize, type Place } from './support/app'
import { launchPractice, slipway as slipwayCli } from './support/command-line'
import { curvesDrawn, openRun, releasesReach, stage } from './support/story'
import { test } from './support/test'

/** Milliseconds a task may take before the page is felt to stick. */
const GOAL = 50
/** Far beyond what a loaded machine adds: only a page that draws far too much gets here. */
const NEVER = 1000

interface Seen {
  tasks: number[]
  panels: number
}

test('twelve live curves hold the page up for no longer than they say', async ({ place, open }) => {
  await launchPractice(place, 4, 'practice-sao')
  const slipway = await open()
  const { page } = slipway
  await resize(slipway, 1920, 1080)
  await openRun(page, 'curves')
  await releasesReach(page, 4)
  await curvesDrawn(page)
  await page.evaluate(() => {
    const tasks: number[] = []
    Object.assign(window, { longTasks: tasks })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) tasks.push(entry.duration)
    }).observe({ type: 'longtask' })
  })
  const from = await stage(page, 'released')
  await releasesReach(page, from + 15)
  const seen = await page.evaluate((): Seen => ({
    tasks: (window as unknown as { longTasks: number[] }).longTasks,
    panels: document.querySelectorAll('[data-testid^="chart-"][data-points]').length
  }))
  const longest = Math.max(0, ...seen.tasks)
  const said = `${seen.panels} panels, 15 releases: ${seen.tasks.length} tasks over ${GOAL} ms, longest ${Math.round(longest)} ms`
  test.info().annotations.push({ type: 'long tasks', description: said })
  console.log(said)
  expect(seen.panels).toBeGreaterThan(5)
  expect(longest).toBeLessThan(NEVER)
})

function runsOf(printed: string): string[] {
  const { runs } = JSON.parse(printed) as { runs: { id: string }[] }
  return runs.map(({ id }) => id)
}

/** Rows of a chain that a year of training leaves. */
const LONG_CHAIN = 20_000
/** Rows of the table that may stand in the page at once. */
const MOUNTED = 60

interface TraceEvent {
  name: string
  tdur?: number
}

/**
 * From now on, the processor time of every task of the page's main thread in milliseconds: how long a task takes on a
 * clock is the machine's matter, too.
 */
async function taskTimes(page: Page): Promise<() => Promise<number[]>> {
  const session = await page.context().newCDPSession(page)
  const times: number[] = []
  session.on('Tracing.dataCollected', ({ value }) => {
    for (const event of value as unknown as TraceEvent[])
      if (event.name === 'RunTask' && event.tdur !== undefined) times.push(event.tdur / 1000)
  })
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['disabled-by-default-devtools.timeline'] }
  })
  return async () => {
    const complete = new Promise<void>((resolve) => {
      session.once('Tracing.tracingComplete', () => {
        resolve()
      })
    })
    await session.send('Tracing.end')
    await complete
    return times
  }
}

/** Adds rows to a run that has ended, as if it had trained on. */
function lengthen(place: Place, run: string, rows: number): void {
  const folder = join(place.home, 'runs', run)
  const file = join(folder, 'releases.jsonl')
  const last = readFileSync(file, 'utf8').trimEnd().split('\n').at(-1)
  if (last === undefined) throw new Error('no release')
  const row = JSON.parse(last) as { step: number; row: Record<string, unknown> }
  const lines: string[] = []
  for (let step = row.step + 1; step <= rows; step += 1) {
    const id = step.toString(16).padStart(40, '0')
    const metrics = { 'rollout/rewards': 0.5 + Math.sin(step / 900) / 4, 'train/loss': 1 / step }
    const more = {
      release_id: id,
      content_id: `ck-${id}`,
      step,
      recorded_at: 1.7e9 + step,
      metrics
    }
    lines.push(JSON.stringify({ ...row, step, row: { ...row.row, ...more }, commit: null }))
  }
  appendFileSync(file, `${lines.join('\n')}\n`)
}

test('a chain of 20,000 releases is opened and scrolled without holding the page up', async ({
  place,
  open
}) => {
  test.skip(process.env['SLIPWAY_LONG'] !== '1', 'takes half a minute: SLIPWAY_LONG=1 runs it')
  test.setTimeout(600_000)
  await launchPractice(place, 4, 'practice-sao')
  const [run] = runsOf(await slipwayCli(place, 'runs', '--json'))
  if (run === undefined) throw new Error('no run')
  await expect
    .poll(async () => (await slipwayCli(place, 'releases', run, '--json')).includes('training'), {
      timeout: 90_000
    })
    .toBe(true)
  await slipwayCli(place, 'stop', run, '--force')
  lengthen(place, run, LONG_CHAIN)
  const slipway = await open()
  const { page } = slipway
  await resize(slipway, 1920, 1080)
  await page.getByTestId('rail-runs').click()
  await expect(page.locator('[data-testid^="run-row-"]').first()).toBeVisible()
  const tasks = await taskTimes(page)
  const begun = Date.now()
  await openRun(page, 'releases')
  const rows = page.getByTestId('release-rows')
  await expect(rows).toBeVisible({ timeout: 60_000 })
  const took = Date.now() - begun
  const seen = await rows.evaluate(async (element): Promise<{ most: number; tall: number }> => {
    const frame = (): Promise<void> =>
      new Promise((resolve) => {
        requestAnimationFrame(() => {
          resolve()
        })
      })
    let most = 0
    for (let turn = 0; turn <= 40; turn += 1) {
      element.scrollTop = (element.scrollHeight * turn) / 40
      await frame()
      await frame()
      most = Math.max(most, element.querySelectorAll('[data-testid^="release-r"]').length)
    }
    return { most, tall: element.scrollHeight }
  })
  const times = await tasks()
  const longest = Math.max(0, ...times)
  const long = times.filter((time) => time > GOAL).length
  const said = `20,000 releases: open in ${took} ms, ${seen.most} rows mounted at most, ${long} tasks over ${GOAL} ms of processor time, longest ${Math.round(longest)} ms`
  test.info().annotations.push({ type: 'long tasks', description: said })
  console.log(said)
  expect(times.length).toBeGreaterThan(0)
  expect(seen.tall).toBeGreaterThan(LONG_CHAIN * 20)
  expect(seen.most).toBeGreaterThan(10)
  expect(seen.most).toBeLessThanOrEqual(MOUNTED)
  expect(longest).toBeLessThan(NEVER)
})
