/** One training job: measurements of a batch, optimizer steps, and the lines that tell of them. */
import {
  actorGradients,
  adamUpdate,
  advantagesOf,
  clipGradients,
  criticGradient,
  globalNorm,
  prepareRollouts,
  valueOf
} from '../model/learner.mjs'
import { logTime } from './service-log.mjs'

/** @typedef {import('../model/learner.mjs').LearnerState} LearnerState */
/** @typedef {import('../model/learner.mjs').PreparedRollout} PreparedRollout */
/** @typedef {import('../config/runtime.mjs').Runtime} Runtime */
/** @typedef {{ runtime: Runtime, base: import('../model/policy.mjs').Base, log: import('./service-log.mjs').ServiceLog }} Trainer */

/** @param {readonly number[]} values */
export function mean(values) {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length
}

/** Head of a line that a Ray actor of the trainer prints. @param {string} place */
export function actorHead(place) {
  return `(MegatronTrainRayActor pid=${process.pid}) [${logTime(Date.now())}] ${place}`
}

/**
 * Trains one rollout in place: as many optimizer steps as the batch holds global batches.
 * @param {Trainer} trainer
 * @param {LearnerState} state
 * @param {{ rolloutId: number, actorStep: number, trainActor: boolean, rollouts: import('../model/learner.mjs').Rollout[] }} job
 * @returns {Record<string, number>} metrics of the last step and of the rollout
 */
export function trainRollout(trainer, state, job) {
  const { runtime, base, log } = trainer
  const size = runtime.globalBatch ?? job.rollouts.length
  if (job.rollouts.length % size !== 0) {
    throw new Error(
      `${job.rollouts.length} external rollouts do not form complete global batches of ${size}`
    )
  }
  const prepared = prepareRollouts(base, job.rollouts)
  const { advantages, kl } = advantagesOf(base, state, prepared, runtime)
  const rollout = rolloutMetrics(state, prepared, advantages, kl)
  log.metrics(actorHead('train_metric_utils.py:135'), 'rollout', job.rolloutId, rollout)
  const steps = prepared.length / size
  /** @type {Record<string, number>} */
  let last = {}
  for (let index = 0; index < steps; index += 1) {
    const part = prepared.slice(index * size, (index + 1) * size)
    const number = job.rolloutId * steps + index
    last = {
      ...(runtime.family === 'sao' ? criticStep(trainer, state, part, number) : {}),
      ...actorStep(trainer, state, part, {
        number,
        trainActor: job.trainActor,
        advantages: advantages.slice(index * size, (index + 1) * size),
        broken: runtime.nanStep !== null && job.actorStep + index + 1 === runtime.nanStep
      })
    }
  }
  return { ...rollout, ...last, optimizer_steps: steps }
}

/**
 * @param {LearnerState} state
 * @param {readonly PreparedRollout[]} rollouts
 * @param {readonly number[]} advantages
 * @param {number} kl
 */
function rolloutMetrics(state, rollouts, advantages, kl) {
  const lengths = rollouts.map((rollout) => rollout.tokens.length)
  const prompts = rollouts.map((rollout) => rollout.prompt.split(/\s+/).length)
  const rewards = rollouts.map((rollout) => rollout.reward)
  return {
    'rollout/response_lengths': mean(lengths),
    'rollout/rewards': mean(rewards),
    'rollout/truncated': 0,
    'rollout/rollout_log_probs': mean(rollouts.map((rollout) => mean(rollout.logProbabilities))),
    'rollout/total_lengths': mean(lengths) + mean(prompts),
    'rollout/values': mean(rollouts.map((rollout) => valueOf(state.critic, rollout))),
    'rollout/kl': kl,
    'rollout/advantages': mean(advantages),
    'rollout/returns': mean(rewards)
  }
}

/**
 * The value baseline's own steps; answers its measurements under the names of the commit metrics.
 * @param {Trainer} trainer
 * @param {LearnerState} state
 * @param {readonly PreparedRollout[]} rollouts
 * @param {number} number
 */
function criticStep({ runtime, log }, state, rollouts, number) {
  const rewards = rollouts.map((rollout) => rollout.reward)
  const before = rollouts.map((rollout) => valueOf(state.critic, rollout))
  let loss = 0
  let norm = 0
  for (let pass = 0; pass < runtime.criticStepsPerActor; pass += 1) {
    const measured = criticGradient(state.critic, rollouts)
    if (pass === 0) loss = measured.loss
    norm = clipGradients(runtime.clipGrad, measured.gradient)
    adamUpdate(state.critic, measured.gradient, state.value, runtime.criticLr)
  }
  log.metrics(actorHead('model.py:918'), 'critic-step', number, {
    'train/critic-value_loss': loss,
    'train/critic-value_clipfrac': 0,
    'train/critic-grad_norm': norm,
    'train/critic-lr-pg_0': runtime.criticLr,
    'train/critic-global_batch_size': rollouts.length,
    'train/step': number
  })
  return {
    'train/critic-value_loss': loss,
    'train/critic-grad_norm': norm,
    'critic/explained_variance': explainedVariance(rewards, before),
    'sao/critic_updates': runtime.criticStepsPerActor
  }
}

/**
 * Share of the rewards' variance that the values explain; 0 at batch size 1.
 * @param {readonly number[]} rewards
 * @param {readonly number[]} values
 */
export function explainedVariance(rewards, values) {
  const errors = rewards.map((reward, index) => reward - values[index])
  const spread = mean(rewards.map((reward) => (reward - mean(rewards)) ** 2))
  if (spread === 0) return 0
  return 1 - mean(errors.map((error) => (error - mean(errors)) ** 2)) / spread
}

/**
 * @param {Trainer} trainer
 * @param {LearnerState} state
 * @param {readonly PreparedRollout[]} rollouts
 * @param {{ number: number, trainActor: boolean, advantages: readonly number[], broken: boolean }} step
 */
function actorStep({ runtime, base, log }, state, rollouts, step) {
  const advantages = step.broken ? step.advantages.map(() => Number.NaN) : step.advantages
  const { a, b, loss, sums } = actorGradients(base, state.adapter, rollouts, advantages, runtime)
  const norm = globalNorm(a, b)
  if (Number.isNaN(norm) && runtime.checkForNan) {
    throw new Error(
      "Unexpected result nan (message='found NaN in local grad norm for bucket #0 in backward pass " +
        "before data-parallel communication collective')"
    )
  }
  const update = step.trainActor && !Number.isNaN(norm)
  if (update) {
    clipGradients(runtime.clipGrad, a, b)
    adamUpdate(state.adapter.a, a, state.a, runtime.lr)
    adamUpdate(state.adapter.b, b, state.b, runtime.lr)
  }
  /** @type {Record<string, number>} */
  const metrics = {
    'train/loss': loss,
    'train/pg_loss': sums.pg,
    'train/entropy_loss': sums.entropy,
    'train/pg_clipfrac': sums.clipped,
    'train/ppo_kl': sums.kl,
    'train/train_rollout_logprob_abs_diff': sums.difference,
    'train/grad_norm': norm,
    'train/lr-pg_0': step.trainActor ? runtime.lr : 0,
    'train/global_batch_size': rollouts.length,
    'train/step': step.number
  }
  log.metrics(actorHead('model.py:918'), 'step', step.number, metrics)
  return { ...metrics, 'practice/actor_updated': update ? 1 : 0 }
}
