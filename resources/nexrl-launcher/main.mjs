/**
 * Calls NexRL's Kubernetes launcher and then stays with the pod it made, because the launcher itself ends while training
 * goes on: prints the driver pod's log as if it were its own, and takes away what the launcher made when it is asked to end
 * (in self-hosted mode also the API server, the GPU workers and the inference service, which outlive the driver).
 *
 *   node main.mjs --namespace NS [--poll MS] -- LAUNCHER ARGS…
 *
 * Only `kubectl` of the PATH is used. The pod's phase says when to stop reading, never whether the training went well.
 */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

const split = process.argv.indexOf('--')
const own = process.argv.slice(2, split)
const launcher = process.argv.slice(split + 1)
const option = (name, otherwise) => {
  const at = own.indexOf(name)
  return at === -1 ? otherwise : own[at + 1]
}
const namespace = option('--namespace', 'nexrl')
const poll = Number(option('--poll', '5000'))
/** Milliseconds until a short call of kubectl counts as hung: it has no limit of its own. */
const patience = Number(option('--patience', '20000'))
/** Times a pod may be away: one that is restarted is gone for a moment and comes back under its name. */
const mostAway = Number(option('--away', '24'))

let pod = null
let stopping = false
/** What kubectl said it created, oldest first: `job.batch.volcano.sh/NAME`. What was there before is not ours to remove. */
const made = []
/** Processes of ours that are to end with us. */
const children = new Set()

const say = (text) => process.stdout.write(`[slipway] ${text}\n`)
const rest = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * Runs a command to its end, line by line. Resolves with its code, or null when it could not be started.
 * `limit`: milliseconds after which it is ended; without one it may take as long as it likes.
 */
function run(command, args, line, limit) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    children.add(child)
    if (limit !== undefined) {
      const timer = setTimeout(() => child.kill('SIGKILL'), limit)
      child.on('exit', () => clearTimeout(timer))
    }
    const open = [child.stdout, child.stderr].map(
      (stream) =>
        new Promise((done) => {
          createInterface({ input: stream }).on('line', line).on('close', done)
        })
    )
    child.on('error', (error) => {
      children.delete(child)
      say(`${command} could not be started: ${error.message}`)
      resolve(null)
    })
    child.on('close', async (code) => {
      children.delete(child)
      await Promise.all(open)
      resolve(code ?? 1)
    })
  })
}

/** Answer of a short kubectl call; null when it failed or hung. */
async function ask(...args) {
  const lines = []
  const code = await run('kubectl', args, (line) => lines.push(line), patience)
  return code === 0 ? lines.join('\n').trim() : null
}

/** What this launch made, newest first: the driver before the services it works with. */
function left() {
  if (pod === null) return [...made].reverse()
  // A launcher that does not repeat kubectl's answer still names the pod, and a pod's job is called as it is.
  const job = `jobs.batch.volcano.sh/${pod.replace(/-master-0$/, '')}`
  const named = made.some((one) => one.split('/')[1] === job.split('/')[1])
  return [...made, ...(named ? [] : [job])].reverse()
}

const deletion = (things) => ['delete', ...things, '-n', namespace, '--ignore-not-found']

/** Said where nobody takes it away: it may hold GPUs, and a person may still want to look at it. */
function sayLeft(things) {
  if (things.length > 0)
    say(
      `still in the cluster: ${things.join(' ')}; take away with: kubectl ${deletion(things).join(' ')}`
    )
}

async function takeAway() {
  if (stopping) return
  stopping = true
  for (const child of children) child.kill('SIGTERM')
  const things = left()
  if (things.length > 0) {
    say(`deleting ${things.join(' ')}`)
    // It waits for pods to go, which have half a minute of their own.
    const code = await run('kubectl', deletion(things), say, 5 * patience)
    if (code !== 0) {
      sayLeft(things)
      process.exit(1)
    }
  }
  process.exit(0)
}
process.on('SIGTERM', () => void takeAway())
process.on('SIGINT', () => void takeAway())

const launched = await run(launcher[0], launcher.slice(1), (line) => {
  process.stdout.write(`${line}\n`)
  pod = /Expected master pod name: (\S+)/.exec(line)?.[1] ?? pod
  const thing = /(?:^|: )([a-z][a-z0-9.-]*\/[a-z0-9][a-z0-9.-]*) created$/.exec(line)?.[1]
  if (thing !== undefined) made.push(thing)
})
if (stopping) await rest(2 ** 30)
if (launched !== 0) {
  say(`the launcher ended with code ${String(launched)}`)
  sayLeft(left())
  process.exit(launched ?? 127)
}
if (pod === null) {
  say('the launcher named no pod; nothing can be followed')
  process.exit(3)
}

/** Times as kubectl prints them, so that a broken connection goes on after the last line without losing or doubling one. */
let last = ''
let atLast = []

function take(line) {
  const space = line.indexOf(' ')
  const stamp = line.slice(0, space)
  const text = line.slice(space + 1)
  if (!/^\d{4}-\d\d-\d\dT/.test(stamp)) {
    say(line)
    return
  }
  if (stamp < last || (stamp === last && atLast.includes(text))) return
  if (stamp !== last) atLast = []
  last = stamp
  atLast.push(text)
  process.stdout.write(`${text}\n`)
}

async function readLog(...follow) {
  const since = last === '' ? [] : ['--since-time', last]
  return run('kubectl', ['logs', ...follow, pod, '-n', namespace, '--timestamps', ...since], take)
}

let away = 0
for (;;) {
  const read = await readLog('-f')
  if (stopping) await rest(2 ** 30)
  if (read === null) {
    sayLeft(left())
    process.exit(127)
  }
  const phase = await ask(
    ...['get', 'pod', pod, '-n', namespace, '--ignore-not-found', '-o', 'jsonpath={.status.phase}']
  )
  // No phase although kubectl answered: the pod is not there.
  away = phase === '' ? away + 1 : 0
  if (away === mostAway) {
    say(`pod ${pod} is gone; that says nothing about the training`)
    sayLeft(left())
    process.exit(0)
  }
  if (phase === 'Succeeded' || phase === 'Failed') {
    // What it said between the end of the connection and its own.
    await readLog()
    say(`pod ${pod} is ${phase}; that says nothing about the training`)
    // An ended job holds nothing and the cluster removes it by itself.
    sayLeft(left().filter((one) => !one.endsWith(`/${pod.replace(/-master-0$/, '')}`)))
    process.exit(0)
  }
  if (phase === null) say(`pod ${pod} cannot be asked about`)
  else if (phase === '') say(`pod ${pod} is not there`)
  await rest(poll)
}
