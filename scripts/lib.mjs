import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')

export function say(text) {
  process.stdout.write(`${text}\n`)
}

/** Runs a command in the project folder, its output shown, and resolves with its exit code. */
export function run(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: 'inherit', ...options })
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve(signal === null ? code : 128))
  })
}

/** Runs a command and ends this process with its code unless it succeeded. */
export async function must(command, args, options = {}) {
  const code = await run(command, args, options)
  if (code !== 0) {
    console.error(`failed: ${[path.basename(command), ...args].join(' ')}`)
    process.exit(code === 0 ? 1 : code)
  }
}

/** A program of node_modules, run by this very Node, so that no shell and no PATH is involved. */
export function bin(name) {
  return path.join(root, 'node_modules', '.bin', name)
}

export function output(command, args) {
  const result = spawnSync(command, args, { encoding: 'utf8' })
  return result.error === undefined && result.status === 0 ? result.stdout : null
}

/** Digest over names and contents of everything below the given files and folders. */
export function digestOf(places) {
  const hash = createHash('sha256')
  const visit = (place) => {
    const stat = fs.statSync(place, { throwIfNoEntry: false })
    if (stat === undefined) return
    if (stat.isDirectory()) {
      for (const name of fs.readdirSync(place).sort()) visit(path.join(place, name))
      return
    }
    hash.update(path.relative(root, place)).update('\0').update(fs.readFileSync(place)).update('\0')
  }
  for (const place of places) visit(path.join(root, place))
  return hash.digest('hex')
}

/** True when `file` holds exactly `text`. */
export function holds(file, text) {
  try {
    return fs.readFileSync(file, 'utf8') === text
  } catch (cause) {
    if (cause.code === 'ENOENT') return false
    throw cause
  }
}

export function isRoot() {
  return process.getuid?.() === 0
}
