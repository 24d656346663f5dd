// Size budgets, printed so that drift is visible: what a start loads, and how long our files have become.
import fs from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { root, say } from './lib.mjs'

const KB = 1024
// Budget in kB, gzip for the page (that is what parsing time follows), plain for the processes.
const budgets = [
  {
    name: 'page until Runs is drawn (gzip)',
    folder: 'out/renderer/assets',
    match: /^(index|main)-.*\.js$/,
    withImports: true,
    gzip: true,
    limit: 260
  },
  { name: 'engine', folder: 'out/main/chunks', match: /\.js$/, gzip: false, limit: 2700 },
  {
    // All that the first picture waits for in the main process.
    name: 'app until its window is there',
    folder: 'out/main',
    match: /^index\.js$/,
    withImports: true,
    gzip: false,
    limit: 60
  },
  { name: 'preload', folder: 'out/preload', match: /^index\.js$/, gzip: false, limit: 4 }
]
const LONGEST_FILE = 650
// Rules and field lists are tables: one entry after the other, nothing to follow.
const TABLES = /(-rules|fields)\.ts$/
const LONGEST_TABLE = 700

/** What `names` import statically, and what that imports, each once: dynamic imports load later and do not count. */
function closure(folder, names) {
  const all = new Set(names)
  for (const name of all) {
    const text = fs.readFileSync(path.join(folder, name), 'utf8')
    const statically =
      /(?:(?:from|import)\s*|^(?:const|let|var) \w+ = require\()["']\.\/([^"']+\.js)["']/gm
    for (const [, imported] of text.matchAll(statically))
      all.add(path.join(path.dirname(name), imported))
  }
  return [...all]
}

function sizeOf({ folder, match, withImports, gzip }) {
  const full = path.join(root, folder)
  if (!fs.existsSync(full)) return null
  const entries = fs.readdirSync(full).filter((name) => match.test(name))
  const names = withImports === true ? closure(full, entries) : entries
  return names.reduce((sum, name) => {
    const bytes = fs.readFileSync(path.join(full, name))
    return sum + (gzip ? gzipSync(bytes).length : bytes.length)
  }, 0)
}

function* sourceFiles(folder) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const full = path.join(folder, entry.name)
    if (entry.isDirectory()) yield* sourceFiles(full)
    else if (/\.tsx?$/.test(entry.name)) yield full
  }
}

/** Prints every figure beside its budget. Returns false when one is over. */
export function printSizes() {
  let kept = true
  for (const budget of budgets) {
    const bytes = sizeOf(budget)
    if (bytes === null) {
      say(`size ${budget.name}: not built`)
      continue
    }
    const over = bytes > budget.limit * KB
    say(
      `size ${budget.name}: ${Math.round(bytes / KB)} kB of ${budget.limit} kB${over ? '  OVER' : ''}`
    )
    kept &&= !over
  }
  const lengths = ['src-main', 'src-renderer']
    .flatMap((folder) => [...sourceFiles(path.join(root, folder))])
    .map((file) => ({ file, lines: fs.readFileSync(file, 'utf8').split('\n').length }))
    .sort((a, b) => a.lines - b.lines)
  const at = (share) => lengths[Math.floor((lengths.length - 1) * share)]?.lines ?? 0
  say(`files: ${lengths.length}, lines median ${at(0.5)}, 90 % ${at(0.9)}, longest ${at(1)}`)
  const limitOf = (file) => (TABLES.test(file) ? LONGEST_TABLE : LONGEST_FILE)
  const tooLong = lengths.filter(({ file, lines }) => lines > limitOf(file))
  for (const { file, lines } of tooLong)
    say(`size ${path.relative(root, file)}: ${lines} lines, limit ${limitOf(file)}`)
  return kept && tooLong.length === 0
}
