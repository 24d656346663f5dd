/**
 * How the frozen base reads a prompt: a fixed, unlearned reading of the text into numbers. It sees
 * numbers as phases on a circle and pairs of them as products (trained transformers are known to do
 * modular sums this way), a word as its letters by place, and a sequence by position and last signs.
 * What none of it holds is the answer: which of these numbers matter, and for what, is learned.
 */
import { hashText, RandomStream } from './random.mjs'
import { LETTERS } from './tasks.mjs'

export const HIDDEN = 64
export const VOCABULARY = [...'0123456789', ...LETTERS, '+', '-']

/** @typedef {'modular' | 'letters' | 'labs' | 'other'} PromptKind */
/** @typedef {{ kind: PromptKind, first: Float64Array, length: number, allowed: readonly number[] }} Reading */

const DIGITS = VOCABULARY.map((_, index) => index).slice(0, 10)
const LETTER_TOKENS = VOCABULARY.map((_, index) => index).slice(10, 20)
const SIGNS = VOCABULARY.map((_, index) => index).slice(20, 22)

/** First place of the features that hold nothing of use: what else there is in a text. */
const NOISE_FROM = 44
const NOISE_AMPLITUDE = 0.8

/**
 * @param {Float64Array} into
 * @param {string} text
 */
function readNoise(into, text) {
  const random = new RandomStream(text)
  for (let place = NOISE_FROM; place < HIDDEN; place += 1) {
    into[place] = random.next() < 0.5 ? -NOISE_AMPLITUDE : NOISE_AMPLITUDE
  }
}

/**
 * @param {Float64Array} into
 * @param {number} a
 * @param {number} b
 */
function readSum(into, a, b) {
  let place = 0
  for (let wave = 1; wave <= 5; wave += 1) {
    const phaseA = (2 * Math.PI * wave * a) / 10
    const phaseB = (2 * Math.PI * wave * b) / 10
    const pairs = [
      Math.cos(phaseA) * Math.cos(phaseB),
      Math.cos(phaseA) * Math.sin(phaseB),
      Math.sin(phaseA) * Math.cos(phaseB),
      Math.sin(phaseA) * Math.sin(phaseB)
    ]
    for (const value of pairs) into[place++] = 2 * value
  }
  into[40] = 1
}

/**
 * @param {Float64Array} into
 * @param {string} word
 */
function readWord(into, word) {
  const letters = [...word].reverse().slice(0, 3)
  letters.forEach((letter, place) => {
    const index = LETTERS.indexOf(letter)
    if (index >= 0) into[place * LETTERS.length + index] = 2
  })
  into[40] = 1
}

/**
 * @param {Float64Array} into
 * @param {string} text
 */
function readAnything(into, text) {
  for (const word of text.toLowerCase().split(/[^\p{L}\p{N}]+/u)) {
    if (word !== '') into[hashText(word) % HIDDEN] += 1
  }
  into[HIDDEN - 1] = 1
}

/**
 * Reads a prompt: its kind, the features of the first token, how many tokens to answer with and
 * which tokens the format allows (the base knows the format, not the answer).
 * @param {string} prompt
 * @returns {Reading}
 */
export function readPrompt(prompt) {
  const first = new Float64Array(HIDDEN)
  const sum = /\((\d+) \+ (\d+)\) mod 10\b/.exec(prompt)
  if (sum !== null) {
    readSum(first, Number(sum[1]) % 10, Number(sum[2]) % 10)
    readNoise(first, sum[0])
    return { kind: 'modular', first, length: 1, allowed: DIGITS }
  }
  const word = /last letter of the word "([a-j]+)"/.exec(prompt)
  if (word !== null) {
    readWord(first, word[1] ?? '')
    readNoise(first, word[0])
    return { kind: 'letters', first, length: 1, allowed: LETTER_TOKENS }
  }
  const signs = /sequence of (\d+) signs/.exec(prompt)
  if (signs !== null) {
    const length = Math.max(1, Math.min(30, Number(signs[1])))
    readPosition(first, 0, [])
    return { kind: 'labs', first, length, allowed: SIGNS }
  }
  readAnything(first, prompt)
  return { kind: 'other', first, length: 1, allowed: [...DIGITS, ...LETTER_TOKENS] }
}

/**
 * @param {Float64Array} into
 * @param {number} position
 * @param {readonly number[]} tokens
 */
function readPosition(into, position, tokens) {
  into[position] = 1.5
  const last = tokens[position - 1]
  if (last !== undefined) into[30 + position] = last === SIGNS[0] ? 1.5 : -1.5
}

/**
 * Features before rotation at one position of an answer.
 * @param {Reading} reading
 * @param {readonly number[]} tokens the answer so far, at least `position` tokens
 * @param {number} position
 * @returns {Float64Array}
 */
export function featuresAt(reading, tokens, position) {
  if (position === 0) return reading.first
  const features = new Float64Array(HIDDEN)
  readPosition(features, position, tokens)
  return features
}

/**
 * The direction of the feature space that speaks for a token: all of it would be the right answer.
 * @param {number} token
 * @returns {Float64Array}
 */
export function hintFor(token) {
  const hint = new Float64Array(HIDDEN)
  if (token < 10) {
    for (let wave = 1; wave <= 5; wave += 1) {
      const phase = (2 * Math.PI * wave * token) / 10
      const place = (wave - 1) * 4
      hint[place] = Math.cos(phase)
      hint[place + 1] = Math.sin(phase)
      hint[place + 2] = Math.sin(phase)
      hint[place + 3] = -Math.cos(phase)
    }
  } else if (token < 20) hint[token - 10] = 6
  return hint
}

/**
 * A random rotation of the hidden space: columns are orthonormal (Gram–Schmidt).
 * @param {string} name
 * @returns {Float64Array} HIDDEN × HIDDEN, row after row
 */
export function rotation(name) {
  const random = new RandomStream(name)
  const matrix = new Float64Array(HIDDEN * HIDDEN)
  for (let row = 0; row < HIDDEN; row += 1) {
    const vector = Float64Array.from({ length: HIDDEN }, () => random.normal())
    for (let before = 0; before < row; before += 1) {
      const other = matrix.subarray(before * HIDDEN, (before + 1) * HIDDEN)
      const overlap = dot(vector, other)
      for (let column = 0; column < HIDDEN; column += 1) vector[column] -= overlap * other[column]
    }
    const norm = Math.sqrt(dot(vector, vector))
    for (let column = 0; column < HIDDEN; column += 1) {
      matrix[row * HIDDEN + column] = vector[column] / norm
    }
  }
  return matrix
}

/**
 * @param {ArrayLike<number>} a
 * @param {ArrayLike<number>} b
 */
export function dot(a, b) {
  let sum = 0
  for (let index = 0; index < a.length; index += 1) sum += a[index] * b[index]
  return sum
}
