import { parse } from 'yaml'
import { checkRecipe } from '../../src-main/engine/recipes'
import { largeRecipe } from '../unit/engine/recipes/recipe-texts'

const ROUNDS = 9

function median(work: () => void): number {
  work()
  const taken = Array.from({ length: ROUNDS }, () => {
    const began = performance.now()
    work()
    return performance.now() - began
  }).sort((a, b) => a - b)
  return taken[Math.floor(ROUNDS / 2)] ?? 0
}

/** Milliseconds of a check of so many lines, and of plain YAML parsing of the same text in the same run. */
export function measureCheck(lines: number): { check: number; parsing: number } {
  const text = largeRecipe(lines)
  const check = median(() => checkRecipe({ path: 'large.yaml', text, environment: {} }))
  // Looking for keys written twice is quadratic in the library; the check does it in a way of its own.
  const parsing = median(() => void parse(text, { logLevel: 'silent', uniqueKeys: false }))
  return { check, parsing }
}
