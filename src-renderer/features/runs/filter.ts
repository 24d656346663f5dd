import type { RunSummary } from '@contract/run'
import { isActive, needsAttention, wordOf } from './attempt-state'

export type Filter =
  | { kind: 'ok'; matches: (run: RunSummary) => boolean }
  /** A `name:value` whose name is no field. */
  | { kind: 'bad-field'; word: string }

type Test = (run: RunSummary) => boolean

const has = (text: string | null, part: string): boolean =>
  text !== null && text.toLowerCase().includes(part)

const fields: Record<string, (value: string) => Test> = {
  state: (value) => (run) =>
    run.state.kind === value || (value === 'running' && isActive(run.state)) || doneIs(run, value),
  tag: (value) => (run) => run.tags.some((tag) => has(tag, value)),
  recipe: (value) => (run) => has(run.recipe.name, value) || has(run.recipe.family, value),
  target: (value) => (run) => has(run.target.name, value) || run.target.id === value,
  is: (value) => (run) => {
    switch (value) {
      case 'starred':
        return run.starred
      case 'archived':
        return run.archived
      case 'practice':
        return run.recipe.practice
      case 'attention':
        return needsAttention(run.state)
      default:
        return false
    }
  }
}

function doneIs(run: RunSummary, value: string): boolean {
  return value === 'done' && wordOf(run.state) === 'done'
}

function wordTest(word: string): Test {
  return (run) =>
    has(run.name, word) ||
    has(run.id, word) ||
    has(run.recipe.name, word) ||
    has(run.recipe.model, word) ||
    run.tags.some((tag) => has(tag, word))
}

/**
 * Reads what a person typed over the list: words, `field:value`, and a minus before either for "not".
 * Everything must hold at once. Fields: state, tag, recipe, target, is.
 */
export function readFilter(text: string): Filter {
  const tests: Test[] = []
  for (const raw of text.toLowerCase().split(/\s+/)) {
    if (raw === '' || raw === '-') continue
    const negative = raw.startsWith('-')
    const word = negative ? raw.slice(1) : raw
    const colon = word.indexOf(':')
    const name = colon > 0 ? word.slice(0, colon) : undefined
    const field = name === undefined ? undefined : fields[name]
    if (name !== undefined && field === undefined) return { kind: 'bad-field', word: name }
    const value = word.slice(colon + 1)
    if (field !== undefined && value === '') continue
    const test = field === undefined ? wordTest(word) : field(value)
    tests.push(negative ? (run) => !test(run) : test)
  }
  return { kind: 'ok', matches: (run) => tests.every((test) => test(run)) }
}
