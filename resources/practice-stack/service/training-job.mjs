/** A training job from marker to checkpoint, in the order that makes every kill recoverable. */
import { randomUUID } from 'node:crypto'
import { createLearnerState } from '../model/learner.mjs'
import { exportFiles, readAdapter, readState, stateFiles } from '../model/model-files.mjs'
import { answerPrompt, copyAdapter, servedAdapter } from '../model/policy.mjs'
import { RandomStream } from '../model/random.mjs'
import { firstTasks, scoreAnswer } from '../model/tasks.mjs'
import { logTime } from './service-log.mjs'
import { actorHead, mean, trainRollout } from './training-step.mjs'

/** @typedef {import('../model/learner.mjs').LearnerState} LearnerState */
/**
 * @typedef {object} JobRequest
 * @property {string} scenario
 * @property {string} task of the scenario, for the evaluation gate
 * @property {number} step commit step the job will become
 * @property {number | null} baseRollout rollout whose state it starts from; null: the creation
 * @property {string} baseFolder the release tree it starts from
 * @property {string} parentLoadId
 * @property {import('../model/learner.mjs').Rollout[]} rollouts
 */

const EVALUATION_TASKS = 64
/** Rollouts that end above this log-probability distance from uniform carry LoRA weights. */
const NONZERO = 1e-12

export class TrainingJobs {
  /**
   * @param {import('./training-step.mjs').Trainer & { model: import('../model/model-files.mjs').Model, store: import('../store/checkpoints.mjs').CheckpointStore, crash: (point: string) => void }} parts
   */
  constructor(parts) {
    this.parts = parts
    /** @type {Map<string, { rollout: number | null, state: LearnerState }>} */
    this.states = new Map()
    this.nextRollout = 0
    this.endOfLast = Date.now()
    /** Times of what follows a perf line; the next one reports them. @type {Record<string, number>} */
    this.carried = {}
    /** @type {import('../store/checkpoints.mjs').Marker | null} */
    this.marker = null
    /** The iteration the tracker named at the start. @type {number | null} */
    this.loaded = null
  }

  async open() {
    this.loaded = await this.parts.store.tracked()
    const last = (await this.parts.store.iterations()).at(-1)
    this.nextRollout = last === undefined ? 0 : last + 1
  }

  /**
   * @param {JobRequest} request
   * @returns {Promise<LearnerState>} a copy, so that a rejected job leaves the head as it was
   */
  async startState({ scenario, baseRollout, baseFolder }) {
    const kept = this.states.get(scenario)
    if (kept !== undefined && kept.rollout === baseRollout) return structuredClone(kept.state)
    if (baseRollout !== null) return readState(this.parts.store.iterationPath(baseRollout))
    const creation = await readAdapter(baseFolder)
    // Started on the export of the very iteration that was loaded: its optimizer goes on, as Megatron's would.
    if (this.loaded !== null) {
      const state = await readState(this.parts.store.iterationPath(this.loaded))
      if (sameAdapter(state.adapter, creation)) return state
    }
    return createLearnerState(copyAdapter(creation))
  }

  /** @param {string} status @param {object} [more] */
  async mark(status, more = {}) {
    if (this.marker === null) throw new Error(`no training job for status ${status}`)
    this.marker = { ...this.marker, ...more, status }
    await this.parts.store.writeMarker(this.marker)
  }

  /** @param {JobRequest} request */
  async run(request) {
    const { store, crash, log } = this.parts
    const started = Date.now()
    const waited = (started - this.endOfLast) / 1000
    const rollout = this.nextRollout
    const job = randomUUID().replaceAll('-', '')
    crash('before-job')
    this.marker = {
      status: 'RUNNING',
      job_id: job,
      rollout_id: rollout,
      checkpoint_path: store.hfPath(rollout),
      [store.loadKey]: `${process.pid}:${rollout + 1}`,
      [`parent_${store.loadKey}`]: request.parentLoadId,
      commit_acknowledged: false,
      metrics: {},
      train_metrics: {},
      scenario: request.scenario,
      previous: store.committed
    }
    await this.mark('RUNNING')
    this.nextRollout += 1
    crash('running')
    const state = await this.startState(request)
    const metrics = this.train(request, state, rollout)
    this.reportPerformance(rollout, metrics, waited, (Date.now() - started) / 1000)
    await this.save(request, state, rollout)
    this.endOfLast = Date.now()
    await this.mark('CHECKPOINT', { train_metrics: finiteOnly(metrics) })
    crash('checkpoint')
    const verdict = await this.evaluate(request, state)
    if (verdict !== null && !verdict.selected)
      return this.reject(request, { job, rollout, metrics, verdict })
    await this.mark('UPDATING_WEIGHTS')
    log.say('update_weight.py:88', `Timer update_weights end (elapsed: 0.0s)`)
    await this.mark('READY_TO_COMMIT')
    this.states.set(request.scenario, { rollout, state })
    crash('ready-to-commit')
    return {
      job,
      rollout,
      rejected: false,
      folder: store.hfPath(rollout),
      loadId: this.marker[store.loadKey],
      metrics: { ...finiteOnly(metrics), ...(verdict ?? {}) }
    }
  }

  /**
   * @param {JobRequest} request
   * @param {LearnerState} state
   * @param {number} rollout
   */
  train(request, state, rollout) {
    const { runtime, log } = this.parts
    log.write(`${actorHead('timer.py:32')} - Timer actor_train start`)
    const begun = performance.now()
    const warm = state.value.step / runtime.criticStepsPerActor >= runtime.criticOnlySteps
    const metrics = trainRollout(this.parts, state, {
      rolloutId: rollout,
      actorStep: request.step - 1,
      trainActor: warm,
      rollouts: request.rollouts
    })
    const took = (performance.now() - begun) / 1000
    log.write(`${actorHead('timer.py:41')} - Timer actor_train end (elapsed: ${took.toFixed(1)}s)`)
    const { a, b } = state.adapter
    return {
      ...metrics,
      'perf/actor_train_time': took,
      'train/lora_trainable_parameters': a.length + b.length,
      'train/lora_base_trainable_parameters': 0,
      'train/lora_b_nonzero': b.filter((value) => Math.abs(value) > NONZERO).length,
      'train/lora_b_l1': b.reduce((sum, value) => sum + Math.abs(value), 0),
      ...(runtime.family === 'sao' ? { 'sao/actor_trained': warm ? 1 : 0 } : {})
    }
  }

  /**
   * @param {number} rollout
   * @param {Record<string, number>} metrics
   * @param {number} waited seconds
   * @param {number} took seconds
   */
  reportPerformance(rollout, metrics, waited, took) {
    const perf = {
      'perf/train_wait_time': waited,
      'perf/actor_train_time': metrics['perf/actor_train_time'],
      'perf/train_time': took,
      ...this.carried,
      'perf/step_time': waited + took,
      'perf/wait_time_ratio': waited + took === 0 ? 0 : waited / (waited + took)
    }
    Object.assign(metrics, perf)
    this.parts.log.metrics(actorHead('train_metric_utils.py:401'), 'perf', rollout, perf)
  }

  /**
   * @param {JobRequest} request
   * @param {LearnerState} state
   * @param {number} rollout
   */
  async save(request, state, rollout) {
    const { store, model, log, crash } = this.parts
    const begun = performance.now()
    const owner = { scenario: request.scenario, step: request.step }
    log.say('checkpoint.py:71', `Saving model in HuggingFace format to ${store.hfPath(rollout)}`)
    await store.save(
      rollout,
      exportFiles(model, state.adapter, owner),
      stateFiles(state, { scenario: request.scenario, rollout_id: String(rollout) }),
      crash
    )
    this.carried = { 'perf/save_model_time': (performance.now() - begun) / 1000 }
    const iteration = String(rollout).padStart(7, ' ')
    log.write(
      `[${logTime(Date.now())}] checkpoint.py:84 - Successfully saved HuggingFace model to ${store.hfPath(rollout)}`,
      `(MegatronTrainRayActor pid=${process.pid})   [${logTime(Date.now())}] successfully saved ` +
        `checkpoint from iteration ${iteration} to ${store.megatronDir} [ t 1/1, p 1/1 ]`
    )
  }

  /**
   * The evaluation gate: candidate against head on the same fresh tasks at temperature 0.
   * @param {JobRequest} request
   * @param {LearnerState} state
   */
  async evaluate(request, state) {
    const { runtime, model } = this.parts
    if (runtime.evaluation === 'off') return null
    const task = /** @type {import('../model/tasks.mjs').TaskName} */ (request.task)
    const tasks = firstTasks(task, `${runtime.seed}/gate/${request.step}`, EVALUATION_TASKS)
    const random = new RandomStream('gate')
    /** @type {(adapter: import('../model/policy.mjs').Adapter) => number} */
    const score = (adapter) => {
      const served = servedAdapter(adapter)
      const answers = tasks.map((item) =>
        scoreAnswer(
          item,
          answerPrompt(model.base, served, item.prompt, { temperature: 0, random }).text
        )
      )
      return mean(answers)
    }
    const candidate = score(state.adapter)
    const current = score(await readAdapter(request.baseFolder))
    return {
      selected: candidate >= current,
      candidate_score: candidate,
      current_score: current,
      evaluation_task_count: EVALUATION_TASKS
    }
  }

  /**
   * @param {JobRequest} request
   * @param {{ job: string, rollout: number, metrics: Record<string, number>, verdict: object }} outcome
   */
  async reject(request, { job, rollout, metrics, verdict }) {
    await this.mark('REJECTING')
    await this.parts.store.discard(rollout)
    await this.mark('REJECTED')
    this.parts.log.say(
      'training_job.py:212',
      `training job ${job} rejected: the candidate of rollout ${rollout} is worse than the head of ` +
        `'${request.scenario}'; its checkpoint is removed`
    )
    return { job, rollout, rejected: true, metrics: { ...finiteOnly(metrics), ...verdict } }
  }

  /**
   * The commit is durable: closes the marker.
   * @param {{ job: string, rejected: boolean }} outcome
   */
  async settle({ job, rejected }) {
    if (this.marker?.job_id !== job) throw new Error(`training job ${job} is not the one out`)
    if (rejected) {
      await this.parts.store.restoreMarker()
      this.marker = null
      return
    }
    await this.mark('HEAD_COMMITTED')
    await this.mark('COMPLETE', { commit_acknowledged: true, previous: undefined })
    this.marker = null
  }
}

/**
 * Whether an export (float32) is that of a trainer's adapter.
 * @param {import('../model/policy.mjs').Adapter} trained
 * @param {import('../model/policy.mjs').Adapter} exported
 */
function sameAdapter(trained, exported) {
  /** @type {(a: ArrayLike<number>, b: ArrayLike<number>) => boolean} */
  const same = (a, b) =>
    a.length === b.length && Array.from(a).every((value, at) => Math.fround(value) === b[at])
  return same(trained.a, exported.a) && same(trained.b, exported.b)
}

/**
 * Only finite numbers are sent on; the log line keeps the others.
 * @param {Record<string, number>} metrics
 */
export function finiteOnly(metrics) {
  return Object.fromEntries(Object.entries(metrics).filter(([, value]) => Number.isFinite(value)))
}
