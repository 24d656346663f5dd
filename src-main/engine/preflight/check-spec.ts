import type { Check } from '../../contract/preflight'
import type { Text } from '../../contract/text'

/** What a check found: everything of `Check` but what the runner knows itself. */
export type Outcome = Omit<Check, 'id' | 'group' | 'title' | 'took' | 'judgement'> & {
  /** A fail that is a judgement may be overridden by typing why. Default false: the stack itself refuses. */
  judgement?: boolean
}

/** One question asked before a launch. `Context` is whatever the checks of one launch share. */
export interface CheckSpec<Context> {
  id: string
  group: Check['group']
  title: Text
  /** Milliseconds after which the answer is `unknown`. */
  deadline: number
  /** May throw: that too is `unknown`, with what was thrown as evidence. */
  run(context: Context, signal: AbortSignal): Promise<Outcome>
}

export function pass(evidence: Text): Outcome {
  return { verdict: 'pass', evidence }
}

/** The question does not arise here, and why. */
export function skip(evidence: Text): Outcome {
  return { verdict: 'skip', evidence }
}

/** Could not be found out. Never blocks a launch. */
export function unknown(evidence: Text, remedy?: Text): Outcome {
  return { verdict: 'unknown', evidence, ...(remedy === undefined ? {} : { remedy }) }
}
