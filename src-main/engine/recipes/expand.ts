/** What became of the references inside one text. */
export interface Expansion {
  text: string
  environment: { name: string; set: 'set' | 'empty' | 'missing' }[]
  /** Public paths the text takes its content from. */
  references: string[]
  problems: ExpansionProblem[]
}

export type ExpansionProblem =
  | { kind: 'unknown-reference'; name: string }
  | { kind: 'loop'; name: string }
  | { kind: 'too-long'; name: string }
  | { kind: 'required'; name: string }
  | { kind: 'shell-default'; name: string }

export interface ExpansionSource {
  /** Undefined: not set. */
  environment(name: string): string | undefined
  /** Text of another field, itself expanded; undefined when there is none. */
  reference(path: string): Expansion | 'unknown' | 'loop'
}

/** A reference chain may double with every link; beyond this the text is cut and reported. */
export const LONGEST_EXPANSION = 65_536
/** References that lead to references; more would exhaust the stack. */
const DEEPEST_CHAIN = 100
/** Characters all references of one recipe may stand for together. */
const MOST_EXPANDED = 4_000_000
/** References in one text; what follows them is reported and left out. */
const MOST_REFERENCES = 200

/** Bounds what one recipe's references may unfold into, however they are chained. */
export class ExpansionBudget {
  private depth = 0
  private spent = 0

  /** Runs one step of a chain; null where the chain is too long or has unfolded too much already. */
  step<Result extends { text: string; references: readonly string[] }>(
    work: () => Result
  ): Result | null {
    if (this.depth >= DEEPEST_CHAIN || this.spent > MOST_EXPANDED) return null
    this.depth += 1
    const result = work()
    this.depth -= 1
    if (result.references.length > 0) this.spent += result.text.length
    return result
  }
}

const ENVIRONMENT = /\$\{(\w+)(:\?)?\}/g
const CONFIG = /\$\{([A-Za-z_][\w-]*(?:\.[\w-]+)+)\}/g
/** The default is bounded, so that a long text of opened braces is not searched to its end at each of them. */
const SHELL_DEFAULT = /\$\{(\w+)(?::-|:\+|-|\+|:=)[^}]{0,200}\}/g

/**
 * Reef's two passes (reef/service/deploy/config_utils.py, docs/reference/configuration.rst): bare words are environment
 * names and empty when unset, dotted paths are other fields. `{rollout_id}` and `{host}` carry no dollar and stay.
 */
export function expand(raw: string, source: ExpansionSource): Expansion {
  const result: Expansion = { text: raw, environment: [], references: [], problems: [] }
  if (!raw.includes('${')) return result
  result.text = raw
    .replace(ENVIRONMENT, (match, name: string, required: string | undefined) =>
      environmentText({ match, name, required: required !== undefined }, source, result)
    )
    .replace(CONFIG, (match, path: string) => referenceText(match, path, source, result))
  for (const match of raw.matchAll(SHELL_DEFAULT)) {
    result.problems.push({ kind: 'shell-default', name: match[0] })
  }
  if (result.text.length > LONGEST_EXPANSION) {
    result.problems.push({ kind: 'too-long', name: raw.slice(0, 60) })
    result.text = result.text.slice(0, LONGEST_EXPANSION)
  }
  return result
}

function environmentText(
  use: { match: string; name: string; required: boolean },
  source: ExpansionSource,
  result: Expansion
): string {
  // The launcher itself supplies this one: its own interpreter.
  if (use.name === 'REEF_PYTHON') return use.match
  const value = source.environment(use.name)
  const set = value === undefined ? 'missing' : value.trim() === '' ? 'empty' : 'set'
  result.environment.push({ name: use.name, set })
  if (use.required && set !== 'set') result.problems.push({ kind: 'required', name: use.name })
  return value ?? ''
}

function referenceText(
  match: string,
  path: string,
  source: ExpansionSource,
  result: Expansion
): string {
  if (result.references.length >= MOST_REFERENCES) {
    if (!result.problems.some((one) => one.kind === 'too-long'))
      result.problems.push({ kind: 'too-long', name: path })
    return ''
  }
  result.references.push(path)
  const target = source.reference(path)
  if (target === 'unknown' || target === 'loop') {
    result.problems.push({
      kind: target === 'loop' ? 'loop' : 'unknown-reference',
      name: path
    })
    return match
  }
  for (const use of target.environment) {
    if (!result.environment.some((known) => known.name === use.name)) result.environment.push(use)
  }
  return target.text
}
