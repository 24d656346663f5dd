/**
 * The verifiable tasks of the practice stack, posed as plain text. The policy sees the text only;
 * the verifier sees text and answer.
 *
 * - `modular`: the last digit of a sum, `(a + b) mod 10`.
 * - `letters`: the last letter of a made-up word.
 * - `labs`: low-autocorrelation binary sequences: find signs with a high merit factor
 *   (Golay 1972). One problem, a real-valued score: the task of the TTTD mode.
 */
import { RandomStream } from './random.mjs'

/** @typedef {'modular' | 'letters' | 'labs'} TaskName */
/** @typedef {{ id: string, task: TaskName, prompt: string, answer: string | null, length: number }} Task */

/** @type {readonly TaskName[]} */
export const TASK_NAMES = ['modular', 'letters', 'labs']

export const LETTERS = 'abcdefghij'
const MODULUS = 10
/** Signs of one `labs` answer; the best known merit factor at 24 is 8.0. */
export const SEQUENCE_LENGTH = 24

/** @param {RandomStream} random */
function modularTask(random) {
  const a = random.integer(100)
  const b = random.integer(100)
  return {
    prompt: `What is (${a} + ${b}) mod ${MODULUS}? Answer with one digit.`,
    answer: String((a + b) % MODULUS),
    length: 1
  }
}

/** @param {RandomStream} random */
function lettersTask(random) {
  const size = 4 + random.integer(5)
  let word = ''
  for (let index = 0; index < size; index += 1) word += LETTERS[random.integer(LETTERS.length)]
  return {
    prompt: `What is the last letter of the word "${word}"? Answer with one letter.`,
    answer: word.slice(-1),
    length: 1
  }
}

function sequenceTask() {
  return {
    prompt:
      `Find a sequence of ${SEQUENCE_LENGTH} signs with a high merit factor. ` +
      `Answer with ${SEQUENCE_LENGTH} characters, each + or -.`,
    answer: null,
    length: SEQUENCE_LENGTH
  }
}

/**
 * Endless tasks of one kind. Streams with different `split` share no random numbers.
 * @param {TaskName} task
 * @param {string} name seed and split, e.g. `7/train`
 * @returns {Generator<Task, never, void>}
 */
export function* taskStream(task, name) {
  const random = new RandomStream(`${name}/${task}`)
  for (let number = 0; ; number += 1) {
    const id = `${name}/${task}/${number}`
    if (task === 'modular') yield { id, task, ...modularTask(random) }
    else if (task === 'letters') yield { id, task, ...lettersTask(random) }
    else yield { id, task, ...sequenceTask() }
  }
}

/**
 * The first tasks of a stream.
 * @param {TaskName} task
 * @param {string} name
 * @param {number} count
 * @returns {Task[]}
 */
export function firstTasks(task, name, count) {
  const stream = taskStream(task, name)
  return Array.from({ length: count }, () => stream.next().value)
}

/**
 * Merit factor of a sequence of signs: n² / (2 · sum of squared off-peak autocorrelations).
 * @param {string} signs `+` and `-`
 * @returns {number} 0 for anything that is not a whole sequence
 */
export function meritFactor(signs) {
  if (!/^[+-]+$/.test(signs)) return 0
  const values = [...signs].map((sign) => (sign === '+' ? 1 : -1))
  let energy = 0
  for (let shift = 1; shift < values.length; shift += 1) {
    let correlation = 0
    for (let index = 0; index + shift < values.length; index += 1) {
      correlation += values[index] * values[index + shift]
    }
    energy += correlation * correlation
  }
  return energy === 0 ? 0 : (values.length * values.length) / (2 * energy)
}

/**
 * Score of an answer: 0 or 1 for tasks with one right answer, the merit factor for `labs`.
 * @param {Task} task
 * @param {string} answer
 * @returns {number}
 */
export function scoreAnswer(task, answer) {
  const text = answer.trim()
  if (task.answer !== null) return text === task.answer ? 1 : 0
  return text.length === task.length ? meritFactor(text) : 0
}
