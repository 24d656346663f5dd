/**
 * The policy: a frozen base (a rotation of the prompt's features, then a readout to tokens) and a
 * low-rank adapter on the readout, `readout + (alpha / rank) · B · A`, as in LoRA. Only the adapter
 * learns.
 */
import { createHash } from 'node:crypto'
import { dot, featuresAt, HIDDEN, hintFor, readPrompt, rotation, VOCABULARY } from './features.mjs'
import { RandomStream } from './random.mjs'

const TOKENS = VOCABULARY.length
/** Logit that keeps tokens outside the format out of reach, as a base that knows the format does. */
const FORMAT_PENALTY = -12
/** Set so that the base answers about a quarter of the tasks right at temperature 0. */
const NOISE = 0.3
const HINT = 0.09

/** @typedef {{ rotation: Float32Array, readout: Float32Array }} Base */
/** @typedef {{ rank: number, alpha: number, a: Float64Array, b: Float64Array }} Adapter */
/** @typedef {{ tokens: number[], text: string, logProbabilities: number[] }} Answer */

/**
 * The frozen base of a seed: noise, and a weak knowledge of the tasks, as a pretrained model has.
 * @param {string | number} seed
 * @returns {Base}
 */
export function createBase(seed) {
  const random = new RandomStream(`${seed}/base/readout`)
  const turned = rotation(`${seed}/base/rotation`)
  const readout = Float64Array.from({ length: TOKENS * HIDDEN }, () => NOISE * random.normal())
  for (let token = 0; token < TOKENS; token += 1) {
    const known = hintFor(token)
    for (let row = 0; row < HIDDEN; row += 1) {
      const hint = dot(known, turned.subarray(row * HIDDEN, (row + 1) * HIDDEN))
      readout[token * HIDDEN + row] += HINT * hint
    }
  }
  return { rotation: Float32Array.from(turned), readout: Float32Array.from(readout) }
}

/**
 * SHA-256 over the base weights, to prove that training leaves them alone.
 * @param {Base} base
 * @returns {string} 64 hex digits
 */
export function baseDigest(base) {
  const hash = createHash('sha256')
  for (const weights of [base.rotation, base.readout]) {
    hash.update(Buffer.from(weights.buffer, weights.byteOffset, weights.byteLength))
  }
  return hash.digest('hex')
}

/**
 * A fresh adapter: A random, B zero, so that it changes nothing yet.
 * @param {string | number} name
 * @param {number} rank
 * @param {number} alpha
 * @returns {Adapter}
 */
export function createAdapter(name, rank, alpha) {
  const random = new RandomStream(`${name}/adapter`)
  return {
    rank,
    alpha,
    a: Float64Array.from({ length: rank * HIDDEN }, () => random.normal() / Math.sqrt(HIDDEN)),
    b: new Float64Array(TOKENS * rank)
  }
}

/**
 * @param {Adapter} adapter
 * @returns {Adapter}
 */
export function copyAdapter(adapter) {
  return { ...adapter, a: Float64Array.from(adapter.a), b: Float64Array.from(adapter.b) }
}

/**
 * The number nearest to `value` in bfloat16, the precision inference engines serve in. The trainer
 * keeps full precision; the difference is what `train_rollout_logprob_abs_diff` measures.
 * @param {number} value
 */
export function toBfloat16(value) {
  scratch.setFloat32(0, value)
  const bits = scratch.getUint32(0)
  const rounded = (bits + 0x7fff + ((bits >>> 16) & 1)) & 0xffff0000
  scratch.setUint32(0, rounded >>> 0)
  return scratch.getFloat32(0)
}
const scratch = new DataView(new ArrayBuffer(4))

/**
 * The adapter as an inference engine holds it.
 * @param {Adapter} adapter
 * @returns {Adapter}
 */
export function servedAdapter(adapter) {
  return { ...adapter, a: adapter.a.map(toBfloat16), b: adapter.b.map(toBfloat16) }
}

/**
 * @param {Base} base
 * @param {Float64Array} features
 * @returns {Float64Array} hidden state
 */
export function hiddenState(base, features) {
  const hidden = new Float64Array(HIDDEN)
  for (let row = 0; row < HIDDEN; row += 1) {
    hidden[row] = dot(features, base.rotation.subarray(row * HIDDEN, (row + 1) * HIDDEN))
  }
  return hidden
}

/**
 * @param {Base} base
 * @param {Adapter} adapter
 * @param {Float64Array} hidden
 * @param {readonly number[]} allowed
 * @returns {{ logits: Float64Array, low: Float64Array }} `low` is A · hidden
 */
export function logitsOf(base, adapter, hidden, allowed) {
  const { rank } = adapter
  const scale = adapter.alpha / rank
  const low = new Float64Array(rank)
  for (let row = 0; row < rank; row += 1) {
    low[row] = dot(hidden, adapter.a.subarray(row * HIDDEN, (row + 1) * HIDDEN))
  }
  const logits = new Float64Array(TOKENS).fill(FORMAT_PENALTY)
  for (const token of allowed) logits[token] = 0
  for (let token = 0; token < TOKENS; token += 1) {
    const row = base.readout.subarray(token * HIDDEN, (token + 1) * HIDDEN)
    const raised = adapter.b.subarray(token * rank, (token + 1) * rank)
    logits[token] += dot(hidden, row) + scale * dot(low, raised)
  }
  return { logits, low }
}

/**
 * @param {Float64Array} logits
 * @returns {Float64Array}
 */
export function softmax(logits) {
  let peak = -Infinity
  for (const logit of logits) peak = Math.max(peak, logit)
  const weights = logits.map((logit) => Math.exp(logit - peak))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  return weights.map((weight) => weight / total)
}

/** @param {Float64Array} values */
function largest(values) {
  let best = 0
  for (let index = 1; index < values.length; index += 1) {
    if (values[index] > values[best]) best = index
  }
  return best
}

/**
 * @param {Float64Array} logits
 * @param {number} temperature
 * @param {RandomStream} random
 */
function chooseToken(logits, temperature, random) {
  if (temperature <= 0) return largest(logits)
  const probabilities = softmax(logits.map((logit) => logit / temperature))
  let left = random.next()
  for (let token = 0; token < probabilities.length; token += 1) {
    left -= probabilities[token]
    if (left < 0) return token
  }
  return largest(logits)
}

/**
 * Answers a prompt. At temperature 0 the same weights give the same answer, always.
 * @param {Base} base
 * @param {Adapter} adapter
 * @param {string} prompt
 * @param {{ temperature: number, random: RandomStream, maxTokens?: number }} options
 * @returns {Answer} log probabilities are those of the policy at temperature 1, in nats
 */
export function answerPrompt(base, adapter, prompt, options) {
  const reading = readPrompt(prompt)
  const length = Math.min(reading.length, options.maxTokens ?? reading.length)
  const tokens = []
  const logProbabilities = []
  for (let position = 0; position < length; position += 1) {
    const hidden = hiddenState(base, featuresAt(reading, tokens, position))
    const { logits } = logitsOf(base, adapter, hidden, reading.allowed)
    const token = chooseToken(logits, options.temperature, options.random)
    logProbabilities.push(Math.log(softmax(logits)[token]))
    tokens.push(token)
  }
  return { tokens, text: tokens.map((token) => VOCABULARY[token]).join(''), logProbabilities }
}
