import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, type Page } from '@playwright/test'
import { resize, type Place } from './support/app'
import { launchPractice, slipway as slipwayCli } from './support/command-line'
import { curvesDrawn, openRun, releasesReach, stage } from './support/story'
import { test } from './support/test'

/** Milliseconds a task may take before the page is felt to stick. */
const GOAL = 50
/**
 * Tasks that may take longer all the same, and how long: the first drawing, code run for the first time and a collection
 * of garbage take what they take on a loaded machine.
 */
const FEW = 8
const LONGEST = 200
/** Share of the time the page's main thread may be busy with twelve live curves, drawing included. */
const BUSY = 0.6

interface TraceEvent {
  name: string
  pid: number
  tid: number
  tdur?: number
  args?: { name?: string }
}

/**
 * From now on, the processor time of every task of the page's main thread in milliseconds: how long a task takes on a
 * clock is the machine's matter, too.
 */
async function taskTimes(page: Page): Promise<() => Promise<number[]>> {
  const session = await page.context().newCDPSession(page)
  const events: TraceEvent[] = []
  session.on('Tracing.dataCollected', ({ value }) => {
    for (const event of value as unknown as TraceEvent[])
      if (event.name === 'RunTask' || event.name === 'thread_name') events.push(event)
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
    return timesOf(events)
  }
}

/** Of all that was traced the tasks of the threads that run pages. */
function timesOf(events: readonly TraceEvent[]): number[] {
  const threadOf = ({ pid, tid }: TraceEvent): string => `${pid}/${tid}`
  const mains = new Set(events.filter(({ args }) => args?.name === 'CrRendererMain').map(threadOf))
  return events.flatMap((event) =>
    event.name === 'RunTask' && event.tdur !== undefined && mains.has(threadOf(event))
      ? [event.tdur / 1000]
      : []
  )
}

interface Held {
  long: number
  longest: number
  /** Milliseconds of all tasks. */
  all: number
  words: string
}

function heldBy(times: readonly number[]): Held {
  const longest = Math.max(0, ...times)
  const long = times.filter((time) => time > GOAL).length
  const all = times.reduce((sum, time) => sum + time, 0)
  const words = `${long} tasks over ${GOAL} ms of processor time, longest ${Math.round(longest)} ms`
  return { long, longest, all, words }
}

function say(words: string): void {
  test.info().annotations.push({ type: 'long tasks', description: words })
  console.log(words)
}

test('twelve live curves hold the page up for no longer than they say', async ({ place, open }) => {
  await launchPractice(place, 4, 'practice-sao')
  const slipway = await open()
  const { page } = slipway
  await resize(slipway, 1920, 1080)
  await openRun(page, 'curves')
  await releasesReach(page, 4)
  await curvesDrawn(page)
  const tasks = await taskTimes(page)
  const begun = Date.now()
  const from = await stage(page, 'released')
  await releasesReach(page, from + 15)
  const wall = Date.now() - begun
  const held = heldBy(await tasks())
  const panels = await page.locator('[data-testid^="chart-"][data-points]').count()
  const share = held.all / wall
  say(`${panels} panels, 15 releases: ${held.words}, ${Math.round(share * 100)} % of the time`)
  expect(panels).toBeGreaterThan(5)
  expect(held.all).toBeGreaterThan(0)
  expect(held.long).toBeLessThanOrEqual(FEW)
  expect(held.longest).toBeLessThan(LONGEST)
  expect(share).toBeLessThan(BUSY)
})

function runsOf(printed: string): string[] {
  const { runs } = JSON.parse(printed) as { runs: { id: string }[] }
  return runs.map(({ id }) => id)
}

/** Rows of a chain that a year of training leaves. */
const LONG_CHAIN = 20_000
/** Rows of the table that may stand in the page at once. */
const MOUNTED = 60

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
  const held = heldBy(await tasks())
  say(`20,000 releases: open in ${took} ms, ${seen.most} rows mounted at most, ${held.words}`)
  expect(held.all).toBeGreaterThan(0)
  expect(seen.tall).toBeGreaterThan(LONG_CHAIN * 20)
  expect(seen.most).toBeGreaterThan(10)
  expect(seen.most).toBeLessThanOrEqual(MOUNTED)
  expect(held.long).toBeLessThanOrEqual(FEW)
  expect(held.longest).toBeLessThan(LONGEST)
})
