/* global window, document, performance, PerformanceObserver, setTimeout */
import uPlot from 'uplot'
import './harness.css'
import { createCanvasChart } from '../../../src-renderer/charts/canvas-chart'
import { NO_MARKS } from '../../../src-renderer/charts/marks'
import { looksOf, readPalette } from '../../../src-renderer/charts/palette'
import { numbersFrom } from './sample-curves.mjs'

const CHARTS = 12
const SERIES = 8
const COLUMNS = 1500
/** Milliseconds between two updates, as live curves have them. */
const EVERY = 250

const names = Array.from({ length: SERIES }, (_, index) => `series/${index}`)
const random = numbersFrom(7)

function dataOf(shift) {
  const column = (index, spread) =>
    Float64Array.from(
      { length: COLUMNS },
      (_, x) => index + Math.sin((x + shift) / 60) + (random() - 0.5) * spread
    )
  return {
    revision: shift,
    extent: [0, COLUMNS],
    curves: names.map((key, index) => ({
      key,
      attempt: 1,
      source: 'bench',
      superseded: false,
      total: COLUMNS,
      x: Float64Array.from({ length: COLUMNS }, (_, x) => x),
      min: column(index, 0.1),
      max: column(index, 0.1),
      raw: column(index, 0.1),
      smooth: column(index, 0.02),
      smoothed: true,
      nonFinite: [],
      nonFiniteCount: 0
    }))
  }
}

function host() {
  const element = document.createElement('div')
  element.className = 'chart-host'
  Object.assign(element.style, {
    position: 'relative',
    display: 'inline-block',
    width: '440px',
    height: '200px'
  })
  document.body.append(element)
  return element
}

const nothing = () => undefined
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds))

function ours() {
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
      clip: false,
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
  const end = () => {
    chart.dispose()
    element.remove()
  }
  // Charts draw at the next frame; asking for the picture draws at once, and so the drawing is measured.
  const draw = (next) => {
    chart.setData(next)
    chart.canvas()
  }
  return { draw, live: chart.setData, end }
}

function plain() {
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
  // A batch draws at once; outside of one uPlot would draw in a later task and not be measured.
  const draw = (next) =>
    plot.batch(() => plot.setData([next.curves[0].x, ...next.curves.map((each) => each.smooth)]))
  const end = () => {
    plot.destroy()
    element.remove()
  }
  return { draw, end }
}

/** Every chart gets new data at once, as when one look at the log brought something for all; drawn as in the window. */
async function driveLive(updates) {
  const charts = Array.from({ length: CHARTS }, ours)
  const frames = [0, 1, 2, 3].map(dataOf)
  await pause(500)
  const tasks = []
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) tasks.push(entry.duration)
  })
  observer.observe({ type: 'longtask' })
  for (let update = 0; update < updates; update++) {
    for (const chart of charts) chart.live(frames[update % frames.length])
    await pause(EVERY)
  }
  for (const entry of observer.takeRecords()) tasks.push(entry.duration)
  observer.disconnect()
  for (const chart of charts) chart.end()
  return tasks
}

/** Milliseconds of script and of wall time over a number of updates of all charts, each in a task of its own. */
async function drive(make, updates) {
  const charts = Array.from({ length: CHARTS }, make)
  const frames = [0, 1, 2, 3].map(dataOf)
  await pause(500)
  const begin = performance.now()
  let busy = 0
  for (let update = 0; update < updates; update++) {
    for (const chart of charts) {
      const start = performance.now()
      chart.draw(frames[update % frames.length])
      busy += performance.now() - start
      // Answers of the engine come one by one, each in a task of its own.
      await pause(0)
    }
    await pause(Math.max(0, begin + (update + 1) * EVERY - performance.now()))
  }
  const wall = performance.now() - begin
  for (const chart of charts) chart.end()
  return { busy, wall }
}

/** Numbers of `ChartBench` in test/bench/charts.ts. */
async function measureCharts(seconds) {
  const updates = Math.round((seconds * 1000) / EVERY)
  await drive(ours, 4)
  const mine = await drive(ours, updates)
  const tasks = await driveLive(updates)
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

Object.assign(window, { measureCharts })
