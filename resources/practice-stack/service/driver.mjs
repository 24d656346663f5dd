/** The `slime-driver` service: the trainer. Usage: node driver.mjs <run_dir> */
import { join } from 'node:path'
import { loadModel } from '../model/model-files.mjs'
import { CheckpointStore } from '../store/checkpoints.mjs'
import { writeAtomic } from '../store/files.mjs'
import { startService } from './child.mjs'
import { TrainingJobs } from './training-job.mjs'

const SERVICE = 'slime-driver'
const READY_TEXT = { A: '', B: 'reef-slime-bridge-ready', C: 'reef-training-ready' }

const runDir = process.argv[2] ?? ''
const { log, runtime, crash, channel } = startService(SERVICE, runDir)

log.write('practice stack: a small policy trained on the CPU in plain Node; this is not Slime')
log.write('training: executor=local (practice backend)')
const model = await loadModel(runtime.modelPath)
const store = new CheckpointStore(runtime)
await store.open()
await store.recover(runtime.recovery === 'refuse' ? 'refuse' : 'auto', (line) => log.write(line))
const tracked = await store.tracked()
if (tracked === null)
  log.write(`no checkpoint in ${store.megatronDir}; starting from ${model.name}`)
else {
  log.write(` loading distributed checkpoint from ${store.megatronDir} at iteration ${tracked}`)
  log.write(
    `  successfully loaded checkpoint from ${store.megatronDir} [ t 1/1, p 1/1 ] at iteration ${tracked}`
  )
}
log.write(
  `Enabled Megatron Bridge LoRA rank=${runtime.loraRank} alpha=${runtime.loraAlpha} on 1 tensors; ` +
    `base weights frozen, sha256 ${model.digest}`
)
const jobs = new TrainingJobs({ runtime, base: model.base, log, model, store, crash })
await jobs.open()

/** @type {Promise<unknown>} */
let work = Promise.resolve()
let stopping = false

channel.answer = (kind, body) => {
  const next = work.then(() => {
    if (kind === 'train') return jobs.run(body)
    if (kind === 'settle') return jobs.settle(body)
    throw new Error(`unknown request ${kind}`)
  })
  work = next.catch((error) => {
    // The trainer's state is unknown after an error, so the process ends with it, as Slime does.
    setImmediate(() => {
      throw error
    })
  })
  // No answer after an error: the launcher tells the others that this service is gone.
  return next.catch(() => new Promise(() => {}))
}

process.on('SIGTERM', () => void stop())
process.on('SIGINT', () => void stop())

async function stop() {
  if (stopping) return
  stopping = true
  await work
  log.write('training driver stopped')
  process.exit(0)
}

await writeAtomic(join(runDir, SERVICE, 'bridge.ready'), READY_TEXT[runtime.generation] ?? '')
if (runtime.generation !== 'A') log.write(READY_TEXT[runtime.generation])
channel.ready()
