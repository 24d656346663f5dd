/** The `traffic` service: plays the agent. Usage: node traffic.mjs <run_dir> */
import { join } from 'node:path'
import { hashText, RandomStream } from '../model/random.mjs'
import { scoreAnswer, taskStream } from '../model/tasks.mjs'
import { readOptional, writeAtomic } from '../store/files.mjs'
import { AgentClient, pause } from './agent-client.mjs'
import { startService } from './child.mjs'

/** At speed 1 a batch takes this long to come together. */
const BATCH_MS = 1800
const POLL_MS = 20
/** Rollouts at once when there is no pace to keep. */
const WORKERS = 12

const runDir = process.argv[2] ?? ''
const { log, runtime, channel } = startService('traffic', runDir)
/** @param {string} line */
const say = (line) => log.say('traffic.py:60', line)
const client = new AgentClient(runtime, say)
process.on('SIGTERM', () => process.exit(0))
process.on('SIGINT', () => process.exit(0))

/**
 * Plays the rollouts of one batch: one after the other in time, or many at once without a pace.
 * @template T
 * @param {readonly T[]} items
 * @param {(item: T) => Promise<void>} play
 */
async function playBatch(items, play) {
  const gap =
    runtime.speed === 'max'
      ? 0
      : (BATCH_MS * runtime.scenarios.length) / runtime.batchSize / runtime.speed
  const begun = Date.now()
  let taken = 0
  const worker = async () => {
    while (taken < items.length) {
      const index = taken
      taken += 1
      const left = begun + gap * (index + 1) - Date.now()
      if (left > 0) await pause(left)
      await play(items[index])
    }
  }
  await Promise.all(Array.from({ length: gap === 0 ? WORKERS : 1 }, worker))
}

/**
 * Waits until the trainer has taken what it can, so that answers are those of the newest release.
 * @param {string} scenario
 */
async function untilDrained(scenario) {
  for (;;) {
    const { step, processor, busy } = await client.status(scenario)
    if (step >= runtime.numRollout) await pause(1000)
    else if (!busy && processor.buffered_requests < runtime.batchSize) return
    else await pause(POLL_MS)
  }
}

/** @param {{ name: string, task: import('../model/tasks.mjs').TaskName }} scenario */
async function playStream({ name, task }) {
  const { step } = await client.status(name)
  const start = step === 0 ? '' : `/${step}`
  const tasks = taskStream(task, `${runtime.seed}/train/${name}${start}`)
  const random = new RandomStream(`${runtime.seed}/shuffle/${name}`)
  for (;;) {
    await untilDrained(name)
    /** @type {{ receipt: string, score: number }[]} */
    const scored = []
    const batch = Array.from({ length: runtime.batchSize }, () => tasks.next().value)
    await playBatch(batch, async (item) => {
      const { text, receipt } = await client.ask(name, item.prompt, hashText(item.id))
      const score = scoreAnswer(item, text)
      scored.push({ receipt, score })
      if (runtime.rewards === 'true') await client.report(name, receipt, score, { task: item.id })
    })
    if (runtime.rewards === 'shuffled') await reportShuffled(name, scored, random)
    const total = scored.reduce((sum, item) => sum + item.score, 0)
    say(
      `scenario '${name}': ${scored.length} rollouts of ${task}, mean score ${(total / scored.length).toFixed(4)}`
    )
  }
}

/**
 * The control: every answer gets the score of another one.
 * @param {string} name
 * @param {{ receipt: string, score: number }[]} scored
 * @param {RandomStream} random
 */
async function reportShuffled(name, scored, random) {
  const scores = random.passedOn(scored.map((item) => item.score))
  await Promise.all(
    scored.map((item, index) =>
      client.report(name, item.receipt, scores[index], { shuffled: true })
    )
  )
}

/** @typedef {{ size: number, best: number, answer: string }} Archive */

/** @param {string} name @returns {Promise<Archive>} */
async function readArchive(name) {
  const text = await readOptional(archivePath(name))
  return text === null ? { size: 0, best: 0, answer: '' } : JSON.parse(text)
}

/** @param {string} name */
function archivePath(name) {
  return join(runDir, 'traffic', `archive-${encodeURIComponent(name)}.json`)
}

/** @param {{ name: string, task: import('../model/tasks.mjs').TaskName }} scenario */
async function playGrid({ name, task }) {
  const item = taskStream(task, `${runtime.seed}/train/${name}`).next().value
  let archive = await readArchive(name)
  for (;;) {
    const { step, processor, busy } = await client.status(name)
    if (step >= runtime.numRollout) {
      await pause(1000)
      continue
    }
    if (busy || processor.missing_cells.length === 0) {
      await pause(POLL_MS)
      continue
    }
    await playBatch(
      /** @type {number[][]} */ (processor.missing_cells),
      async ([group, rollout]) => {
        const seed = hashText(`${item.id}/${step}/${group}/${rollout}`)
        const { text, receipt } = await client.ask(name, item.prompt, seed)
        const score = scoreAnswer(item, text)
        archive = better(archive, text, score)
        await client.report(name, receipt, score, cellMetadata(processor.step, group, rollout))
      }
    )
    await writeAtomic(archivePath(name), JSON.stringify(archive))
    await announce(name, processor.step, archive)
  }
}

/**
 * @param {Archive} archive
 * @param {string} answer
 * @param {number} score
 * @returns {Archive}
 */
function better(archive, answer, score) {
  const size = archive.size + 1
  return score > archive.best ? { size, best: score, answer } : { ...archive, size }
}

/**
 * @param {number} step
 * @param {number} group
 * @param {number} rollout
 */
function cellMetadata(step, group, rollout) {
  return {
    algorithm: 'tttd',
    step,
    group,
    rollout,
    groups_per_step: runtime.groups,
    rollouts_per_group: runtime.perGroup,
    comparison_set: `tttd-step-${step}-group-${group}`
  }
}

/**
 * Tells of a grid once the service has committed it.
 * @param {string} name
 * @param {number} step
 * @param {Archive} archive
 */
async function announce(name, step, archive) {
  for (;;) {
    const { processor } = await client.status(name)
    if (processor.step > step) break
    // Answers that a rollback made too old leave cells open: the next round fills them.
    if (processor.missing_cells.length > 0) return
    await pause(POLL_MS)
  }
  const event = {
    event: 'tttd_step_committed',
    scenario: name,
    step,
    archive_size: archive.size,
    archive_best_reward: archive.best
  }
  log.write(JSON.stringify(event))
}

say(
  `traffic at speed ${runtime.speed} for ${runtime.scenarios.map((/** @type {{ name: string }} */ item) => item.name).join(', ')}`
)
channel.ready()
await Promise.all(
  runtime.scenarios.map((/** @type {any} */ scenario) =>
    runtime.family === 'tttd' ? playGrid(scenario) : playStream(scenario)
  )
)
