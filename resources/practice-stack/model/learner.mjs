/**
 * The learner: policy gradient with importance ratios against the policy that answered, asymmetric
 * clipping and a learned value baseline (SAO), or with a group's own mean as baseline (TTTD).
 * Gradients are written out by hand; a test compares them with finite differences.
 */
import { dot, featuresAt, HIDDEN, readPrompt } from './features.mjs'
import { hiddenState, logitsOf, softmax } from './policy.mjs'

/** @typedef {import('./policy.mjs').Base} Base */
/** @typedef {import('./policy.mjs').Adapter} Adapter */
/** @typedef {{ prompt: string, tokens: number[], logProbabilities: number[], reward: number, group?: number }} Rollout */
/** @typedef {{ lr: number, criticLr: number, epsClip: number, epsClipHigh: number, entropyCoef: number, klCoef: number, clipGrad: number, criticStepsPerActor: number }} Settings */
/** @typedef {{ step: number, mean: Float64Array, square: Float64Array }} Moments */
/** @typedef {{ adapter: Adapter, critic: Float64Array, a: Moments, b: Moments, value: Moments }} LearnerState */

const BETA_1 = 0.9
const BETA_2 = 0.98
const EPSILON = 1e-8

/** @param {number} size @returns {Moments} */
function zeroMoments(size) {
  return { step: 0, mean: new Float64Array(size), square: new Float64Array(size) }
}

/**
 * @param {Adapter} adapter
 * @returns {LearnerState}
 */
export function createLearnerState(adapter) {
  return {
    adapter,
    critic: new Float64Array(HIDDEN),
    a: zeroMoments(adapter.a.length),
    b: zeroMoments(adapter.b.length),
    value: zeroMoments(HIDDEN)
  }
}

/**
 * One Adam update in place.
 * @param {Float64Array} weights
 * @param {Float64Array} gradient
 * @param {Moments} moments
 * @param {number} lr
 */
export function adamUpdate(weights, gradient, moments, lr) {
  moments.step += 1
  const correct1 = 1 - BETA_1 ** moments.step
  const correct2 = 1 - BETA_2 ** moments.step
  for (let index = 0; index < weights.length; index += 1) {
    const slope = gradient[index]
    moments.mean[index] = BETA_1 * moments.mean[index] + (1 - BETA_1) * slope
    moments.square[index] = BETA_2 * moments.square[index] + (1 - BETA_2) * slope * slope
    const spread = Math.sqrt(moments.square[index] / correct2) + EPSILON
    weights[index] -= (lr * (moments.mean[index] / correct1)) / spread
  }
}

/** @param {ArrayLike<number>[]} gradients */
export function globalNorm(...gradients) {
  let sum = 0
  for (const gradient of gradients) sum += dot(gradient, gradient)
  return Math.sqrt(sum)
}

/**
 * Scales gradients so that their common norm is at most `limit`; answers the norm before.
 * @param {number} limit
 * @param {Float64Array[]} gradients
 */
export function clipGradients(limit, ...gradients) {
  const norm = globalNorm(...gradients)
  if (norm > limit) {
    for (const gradient of gradients) {
      for (let index = 0; index < gradient.length; index += 1) gradient[index] *= limit / norm
    }
  }
  return norm
}

/**
 * The rollouts with hidden states, ready for gradients.
 * @param {Base} base
 * @param {readonly Rollout[]} rollouts
 */
export function prepareRollouts(base, rollouts) {
  return rollouts.map((rollout) => {
    const reading = readPrompt(rollout.prompt)
    const hidden = rollout.tokens.map((_, position) =>
      hiddenState(base, featuresAt(reading, rollout.tokens, position))
    )
    return { ...rollout, allowed: reading.allowed, hidden }
  })
}

/** @typedef {ReturnType<typeof prepareRollouts>[number]} PreparedRollout */

/**
 * Loss, gradients and measurements of the actor for one batch. Every rollout weighs the same, each
 * of its tokens the same within it.
 * @param {Base} base
 * @param {Adapter} adapter
 * @param {readonly PreparedRollout[]} rollouts
 * @param {readonly number[]} advantages one a rollout
 * @param {Pick<Settings, 'epsClip' | 'epsClipHigh' | 'entropyCoef'>} settings
 */
export function actorGradients(base, adapter, rollouts, advantages, settings) {
  const readout = new Float64Array((adapter.b.length / adapter.rank) * HIDDEN)
  const sums = { pg: 0, entropy: 0, clipped: 0, kl: 0, difference: 0 }
  rollouts.forEach((rollout, index) => {
    const weight = 1 / (rollouts.length * rollout.tokens.length)
    rollout.tokens.forEach((token, position) => {
      const hidden = rollout.hidden[position]
      const { logits } = logitsOf(base, adapter, hidden, rollout.allowed)
      const slope = tokenSlope(softmax(logits), token, {
        old: rollout.logProbabilities[position],
        advantage: advantages[index],
        weight,
        sums,
        settings
      })
      for (let row = 0; row < slope.length; row += 1) {
        for (let column = 0; column < HIDDEN; column += 1) {
          readout[row * HIDDEN + column] += slope[row] * hidden[column]
        }
      }
    })
  })
  const loss = sums.pg - settings.entropyCoef * sums.entropy
  return { ...lowRankGradients(adapter, readout), loss, sums }
}

/**
 * Slope of the loss by the logits of one token; adds its share to the sums.
 * @param {Float64Array} probabilities
 * @param {number} token
 * @param {{ old: number, advantage: number, weight: number, sums: Record<string, number>, settings: Pick<Settings, 'epsClip' | 'epsClipHigh' | 'entropyCoef'> }} context
 */
function tokenSlope(probabilities, token, { old, advantage, weight, sums, settings }) {
  const now = Math.log(probabilities[token])
  const ratio = Math.exp(now - old)
  const bounded = Math.min(Math.max(ratio, 1 - settings.epsClip), 1 + settings.epsClipHigh)
  const clipped = bounded * advantage < ratio * advantage
  let entropy = 0
  for (const probability of probabilities) {
    if (probability > 0) entropy -= probability * Math.log(probability)
  }
  sums.pg -= weight * Math.min(ratio * advantage, bounded * advantage)
  sums.entropy += weight * entropy
  sums.clipped += clipped ? weight : 0
  sums.kl += weight * (old - now)
  sums.difference += weight * Math.abs(old - now)
  const push = clipped ? 0 : ratio * advantage
  return probabilities.map((probability, row) => {
    const towards = (row === token ? 1 : 0) - probability
    const logarithm = probability > 0 ? Math.log(probability) : 0
    const entropySlope = -probability * (logarithm + entropy)
    return -weight * (push * towards + settings.entropyCoef * entropySlope)
  })
}

/**
 * Gradient of the adapter's factors from the gradient of the whole readout.
 * @param {Adapter} adapter
 * @param {Float64Array} readout
 */
function lowRankGradients(adapter, readout) {
  const { rank } = adapter
  const scale = adapter.alpha / rank
  const a = new Float64Array(adapter.a.length)
  const b = new Float64Array(adapter.b.length)
  for (let token = 0; token < adapter.b.length / rank; token += 1) {
    const slope = readout.subarray(token * HIDDEN, (token + 1) * HIDDEN)
    for (let row = 0; row < rank; row += 1) {
      const factor = adapter.a.subarray(row * HIDDEN, (row + 1) * HIDDEN)
      b[token * rank + row] = scale * dot(slope, factor)
      const raised = scale * adapter.b[token * rank + row]
      for (let column = 0; column < HIDDEN; column += 1) {
        a[row * HIDDEN + column] += raised * slope[column]
      }
    }
  }
  return { a, b }
}

/**
 * Value of a rollout's prompt, in reward.
 * @param {Float64Array} critic
 * @param {PreparedRollout} rollout
 */
export function valueOf(critic, rollout) {
  return dot(critic, rollout.hidden[0])
}

/**
 * Squared error of the critic and its gradient.
 * @param {Float64Array} critic
 * @param {readonly PreparedRollout[]} rollouts
 */
export function criticGradient(critic, rollouts) {
  const gradient = new Float64Array(HIDDEN)
  let loss = 0
  for (const rollout of rollouts) {
    const error = valueOf(critic, rollout) - rollout.reward
    loss += (0.5 * error * error) / rollouts.length
    for (let column = 0; column < HIDDEN; column += 1) {
      gradient[column] += (error * rollout.hidden[0][column]) / rollouts.length
    }
  }
  return { gradient, loss }
}

/**
 * Advantages of a batch: reward above the critic's value, or above the group's mean reward when the
 * rollouts carry groups. With a KL coefficient the distance from the frozen base costs reward.
 * @param {Base} base
 * @param {LearnerState} state
 * @param {readonly PreparedRollout[]} rollouts
 * @param {Pick<Settings, 'klCoef'>} settings
 * @returns {{ advantages: number[], kl: number }} kl: mean nats a token against the base
 */
export function advantagesOf(base, state, rollouts, settings) {
  const kls = rollouts.map((rollout) =>
    settings.klCoef > 0 ? divergenceFromBase(base, state.adapter, rollout) : 0
  )
  const rewards = rollouts.map((rollout, index) => rollout.reward - settings.klCoef * kls[index])
  const kl = kls.reduce((sum, value) => sum + value, 0) / rollouts.length
  const advantages = rollouts.map((rollout, index) => {
    if (rollout.group === undefined) return rewards[index] - valueOf(state.critic, rollout)
    const peers = rewards.filter((_, other) => rollouts[other].group === rollout.group)
    const mean = peers.reduce((sum, value) => sum + value, 0) / peers.length
    const spread = Math.sqrt(
      peers.reduce((sum, value) => sum + (value - mean) ** 2, 0) / peers.length
    )
    return spread < 1e-9 ? 0 : (rewards[index] - mean) / spread
  })
  return { advantages, kl }
}

/**
 * Mean log ratio of the answer's tokens between policy and frozen base.
 * @param {Base} base
 * @param {Adapter} adapter
 * @param {PreparedRollout} rollout
 */
function divergenceFromBase(base, adapter, rollout) {
  const none = { ...adapter, b: new Float64Array(adapter.b.length) }
  let sum = 0
  rollout.tokens.forEach((token, position) => {
    const hidden = rollout.hidden[position]
    const now = softmax(logitsOf(base, adapter, hidden, rollout.allowed).logits)[token]
    const before = softmax(logitsOf(base, none, hidden, rollout.allowed).logits)[token]
    sum += Math.log(now) - Math.log(before)
  })
  return sum / rollout.tokens.length
}
