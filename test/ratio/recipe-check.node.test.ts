import { parse } from 'yaml'
import { expect, test } from 'vitest'
import { checkRecipe } from '../../src-main/engine/recipes'
import { largeRecipe, saoRecipe } from '../unit/engine/recipes/recipe-texts'

/** Median milliseconds of interleaved runs, so that a busy machine slows both sides alike. */
function medians(runs: number, a: () => unknown, b: () => unknown): { a: number; b: number } {
  const times: { a: number[]; b: number[] } = { a: [], b: [] }
  for (let run = 0; run < runs; run += 1) {
    times.a.push(elapsed(a))
    times.b.push(elapsed(b))
  }
  return { a: median(times.a), b: median(times.b) }
}

function elapsed(work: () => unknown): number {
  const start = performance.now()
  work()
  return performance.now() - start
}

function median(values: number[]): number {
  return values.sort((x, y) => x - y)[Math.floor(values.length / 2)] ?? Number.NaN
}

test.each([
  ['an ordinary recipe', saoRecipe(), 101, 400],
  ['5,000 lines', largeRecipe(5_000), 7, 2]
])(
  'checking %s takes at most three times plain parsing',
  (name, text, runs, warmUps) => {
    for (let warm = 0; warm < warmUps; warm += 1) {
      checkRecipe({ path: 'a.yaml', text })
      parse(text)
    }
    const { a, b } = medians(
      runs,
      () => checkRecipe({ path: 'a.yaml', text }),
      () => {
        parse(text, { logLevel: 'silent', uniqueKeys: false })
      }
    )
    console.info(`${name}: check ${a.toFixed(2)} ms, plain parse ${b.toFixed(2)} ms`)
    expect(a / b).toBeLessThanOrEqual(3)
  },
  60_000
)
