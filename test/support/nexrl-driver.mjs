/**
 * Stands in Python's place: prints what a NexRL driver prints, in the published shapes, and ends the way it is told.
 *
 * NEXRL_DRIVER_MODE   done | crash | exhausted | health | liveness | silent | quiet-end | stale   (default done)
 * NEXRL_DRIVER_STEPS  steps until the end (default 3)
 * NEXRL_DRIVER_PACE   milliseconds between two lines that take time (default 40)
 */
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { setInterval, setTimeout } from 'node:timers'

const { fetch } = globalThis

const { env } = process
const mode = env.NEXRL_DRIVER_MODE ?? 'done'
const steps = Number(env.NEXRL_DRIVER_STEPS ?? 3)
const pace = Number(env.NEXRL_DRIVER_PACE ?? 40)

if (process.argv[2] === '-c') {
  // Preflight asks the version and what is installed.
  process.stdout.write('3 12 1 1 1\n')
  process.exit(0)
}
if (process.argv[3] !== 'nexrl.main') {
  process.stderr.write(`unexpected call: ${process.argv.slice(2).join(' ')}\n`)
  process.exit(2)
}

const two = (number) => String(number).padStart(2, '0')

function stamp() {
  const now = new Date()
  const day = `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`
  const time = `${two(now.getHours())}:${two(now.getMinutes())}:${two(now.getSeconds())}`
  return `${day} ${time},${String(now.getMilliseconds()).padStart(3, '0')}`
}

const print = (text) => process.stdout.write(`${text}\n`)
const log = (logger, text, level = 'INFO') => print(`[${stamp()}][${logger}][${level}] - ${text}`)
const rest = () => new Promise((resolve) => setTimeout(resolve, pace))

const folder = env.EXPERIMENT_PATH ?? ''
if (folder === '' || (env.TRAIN_CONFIG ?? '') === '') {
  process.stderr.write(
    'Traceback (most recent call last):\n  File "main.py", line 1, in <module>\n' +
      'RuntimeError: Cannot determine config file path. Ensure TRAIN_CONFIG environment variable is set or run via Hydra.\n'
  )
  process.exit(1)
}

// With GPUs of one's own it asks services that must be there; none of them is its own.
for (const name of ['INFERENCE_BASE_URL', 'API_SERVER_URL']) {
  if (env[name] === undefined) continue
  const answer = await fetch(`http://${env[name]}/health`, { headers: { 'x-asked-for': name } })
  log('nexrl.services', `${name} answers ${answer.status}`)
}

log('nexrl.main', 'Starting NexRL in local mode')
log('nexrl.main', 'Starting NexRL with configuration:')
print("{'service': {'weaver_service': {'lora_rank': 32,")
print(`                                'api_key': '${env.WEAVER_API_KEY ?? ''}'}}}`)
writeFileSync(
  join(folder, 'train_config_resolved.yaml'),
  `service:\n  weaver_service:\n    api_key: ${env.WEAVER_API_KEY ?? ''}\n`
)
if (mode === 'stale') {
  process.stderr.write(
    'Traceback (most recent call last):\n  File "x.py", line 1\nKeyError: \'WANDB_HOST\'\n'
  )
  process.exit(1)
}
await rest()
log('nexrl.weaver', 'Initializing WeaverServiceHolder with base_model: Qwen/Qwen3-8B')
log('nexrl.weaver', "Training client model id: ('m-1f2e',)")
log('nexrl.weaver', 'Saving initial weights for sampler')
log('nexrl.controller', 'Module trainer initialization completed successfully')
log('nexrl.controller', 'NexRL Controller initialized successfully')
log('nexrl.controller', 'Starting training loop...')

const beat = () =>
  log('nexrl.controller', `Module liveness check passed at ${(Date.now() / 1000).toFixed(3)}`)

for (let step = 0; step < steps; step += 1) {
  beat()
  for (const done of [2, 4, 8]) {
    print(
      `Progress: Batch: ${done}/8 (remaining: ${8 - done}) | Workers: 4 active | Trajectories: ${step * 8 + done} finished`
    )
    await rest()
  }
  if (mode === 'crash' && step === 1) {
    process.stderr.write(
      'Error executing job with overrides: []\nTraceback (most recent call last):\n' +
        '  File "nexrl/trainer/remote_api_trainer.py", line 210, in _convert\n' +
        `KeyError: "Key 'logprobs' not found in Trajectory"\n`
    )
    process.exit(1)
  }
  if (mode === 'health' && step === 1) {
    log(
      'nexrl.rollout',
      'Error in sample: WeaverAPIError: [402] quota_exceeded: no credit',
      'ERROR'
    )
    log(
      'nexrl.controller',
      "System health check: policy 'stop_on_error' detected 3 errors. System is unhealthy.",
      'ERROR'
    )
    log(
      'nexrl.controller',
      'System health check detected critical issues. Terminating system.',
      'ERROR'
    )
    log('nexrl.main', 'NexRL training process finished')
    log('nexrl.main', 'NexRL training completed')
    process.exit(0)
  }
  if (mode === 'liveness' && step === 1) {
    log(
      'nexrl.controller',
      'Module liveness check detected dead modules. Terminating system.',
      'ERROR'
    )
    log('nexrl.main', 'NexRL training process finished')
    process.exit(0)
  }
  if (mode === 'silent' && step === 1) {
    setInterval(() => undefined, 60_000)
    await new Promise(() => undefined)
  }
  if (mode === 'quiet-end' && step === 1) process.exit(0)
  const reward = Math.min(0.9, 0.25 + 0.125 * step)
  log('nexrl.trainer', `group_id: g-${step}-0, rewards: [0.0, 1.0, 0.0, 1.0]`)
  log('nexrl.trainer', `group_id: g-${step}-1, rewards: [1.0, 1.0, 1.0, 1.0]`)
  log('nexrl.trainer.remote_api_trainer', 'Trainer get trajectories successfully!')
  log(
    'nexrl.trainer.remote_api_trainer',
    `rollout metrics: {'rollout/reward_mean': ${reward}, 'rollout/reward_std': 0.498, 'rollout/reward_min': 0.0, 'rollout/reward_max': 1.0}, trajectories: 8`
  )
  print(`combined_metrics: {'loss': -0.0132, 'loss:sum': -3.38, 'tokens': 1812, 'grad_norm': 0.41}`)
  await rest()
  const name = `step_${String(step + 1).padStart(6, '0')}`
  log(
    'nexrl.trainer.remote_api_trainer',
    `Training step ${step} completed, updated sampling path: weaver://m-1f2e/checkpoints/${name}`
  )
  log(
    'LocalLogger',
    `step:${step} - rollout/reward_mean:${reward.toFixed(3)} - training/global_step:${step}.000 - training/num_datums:4.000 - timing/training_time:0.040`
  )
  log(
    'nexrl.weight_sync.weight_sync_controller',
    `Weight synchronization completed for default to version ${step + 1}`
  )
  appendFileSync(join(folder, 'steps.txt'), `${step}\n`)
}

if (mode === 'exhausted') {
  log('nexrl.data_loader', 'TorchDataLoader: All data has been consumed')
} else {
  log('nexrl.controller', 'Finish check: steps_reached=True -> stopping')
}
log('nexrl.main', 'NexRL training process finished')
log('nexrl.main', 'NexRL training completed')
