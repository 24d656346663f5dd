import type { Row } from '../model'
import { readPythonDict } from '../python-literal'

/** Newer Trainers print their numbers as text: `'loss': '0.5'`. */
const QUOTED = /(: )'([+-]?(?:\d[\d.]*(?:e[+-]?\d+)?|nan|inf))'(?=[,}])/gi
const STEP_KEYS = ['step', 'global_step']
/** Keys of lines that tell of an evaluation or of the whole training, and not of a step of their own. */
const BESIDE = /^(?:eval_|test_|train_)/
const BRACE = 123
const QUOTE = 39

/**
 * The lines that the HF Trainer prints of what it logs: `{'loss': 0.5, 'learning_rate': 1e-05, 'epoch': 0.01}`. They
 * name no step unless a callback adds one, so that the lines of training are counted from 0; an evaluation stands at the
 * line before it.
 */
export class TrainerLines {
  private logged = 0

  /** Whether a line may be one: cheap, for it is asked of every line. */
  static mayBe(bytes: Buffer, from: number): boolean {
    return bytes[from] === BRACE && bytes[from + 1] === QUOTE
  }

  /** @returns null for a dict of something else: the Trainer always says the epoch. `at` in Unix milliseconds. */
  read(line: string, at: number): Row | null {
    const text = line.replace(QUOTED, '$1$2').trimEnd()
    const { keys, values, complete, end } = readPythonDict(text, 0)
    if (!complete || end !== text.length) return null
    const numbers = new Map(keys.map((key, i) => [key, values[i] ?? Number.NaN]))
    const step = STEP_KEYS.map((key) => numbers.get(key)).find((x) => x !== undefined)
    if (step === undefined && !numbers.has('epoch')) return null
    for (const key of STEP_KEYS) numbers.delete(key)
    const told = [...numbers.keys()].filter((key) => key !== 'epoch')
    if (told.length === 0) return null
    const x = step ?? (told.every((key) => BESIDE.test(key)) ? this.newest() : this.logged++)
    return { axis: 'step', x, at, keys: [...numbers.keys()], values: [...numbers.values()] }
  }

  private newest(): number {
    return Math.max(0, this.logged - 1)
  }
}
