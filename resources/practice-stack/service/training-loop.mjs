/**
 * From ready batch to committed release: asks the trainer, commits, serves. One thing at a time over
 * all scenarios, because the trainer has one job marker; requests are answered meanwhile.
 */
import { promises as fs } from 'node:fs'
import { join } from 'node:path'
import { conflict, RequestError } from '../http/errors.mjs'
import { readAdapter } from '../model/model-files.mjs'
import { servedAdapter } from '../model/policy.mjs'
import { newId } from '../store/scenario.mjs'
import { contentIdOf } from '../store/scenarios.mjs'
import { gridStep, nextBatch } from './batches.mjs'
import { batchMetrics } from './batch-metrics.mjs'
import { ServiceGone } from './child.mjs'

/** @typedef {import('../store/scenario.mjs').Scenario} Scenario */
/** @typedef {import('../store/scenario.mjs').Release} Release */
/** @typedef {import('./batches.mjs').Batch} Batch */

export class TrainingLoop {
  /**
   * @param {{ runtime: import('../config/runtime.mjs').Runtime, scenarios: import('../store/scenarios.mjs').Scenarios, channel: import('./child.mjs').Channel, log: import('./service-log.mjs').ServiceLog, incarnation: string }} parts
   */
  constructor(parts) {
    this.parts = parts
    /** @type {Map<string, import('../model/policy.mjs').Adapter>} served adapters by release folder */
    this.adapters = new Map()
    /** @type {Promise<unknown>} */
    this.turn = Promise.resolve()
    /** @type {{ status: string, training_job_id: string | null, owner: string } | null} */
    this.job = null
    this.stopping = false
    this.pumping = false
    this.loads = 0
    this.lastDrain = /** @type {number | null} */ (null)
  }

  /**
   * Runs alone among jobs, rollbacks and deletions.
   * @template T
   * @param {() => Promise<T>} act
   * @returns {Promise<T>}
   */
  alone(act) {
    const next = this.turn.then(act)
    this.turn = next.catch(() => {})
    return next
  }

  /**
   * The adapter of a release as the engine serves it.
   * @param {Release} release
   */
  async adapterOf(release) {
    const kept = this.adapters.get(release.folder)
    if (kept !== undefined) return kept
    const adapter = servedAdapter(await readAdapter(release.folder))
    if (this.adapters.size >= 16) {
      const [oldest] = this.adapters.keys()
      if (oldest !== undefined) this.adapters.delete(oldest)
    }
    this.adapters.set(release.folder, adapter)
    return adapter
  }

  /** Training steps a scenario has committed. @param {Scenario} scenario */
  trained(scenario) {
    return scenario.newest.algorithm['training_steps'] ?? 0
  }

  /** @param {Scenario} scenario */
  mayTrain(scenario) {
    if (this.stopping || this.trained(scenario) >= this.parts.runtime.numRollout) return false
    return scenario.mode !== 'manual' || scenario.trainRequests > 0
  }

  /** Trains while any scenario has a ready batch. */
  async pump() {
    if (this.pumping) return
    this.pumping = true
    try {
      for (let worked = true; worked;) {
        worked = false
        for (const scenario of this.parts.scenarios.open.values()) {
          if (!this.mayTrain(scenario) || nextBatch(scenario, this.parts.runtime) === null) continue
          await this.alone(() => this.step(scenario))
          worked = true
        }
      }
    } catch (error) {
      if (!(error instanceof ServiceGone)) throw error
      this.stopping = true
      this.parts.log.say('training.py:96', `training stopped: ${error.message}`)
    } finally {
      this.pumping = false
    }
  }

  /** @param {Scenario} scenario */
  async step(scenario) {
    const { runtime, channel, log } = this.parts
    // Another act may have come first: a rollback makes waiting answers older.
    const batch = this.mayTrain(scenario) ? nextBatch(scenario, runtime) : null
    if (batch === null || this.parts.scenarios.open.get(scenario.name) !== scenario) return
    this.job = { status: 'RUNNING', training_job_id: null, owner: scenario.name }
    const head = scenario.head
    const task = runtime.scenarios.find(
      (/** @type {{ name: string }} */ item) => item.name === scenario.name
    )?.task
    const outcome = await channel.request('slime-driver', 'train', {
      scenario: scenario.name,
      task: task ?? runtime.task,
      step: scenario.releases.length,
      baseRollout: head.rollout,
      baseFolder: head.folder,
      parentLoadId: `${this.parts.incarnation}:${this.loads}`,
      rollouts: await this.rolloutsOf(scenario, batch)
    })
    this.job = { status: 'READY_TO_COMMIT', training_job_id: outcome.job, owner: scenario.name }
    const release = await this.releaseOf(scenario, batch, outcome)
    const committed = await scenario.commit(release, { training_job_id: outcome.job })
    if (scenario.trainRequests > 0) scenario.trainRequests -= 1
    this.lastDrain = Date.now() / 1000
    await channel.request('slime-driver', 'settle', {
      job: outcome.job,
      rejected: outcome.rejected
    })
    this.job = null
    this.announce(scenario, committed, log)
  }

  /** @param {Scenario} scenario @param {Batch} batch */
  async rolloutsOf(scenario, batch) {
    return Promise.all(
      batch.rollouts.map(async ({ report, inference, group }) => {
        const { practice } = await scenario.payloadOf(inference)
        return {
          prompt: practice.prompt,
          tokens: practice.tokens,
          logProbabilities: practice.log_probabilities,
          reward: report.score ?? 0,
          ...(group === null ? {} : { group })
        }
      })
    )
  }

  /**
   * @param {Scenario} scenario
   * @param {Batch} batch
   * @param {any} outcome of the trainer
   * @returns {Promise<Omit<Release, 'step' | 'recordedAt'>>}
   */
  async releaseOf(scenario, batch, outcome) {
    const { runtime } = this.parts
    const head = scenario.head
    const reports = [...batch.rollouts.map((item) => item.report), ...batch.dropped]
    const before = scenario.newest.algorithm
    const best = Math.max(
      before['best_so_far'] ?? 0,
      ...batch.rollouts.map((item) => item.report.score ?? 0)
    )
    const algorithm = {
      training_steps: this.trained(scenario) + 1,
      ...(runtime.family === 'tttd' ? { tttd_step: gridStep(scenario) + 1, best_so_far: best } : {})
    }
    const common = {
      operation: 'training',
      rollbackTarget: null,
      highWater: Math.max(...reports.map((report) => report.sequence), scenario.newest.highWater),
      consumedIds: reports.map((report) => report.id),
      metrics: { ...batchMetrics(batch, runtime, gridStep(scenario), best), ...outcome.metrics },
      algorithm
    }
    if (outcome.rejected) {
      const { releaseId, parentReleaseId, contentId, folder, rollout } = head
      return {
        ...common,
        releaseId,
        parentReleaseId,
        contentId,
        folder,
        rollout,
        checkpoint: false,
        pending: false
      }
    }
    const weights = await fs.readFile(join(outcome.folder, 'adapter_model.safetensors'))
    this.loads += 1
    return {
      ...common,
      releaseId: newId(),
      parentReleaseId: head.releaseId,
      contentId: contentIdOf(weights),
      folder: outcome.folder,
      rollout: outcome.rollout,
      checkpoint: true,
      pending: runtime.publish === 'manual'
    }
  }

  /**
   * Serves an earlier release again: its content under a new id, as the newest step.
   * @param {Scenario} scenario
   * @param {unknown} id
   * @param {'rollback' | 'promote'} operation
   */
  republish(scenario, id, operation) {
    return this.alone(async () => {
      const target = scenario.findRelease(id)
      const head = scenario.head
      if (target.releaseId === head.releaseId) return head
      this.checkRepublish(scenario, target, operation)
      await this.adapterOf(target)
      this.loads += 1
      const release = await scenario.commit({
        releaseId: newId(),
        parentReleaseId: head.releaseId,
        contentId: target.contentId,
        folder: target.folder,
        rollout: target.rollout,
        checkpoint: true,
        pending: false,
        operation,
        rollbackTarget: target.releaseId,
        highWater: scenario.newest.highWater,
        consumedIds: [],
        metrics: {},
        algorithm: scenario.newest.algorithm
      })
      this.announce(scenario, release, this.parts.log)
      return release
    })
  }

  /**
   * @param {Scenario} scenario
   * @param {Release} target
   * @param {'rollback' | 'promote'} operation
   */
  checkRepublish(scenario, target, operation) {
    const { name } = scenario
    if (!target.checkpoint) {
      throw new RequestError(
        409,
        `scenario '${name}' release '${target.releaseId}' has no durable checkpoint bytes`,
        'ReleaseNotRestorable'
      )
    }
    if (operation === 'promote' && !target.pending) {
      throw conflict(`scenario '${name}' release '${target.releaseId}' is not pending`)
    }
    if (operation === 'rollback' && this.parts.runtime.rollback === 'redeploy') {
      throw new RequestError(
        409,
        `scenario '${name}': PracticeRuntime cannot restore training weights, so release ` +
          `'${target.releaseId}' cannot be served again`,
        'ReleaseNotRestorable'
      )
    }
  }

  /** @param {string} name */
  remove(name) {
    if (this.job?.owner === name) {
      throw new RequestError(409, `scenario '${name}' has a training job out`, 'ScenarioBusy')
    }
    return this.alone(() => this.parts.scenarios.archive(name))
  }

  /**
   * @param {Scenario} scenario
   * @param {Release} release
   * @param {import('./service-log.mjs').ServiceLog} log
   */
  announce(scenario, release, log) {
    log.say(
      'committer.py:310',
      `scenario '${scenario.name}' committed step ${release.step} (${release.operation}` +
        `${release.pending ? ', pending' : ''}) release ${release.releaseId}`
    )
    log.journal({
      kind: 'commit',
      scenario: scenario.name,
      step: release.step,
      release_id: release.releaseId,
      operation: release.operation
    })
  }

  async stop() {
    this.stopping = true
    await this.turn
  }
}
