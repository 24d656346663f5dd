import type { ResolvedValue } from '../../contract/recipes'
import type { CheckInput } from './check'
import { checkedOnce } from './checked-once'
import { canonical } from './fields'
import { migrateRecipe } from './migrate'
import { numberOf } from './py-scalar'

export interface RecipeDifference {
  path: string
  a: string | null
  b: string | null
  /** True when neither side writes the value itself: it follows from a default or from other fields. */
  derived: boolean
}

/**
 * What differs between two recipes by meaning: order, quoting, spelling of keys and of numbers (`1e-5`, `0.00001`) do not
 * count. An unversioned file is compared with a version 2 file in the vocabulary of the latter.
 */
export function compareRecipes(a: CheckInput, b: CheckInput): RecipeDifference[] {
  const [left, right] = alike(a, b)
  const rowsA = rowsOf(left)
  const rowsB = rowsOf(right)
  const differences: RecipeDifference[] = []
  for (const key of new Set([...rowsA.keys(), ...rowsB.keys()])) {
    const one = rowsA.get(key)
    const other = rowsB.get(key)
    if (one !== undefined && other !== undefined && sameMeaning(one.value, other.value)) continue
    // A default on one side and nothing on the other is no difference anyone made.
    if (one === undefined && other?.origin.kind === 'default') continue
    if (other === undefined && one?.origin.kind === 'default') continue
    const written = (row: ResolvedValue | undefined): boolean =>
      row !== undefined && row.origin.kind !== 'default' && row.origin.kind !== 'derived'
    differences.push({
      path: one?.path ?? other?.path ?? key,
      a: one?.value ?? null,
      b: other?.value ?? null,
      derived: !written(one) && !written(other)
    })
  }
  return differences
}

function alike(a: CheckInput, b: CheckInput): [CheckInput, CheckInput] {
  const dialectA = checkedOnce(a).dialect
  const dialectB = checkedOnce(b).dialect
  if (dialectA === dialectB) return [a, b]
  const modern = (input: CheckInput, dialect: string): CheckInput =>
    dialect === 'reef-unversioned' ? { ...input, text: migrateRecipe(input).text } : input
  return [modern(a, dialectA), modern(b, dialectB)]
}

function rowsOf(input: CheckInput): Map<string, ResolvedValue> {
  return new Map(checkedOnce(input).resolved.map((row) => [canonical(row.path), row]))
}

export function sameMeaning(a: string, b: string): boolean {
  if (a === b) return true
  const left = numberOf(a)
  return left !== undefined && left === numberOf(b)
}
