/**
 * A kubectl of ours: writes down its arguments and replays what a cluster would say. Its state is one folder,
 * `NEXRL_CLUSTER`: `calls.jsonl`, `pod.log` (stamped lines), `phase` (`Gone`: there is no pod), `cut` (lines after which a
 * first log call breaks off), `hangs` and `fails` (a verb that never ends, or ends with an error).
 */
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout } from 'node:timers'

const folder = process.env.NEXRL_CLUSTER
const file = (name) => join(folder, name)
const args = process.argv.slice(2)
const read = (name, otherwise = '') =>
  existsSync(file(name)) ? readFileSync(file(name), 'utf8') : otherwise
appendFileSync(file('calls.jsonl'), `${JSON.stringify(args)}\n`)

if (read('hangs') === args[0]) await new Promise((r) => setTimeout(r, 600_000))
if (read('fails') === args[0]) {
  process.stderr.write('error: You must be logged in to the server (Unauthorized)\n')
  process.exit(1)
}
if (args[0] === 'get' && args[1] === 'pod') {
  const phase = read('phase', 'Running')
  process.stdout.write(phase === 'Gone' ? '' : phase)
} else if (args[0] === 'delete') {
  writeFileSync(file('phase'), 'Failed')
  process.stdout.write(`job.batch.volcano.sh "${args[2]}" deleted\n`)
} else if (args[0] === 'logs') {
  const since = args.includes('--since-time') ? args[args.indexOf('--since-time') + 1] : ''
  const lines = read('pod.log')
    .split('\n')
    .filter((line) => line !== '' && line.slice(0, line.indexOf(' ')) >= since)
  const cut = Number(read('cut', '0'))
  if (cut > 0 && since === '') {
    rmSync(file('cut'))
    process.stdout.write(`${lines.slice(0, cut).join('\n')}\n`)
    process.stderr.write('error: unexpected EOF\n')
    process.exit(1)
  }
  process.stdout.write(`${lines.join('\n')}\n`)
  // As the real one: follows until the pod ends.
  while (args.includes('-f') && read('phase', 'Running') === 'Running')
    await new Promise((r) => setTimeout(r, 20))
}
