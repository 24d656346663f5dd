// What opening a window costs: time from starting the program to its first picture, and memory once it is quiet.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { isRoot } from './lib.mjs'

/** An Electron that shows one line of text and does nothing else. */
export function writeEmptyApp(folder) {
  fs.mkdirSync(folder, { recursive: true })
  fs.writeFileSync(
    path.join(folder, 'package.json'),
    JSON.stringify({ name: 'empty', version: '0.0.0', main: 'main.js' })
  )
  fs.writeFileSync(
    path.join(folder, 'main.js'),
    `const { app, BrowserWindow } = require('electron')
app.on('window-all-closed', () => app.quit())
app.whenReady().then(() =>
  new BrowserWindow({ width: 1280, height: 800 }).loadFile(__dirname + '/index.html')
)
`
  )
  fs.writeFileSync(path.join(folder, 'index.html'), '<!doctype html><p>Empty</p>')
  return folder
}

async function freePort() {
  const server = net.createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}

/** Processes below `pid` and itself, read from /proc. */
function treeOf(pid) {
  const parents = new Map()
  for (const name of fs.readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      const stat = fs.readFileSync(`/proc/${name}/stat`, 'utf8')
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]))
    } catch (cause) {
      // A process that ended between listing and reading is no part of the tree.
      if (cause.code !== 'ENOENT' && cause.code !== 'ESRCH') throw cause
    }
  }
  const tree = [pid]
  for (let at = 0; at < tree.length; at += 1)
    for (const [child, parent] of parents) if (parent === tree[at]) tree.push(child)
  return tree
}

/** Proportional memory of a process tree in bytes: what several processes share counts once. */
function memoryOf(pid) {
  let kilobytes = 0
  for (const each of treeOf(pid)) {
    try {
      const text = fs.readFileSync(`/proc/${each}/smaps_rollup`, 'utf8')
      kilobytes += Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1] ?? 0)
    } catch (cause) {
      if (cause.code !== 'ENOENT' && cause.code !== 'ESRCH') throw cause
    }
  }
  return kilobytes * 1024
}

/** Memory when two readings half a second apart differ by less than one per cent, after ten seconds in any case. */
async function quietMemory(pid) {
  let before = 0
  for (let reading = 0; reading < 20; reading += 1) {
    await wait(500)
    const now = memoryOf(pid)
    if (Math.abs(now - before) < now / 100) return now
    before = now
  }
  return before
}

/** Address of the page's debugger, as soon as there is a page. */
async function debuggerOf(port, child) {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`The window ended with code ${child.exitCode}.`)
    try {
      const targets = await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()
      // A window begins with an empty page, which the first address replaces.
      const page = targets.find(({ type, url }) => type === 'page' && !/^(about:|$)/.test(url))
      if (page !== undefined) return page.webSocketDebuggerUrl
    } catch (cause) {
      // Nothing listens yet.
      if (!(cause instanceof TypeError)) throw cause
    }
    await wait(20)
  }
}

/** What `expression` comes to in the page; a promise is awaited. */
async function evaluate(address, expression) {
  const socket = new globalThis.WebSocket(address)
  try {
    await once(socket, 'open')
    const answer = once(socket, 'message')
    const params = { expression, awaitPromise: true, returnByValue: true }
    socket.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params }))
    const [event] = await answer
    const { result, error } = JSON.parse(event.data)
    if (error?.message.includes('context was destroyed')) return evaluate(address, expression)
    if (error !== undefined || result.exceptionDetails !== undefined)
      throw new Error(`In the page: ${JSON.stringify(error ?? result.exceptionDetails)}`)
    return result.result.value
  } finally {
    socket.close()
  }
}

/** Unix milliseconds of the first picture with anything in it. */
const FIRST_PICTURE = `new Promise((resolve) => {
  new PerformanceObserver((list) => {
    const paint = list.getEntriesByName('first-contentful-paint')[0]
    if (paint !== undefined) resolve(performance.timeOrigin + paint.startTime)
  }).observe({ type: 'paint', buffered: true })
})`

function shown(mark) {
  return `new Promise((resolve) => {
    const look = () =>
      document.querySelector('[data-testid="${mark}"]') ? resolve(true) : requestAnimationFrame(look)
    look()
  })`
}

/**
 * Opens a window once.
 * @param options.mark Test id that must be on the page before memory is read.
 * @returns milliseconds from start to first picture and until the mark is there, and bytes when quiet (null away from Linux)
 */
export async function openOnce({ binary, app, profile, env, mark }) {
  const port = await freePort()
  const args = [
    ...(isRoot() ? ['--no-sandbox'] : []),
    '--disable-gpu',
    `--remote-debugging-port=${port}`,
    `--user-data-dir=${profile}`,
    app
  ]
  const environment = { ...process.env, ...env }
  delete environment.ELECTRON_RUN_AS_NODE
  const from = Date.now()
  const child = spawn(binary, args, { env: environment, stdio: 'ignore' })
  const gone = once(child, 'exit')
  try {
    const page = await debuggerOf(port, child)
    const milliseconds = (await evaluate(page, FIRST_PICTURE)) - from
    if (mark !== undefined) await evaluate(page, shown(mark))
    const usable = Date.now() - from
    const bytes = process.platform === 'linux' ? await quietMemory(child.pid) : null
    return { milliseconds, usable, bytes }
  } finally {
    child.kill('SIGTERM')
    await Promise.race([gone, wait(5000)])
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL')
      await gone
    }
  }
}
