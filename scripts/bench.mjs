// `npm run bench`: what Slipway costs, each figure beside its goal. Cold start and memory stand beside an empty Electron
// window of the same run; ratios hold on any machine, absolute figures are this machine's.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'vite'
import { installedRuntime } from './electron-runtime.mjs'
import { root, run, say } from './lib.mjs'
import { setUp } from './setup.mjs'
import { isHeadless } from './system-libraries.mjs'
import { openOnce, writeEmptyApp } from './window-cost.mjs'

const STARTS = 5
const MEBIBYTE = 2 ** 20

function print({ what, value, goal, met }) {
  const verdict = met === null ? '' : met ? 'ok' : 'MISSED'
  say(`${what.padEnd(76)} ${value.padStart(16)}   goal ${goal.padEnd(10)} ${verdict}`.trimEnd())
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]
}

function beside(what, ours, empty, most, words) {
  const ratio = ours / empty
  const value = `${ratio.toFixed(2)} ×`
  print({
    what: `${what}: ${words(ours)}, empty window ${words(empty)}`,
    value,
    goal: `≤ ${most} ×`,
    met: ratio <= most
  })
}

/** Both windows in turns, so that whatever else the machine does meets both; the first start of each is not counted. */
async function windows(binary, folder) {
  const ours = {
    app: root,
    profile: path.join(folder, 'profile'),
    env: { SLIPWAY_HOME: path.join(folder, 'home') },
    mark: 'first-run'
  }
  const empty = {
    app: writeEmptyApp(path.join(folder, 'empty')),
    profile: path.join(folder, 'empty-profile'),
    env: {}
  }
  const seen = { ours: [], empty: [] }
  for (let start = 0; start <= STARTS; start += 1)
    for (const [name, window] of Object.entries({ ours, empty })) {
      const figures = await openOnce({ binary, ...window })
      if (start > 0) seen[name].push(figures)
    }
  const of = (name, what) => median(seen[name].map((figures) => figures[what]))
  const time = (value) => `${Math.round(value)} ms`
  beside('cold start', of('ours', 'milliseconds'), of('empty', 'milliseconds'), 1.3, time)
  say(`  until the page of runs, answered by the engine, is there: ${time(of('ours', 'usable'))}`)
  if (of('ours', 'bytes') === null)
    return say('memory: measured on Linux only (proportional set size of the process tree)')
  const size = (value) => `${Math.round(value / MEBIBYTE)} MiB`
  beside('memory', of('ours', 'bytes'), of('empty', 'bytes'), 1.5, size)
}

/** A Chromium to draw in: CHROMIUM, else one on the PATH. */
function findChromium() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'chrome']
  const places = (process.env.PATH ?? '').split(path.delimiter)
  return names
    .flatMap((name) => places.map((place) => path.join(place, name)))
    .find((file) => fs.existsSync(file))
}

/** The measuring pieces are TypeScript over the engine's sources: bundled once, packages left out. */
async function bundlePieces() {
  const outDir = path.join(root, 'out', 'bench')
  await build({
    configFile: false,
    root,
    logLevel: 'error',
    resolve: { alias: { '@contract': path.join(root, 'src-main/contract') } },
    build: {
      ssr: path.join(root, 'test/bench/measure.ts'),
      outDir,
      target: 'node20',
      minify: false,
      rolldownOptions: { output: { format: 'es', entryFileNames: 'measure.mjs' } }
    }
  })
  return import(pathToFileURL(path.join(outDir, 'measure.mjs')).href)
}

async function pieces() {
  const browser = findChromium()
  const measure = await bundlePieces()
  for (const [name, piece] of Object.entries(measure.pieces(browser))) {
    if (name === 'charts' && browser === undefined) {
      say('charts: no Chromium found; name one with CHROMIUM to measure them')
      continue
    }
    for (const figure of await piece()) print(figure)
  }
}

function processorName() {
  const cpus = os.cpus()
  return `${cpus[0]?.model ?? 'unknown processor'}, ${cpus.length} cores, load ${os.loadavg()[0].toFixed(1)}`
}

async function bench(only) {
  const runtime = installedRuntime()
  say(`Electron ${runtime.version}; ${processorName()}`)
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'slipway-bench-'))
  try {
    if (only.length === 0 || only.includes('window')) await windows(runtime.binary, folder)
    if (only.length === 0 || only.includes('pieces')) await pieces()
  } finally {
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }
}

const script = path.join(root, 'scripts', 'bench.mjs')
// `window` or `pieces` measures one half alone; `ready` says that set-up has been done and a display is there.
const words = process.argv.slice(2)
const only = words.filter((word) => word !== 'ready')
if (words.includes('ready')) await bench(only)
else {
  await setUp()
  // Node 20 has WebSocket behind a switch; later ones have it anyway.
  const socket = globalThis.WebSocket === undefined ? ['--experimental-websocket'] : []
  const command = [process.execPath, ...socket, script, ...only, 'ready']
  process.exitCode = isHeadless()
    ? await run('xvfb-run', ['-a', '-s', '-screen 0 1920x1080x24', ...command])
    : await run(command[0], command.slice(1))
}
