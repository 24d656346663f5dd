import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { benchChain } from './chain'
import { benchCharts } from './charts'
import { benchLatency } from './latency'
import { benchBars } from './log-bench'
import { benchOpening, benchQuery, benchThroughput } from './metrics-bench'
import { measureCheck } from './recipe-bench'
import { measureWeights } from './weights'

/** One line of the report. `goal` says in words what `met` says. */
export interface Figure {
  what: string
  value: string
  goal: string
  /** Null where the goal depends on the machine, or could not be measured. */
  met: boolean | null
}

const times = (value: number): string => `${value.toFixed(2)} ×`

function ratio(what: string, value: number, most: number): Figure {
  return { what, value: times(value), goal: `≤ ${most} ×`, met: value <= most }
}

async function parsing(): Promise<Figure[]> {
  const figures = await benchThroughput()
  const size = `${Math.round(figures.bytes / 1e6)} MB of log`
  return [
    ratio(`${size}: parse and store, over node:readline`, figures.ratio, 5),
    ratio(`${size}: the same in processor time`, figures.processorRatio, 5),
    {
      what: `${size}: parse and store`,
      value: `${figures.megabytesPerSecond.toFixed(0)} MB/s`,
      goal: '60 MB/s',
      met: null
    },
    {
      what: `${size}: samples kept`,
      value: `${figures.stored} of ${figures.samples}`,
      goal: 'all',
      met: figures.stored === figures.samples
    }
  ]
}

async function querying(): Promise<Figure[]> {
  const { worstMilliseconds, worstRatio, samples } = await benchQuery()
  const what = `chart query of 1,500 columns on ${samples / 1e6} million samples, slowest zoom`
  return [
    { what, value: `${worstMilliseconds.toFixed(1)} ms`, goal: '10 ms', met: null },
    ratio('the same over reading the bytes it needs, greatest of all zooms', worstRatio, 5)
  ]
}

async function opening(): Promise<Figure[]> {
  const { large, small, ratio: value } = await benchOpening()
  const what = `opening a run of ${large.samples / 1e6} million samples, over one of ${small.samples / 1e3} thousand`
  return [ratio(what, value, 1.5)]
}

async function bars(): Promise<Figure[]> {
  const { updates, bytes, kept, milliseconds, emptyMilliseconds } = await benchBars()
  const what = `${updates} updates of a bar in one line (${Math.round(bytes / 1e6)} MB)`
  return [
    {
      what: `${what}: kept while reading`,
      value: `${(kept / 2 ** 20).toFixed(2)} MiB`,
      goal: '≤ 1 MiB',
      met: kept <= 2 ** 20
    },
    {
      what: `${what}: log page, beyond an empty log's ${emptyMilliseconds.toFixed(1)} ms`,
      value: `${(milliseconds - emptyMilliseconds).toFixed(1)} ms`,
      goal: '≤ 5 ms',
      met: milliseconds - emptyMilliseconds <= 5
    }
  ]
}

async function latency(): Promise<Figure[]> {
  const { samples, median, p95 } = await benchLatency()
  const what = `log line to answered curve at 200 metrics a second, ${samples} samples`
  return [
    { what: `${what}, median`, value: `${median.toFixed(0)} ms`, goal: '', met: null },
    {
      what: `${what}, 95th percentile (the page adds at most 100 ms and a frame)`,
      value: `${p95.toFixed(0)} ms`,
      goal: '250 ms',
      met: null
    }
  ]
}

function recipeChecks(): Promise<Figure[]> {
  const short = measureCheck(1_000)
  const long = measureCheck(5_000)
  return Promise.resolve([
    {
      what: 'checking a recipe of 1,000 lines',
      value: `${short.check.toFixed(1)} ms`,
      goal: '50 ms',
      met: null
    },
    ratio('checking a recipe of 5,000 lines, over parsing it as YAML', long.check / long.parsing, 3)
  ])
}

async function weights(): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-bench-'))
  try {
    const figures = await measureWeights(folder, 512 * 1024 * 1024, 2)
    const growth = figures.growth / 2 ** 20
    return [
      {
        what: 'comparing two 512 MB checkpoints, over reading them (speed)',
        value: times(figures.ratio),
        goal: '≥ 0.5 ×',
        met: figures.ratio >= 0.5
      },
      {
        what: 'comparing two 512 MB checkpoints, growth of memory',
        value: `${growth.toFixed(0)} MiB`,
        goal: '< 300 MiB',
        met: growth < 300
      }
    ]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function chain(): Promise<Figure[]> {
  const { build, longest } = benchChain(20_000)
  return Promise.resolve([
    {
      what: 'a chain of 20,000 releases: rows to chain to the page',
      value: `${build.toFixed(0)} ms`,
      goal: '',
      met: null
    },
    {
      what: 'a chain of 20,000 releases: longest piece of work in the page',
      value: `${longest.toFixed(0)} ms`,
      goal: '≤ 50 ms',
      met: longest <= 50
    }
  ])
}

async function charts(browser: string | undefined): Promise<Figure[]> {
  const figures = await benchCharts(8, browser)
  const what = `${figures.charts} live charts of ${figures.series} × ${figures.columns}`
  return [
    ratio(`${what}: script, over plain uPlot`, figures.perChart / figures.plainPerChart, 1.5),
    {
      what: `${what}: script, share of the time`,
      value: `${(figures.scriptShare * 100).toFixed(1)} %`,
      goal: '≤ 25 %',
      met: figures.scriptShare <= 0.25
    },
    {
      what: `${what}: longest task`,
      value: `${figures.longestTask.toFixed(0)} ms`,
      goal: '≤ 50 ms',
      met: figures.longTasks === 0
    }
  ]
}

/** The pieces in the order they are run. Each is measured alone, so that none takes another's processor. */
export function pieces(browser: string | undefined): Record<string, () => Promise<Figure[]>> {
  return {
    parsing,
    querying,
    opening,
    bars,
    latency,
    recipeChecks,
    weights,
    chain,
    charts: () => charts(browser)
  }
}
