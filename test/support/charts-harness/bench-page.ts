import uPlot from 'uplot'
import '../../../src-renderer/theme/app.css'
import { createCanvasChart } from '../../../src-renderer/charts/canvas-chart'
import type { ChartData, Curve } from '../../../src-renderer/charts/columns'
import { NO_MARKS } from '../../../src-renderer/charts/marks'
import { looksOf, readPalette } from '../../../src-renderer/charts/palette'
import { numbersFrom } from './sample-curves'

const CHARTS = 12
const SERIES = 8
const COLUMNS = 1500
/** Milliseconds between two updates, as live curves have them. */
const EVERY = 250

export type ChartBench = {
  readonly charts: number
  readonly series: number
  readonly columns: number
  readonly seconds: number
  /** Share of the time spent in our drawing, 0 to 1. */
  readonly scriptShare: number
  /** Main-thread tasks over 50 ms, as the browser counts them. */
  readonly longTasks: number
  readonly longestTask: number
  /** Milliseconds of script for one update of one chart: ours and plain uPlot with the same data. */
  readonly perChart: number
  readonly plainPerChart: number
}

const names = Array.from({ length: SERIES }, (_, index) => `series/${index}`)
const random = numbersFrom(7)

function data(shift: number): ChartData {
  return {
    revision: shift,
    extent: [0, COLUMNS],
    curves: names.map((key, index): Curve => {
      const column = (spread: number): Float64Array =>
        Float64Array.from(
          { length: COLUMNS },
          (_, x) => index + Math.sin((x + shift) / 60) + (random() - 0.5) * spread
        )
      return {
        key,
        attempt: 1,
        source: 'bench',
        superseded: false,
        total: COLUMNS,
        x: Float64Array.from({ length: COLUMNS }, (_, x) => x),
        min: column(0.1),
        max: column(0.1),
        raw: column(0.1),
        smooth: column(0.02),
        smoothed: true,
        nonFinite: [],
        nonFiniteCount: 0
      }
    })
  }
}

function host(): HTMLElement {
  const element = document.createElement('div')
  element.className = 'chart-host'
  element.style.position = 'relative'
  element.style.width = '440px'
  element.style.height = '200px'
  element.style.display = 'inline-block'
  document.body.append(element)
  return element
}

const nothing = (): void => undefined
const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds))

function ours(): { draw: (next: ChartData) => void; end: () => void } {
  const element = host()
  const chart = createCanvasChart({
    host: element,
    width: 440,
    height: 200,
    palette: readPalette(document.documentElement),
    settings: {
      axis: 'step',
      scale: 'linear',
      looks: looksOf(names),
      hidden: new Set(),
      marks: NO_MARKS,
      lane: true,
      stalledAt: null
    },
    events: {
      onCross: nothing,
      onSelect: nothing,
      onZoom: nothing,
      onPan: nothing,
      onReset: nothing,
      onPick: nothing
    }
  })
  chart.setRange([0, COLUMNS])
  return {
    draw: chart.setData,
    end: () => {
      chart.dispose()
      element.remove()
    }
  }
}

function plain(): { draw: (next: ChartData) => void; end: () => void } {
  const element = host()
  const plot = new uPlot(
    {
      width: 440,
      height: 200,
      legend: { show: false },
      scales: { x: { time: false } },
      series: [{}, ...names.map(() => ({ stroke: 'teal', width: 1.75, points: { show: false } }))]
    },
    [[], ...names.map(() => [])],
    element
  )
  return {
    draw: (next) => {
      plot.batch(() => {
        plot.setData([
          next.curves[0]?.x ?? new Float64Array(),
          ...next.curves.map((curve) => curve.smooth)
        ])
      })
    },
    end: () => {
      plot.destroy()
      element.remove()
    }
  }
}

/** Milliseconds of script over a number of updates of all charts, each update in a task of its own. */
async function drive(
  make: () => { draw: (next: ChartData) => void; end: () => void },
  updates: number
): Promise<{ busy: number; wall: number }> {
  const charts = Array.from({ length: CHARTS }, make)
  const frames = Array.from({ length: 4 }, (_, shift) => data(shift))
  await pause(500)
  const begin = performance.now()
  let busy = 0
  for (let update = 0; update < updates; update++) {
    const due = begin + (update + 1) * EVERY
    for (const chart of charts) {
      const next = frames[update % frames.length]
      if (next === undefined) continue
      const start = performance.now()
      chart.draw(next)
      busy += performance.now() - start
      // Answers of the engine come one by one, each in a task of its own.
      await pause(0)
    }
    await pause(Math.max(0, due - performance.now()))
  }
  const wall = performance.now() - begin
  for (const chart of charts) chart.end()
  return { busy, wall }
}

async function measure(seconds: number): Promise<ChartBench> {
  const tasks: number[] = []
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) tasks.push(entry.duration)
  })
  const updates = Math.round((seconds * 1000) / EVERY)
  await drive(ours, 4)
  observer.observe({ type: 'longtask' })
  const mine = await drive(ours, updates)
  observer.disconnect()
  const theirs = await drive(plain, updates)
  return {
    charts: CHARTS,
    series: SERIES,
    columns: COLUMNS,
    seconds: mine.wall / 1000,
    scriptShare: mine.busy / mine.wall,
    longTasks: tasks.length,
    longestTask: Math.max(0, ...tasks),
    perChart: mine.busy / updates / CHARTS,
    plainPerChart: theirs.busy / updates / CHARTS
  }
}

Object.assign(window, { measureCharts: measure })
