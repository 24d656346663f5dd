/** What a batch measures before the trainer sees it: the preparer's, SAO's and TTTD's metrics. */
import { mean } from './training-step.mjs'

/** @typedef {import('./batches.mjs').Batch} Batch */

/**
 * @param {Batch} batch
 * @param {import('../config/runtime.mjs').Runtime} runtime
 * @param {number} step TTTD step of the batch
 * @param {number} best best score so far, this batch included
 * @returns {Record<string, number>}
 */
export function batchMetrics(batch, runtime, step, best) {
  const common = {
    epochs: 1,
    dropped_rollouts: batch.dropped.length,
    partial_step_rollouts: 0
  }
  return runtime.family === 'tttd'
    ? { ...common, ...gridMetrics(batch, step), 'practice/best_so_far': best }
    : { ...common, ...streamMetrics(batch) }
}

/** @param {Batch} batch */
function streamMetrics(batch) {
  const now = Date.now() / 1000
  const ages = batch.rollouts.map((item) => now - item.report.createdAt)
  const total = batch.rollouts.length + batch.dropped.length
  return {
    'sao/policy_lag_max': Math.max(...batch.lags),
    'sao/policy_lag_mean': mean(batch.lags),
    'sao/queue_age_s_max': Math.max(...ages),
    'sao/queue_age_s_mean': mean(ages),
    'sao/effective_token_rate': batch.rollouts.length / total
  }
}

/**
 * @param {Batch} batch
 * @param {number} step
 */
function gridMetrics(batch, step) {
  const scores = batch.rollouts.map((item) => item.report.score ?? 0)
  /** @type {Map<number, number[]>} */
  const groups = new Map()
  batch.rollouts.forEach((item, index) => {
    const group = item.group ?? 0
    groups.set(group, [...(groups.get(group) ?? []), scores[index]])
  })
  const constant = [...groups.values()].filter((values) =>
    values.every((value) => value === values[0])
  )
  return {
    'tttd/step': step,
    'tttd/reward_min': Math.min(...scores),
    'tttd/reward_max': Math.max(...scores),
    'tttd/reward_mean': mean(scores),
    'tttd/reward_std': Math.sqrt(mean(scores.map((score) => (score - mean(scores)) ** 2))),
    'tttd/reward_zero_fraction': mean(scores.map((score) => (score === 0 ? 1 : 0))),
    'tttd/constant_groups': constant.length,
    'tttd/constant_groups_removed': 0,
    'tttd/grid_groups': groups.size,
    'tttd/grid_rollouts': scores.length,
    'tttd/training_groups': groups.size,
    'tttd/training_rollouts': scores.length
  }
}
