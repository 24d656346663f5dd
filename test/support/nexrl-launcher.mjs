/** A `nexrl` command of ours: says what the launcher of the cluster says, and ends while the pod goes on. */
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'

const args = process.argv.slice(2)
appendFileSync(join(process.env.NEXRL_CLUSTER, 'launcher.jsonl'), `${JSON.stringify(args)}\n`)
const tag = args.includes('--tag') ? `${args[args.indexOf('--tag') + 1]}-101500` : '20260304-101500'
const job = `me-nexrl-driver-${tag}`
process.stdout.write(
  [
    '[INFO] Running in training-service mode (open-source)',
    '[INFO] Launching NexRL driver...',
    `[INFO] Expected master pod name: ${job}-master-0`,
    `[INFO] Confirmed pod exists: ${job}-master-0`,
    `[INFO] Applied driver job: ${job}`,
    `[INFO] Pod ${job}-master-0 is Running`,
    '✓ All jobs submitted and ready!',
    ''
  ].join('\n')
)
