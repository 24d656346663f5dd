/** A `nexrl` command of ours: says what the launcher of the cluster says, and ends while the pod goes on. */
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'

const args = process.argv.slice(2)
appendFileSync(join(process.env.NEXRL_CLUSTER, 'launcher.jsonl'), `${JSON.stringify(args)}\n`)
const tag = args.includes('--tag') ? `${args[args.indexOf('--tag') + 1]}-101500` : '20260304-101500'
const job = `me-nexrl-driver-${tag}`
const own = args[args.indexOf('-m') + 1] === 'self-hosted'
const created = (kind, name) => `${kind}/me-${name}-${tag} created`
const volcano = (name) => [
  `[INFO] Applied Volcano job: ${created('job.batch.volcano.sh', name)}`,
  `[INFO] Expected master pod name: me-${name}-${tag}-master-0`
]
if (own) {
  process.stdout.write(
    [
      '[INFO] Launching API server...',
      ...volcano('api-server'),
      '[INFO] ✓ API server ready at: 10.0.0.7',
      '[INFO] Launching GPU workers...',
      ...volcano('gpu-worker-default'),
      ...(args.includes('--inference-url')
        ? ['[INFO] Skipping inference service launch']
        : [
            `[INFO] Applied YAML: ${created('deployment.apps', 'inference')}`,
            // kubectl answers a line for each thing; a service that was there before is not this launch's.
            `[INFO] Applied YAML: ${created('deployment.apps', 'rollout-router')}`,
            'service/rollout-router-shared unchanged'
          ]),
      ''
    ].join('\n')
  )
  if (process.env.NEXRL_LAUNCHER_FAILS !== undefined) {
    process.stdout.write('[ERROR] Inference service failed to become ready\n')
    process.exit(1)
  }
}
process.stdout.write(
  [
    `[INFO] Running in ${own ? 'self-hosted' : 'training-service'} mode (open-source)`,
    '[INFO] Launching NexRL driver...',
    ...volcano('nexrl-driver'),
    `[INFO] Confirmed pod exists: ${job}-master-0`,
    `[INFO] Applied driver job: ${job}`,
    `[INFO] Pod ${job}-master-0 is Running`,
    '✓ All jobs submitted and ready!',
    ''
  ].join('\n')
)
