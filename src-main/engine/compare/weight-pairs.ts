import type { WeightComparison } from '../../contract/compare'
import type { Text } from '../../contract/text'
import { FailureError } from '../lib'
import type { OpenSource } from './byte-source'
import { compareWeights } from './weights'

/** What is asked of a side here. */
interface SideWithWeights {
  weights: { target: string; path: string } | null
}

/** The weights of a side against those of the baseline. */
export interface WeightPair {
  side: number
  comparison: WeightComparison
}

/** Weights of a side that cannot be held against those of the baseline, and why. */
export interface OddPair {
  side: number
  why: Text
}

const ELSEWHERE: Text = {
  en: 'Its weights lie on another machine than those of the baseline.',
  zh: '其权重与基线的权重不在同一台机器上。'
}

/**
 * Weights of every side that has some, against those of the baseline. A pair that cannot be compared is told with its
 * reason and hinders no other.
 */
export async function compareEach(
  sides: readonly SideWithWeights[],
  baseline: number,
  request: { open: OpenSource; signal?: AbortSignal | undefined }
): Promise<{ pairs: WeightPair[]; odd: OddPair[] }> {
  const base = sides[baseline]?.weights ?? null
  const pairs: WeightPair[] = []
  const odd: OddPair[] = []
  if (base === null) return { pairs, odd }
  for (const [side, { weights }] of sides.entries()) {
    if (side === baseline || weights === null) continue
    if (weights.target !== base.target) {
      odd.push({ side, why: ELSEWHERE })
      continue
    }
    const { open, signal } = request
    const asked = { a: base.path, b: weights.path, open }
    try {
      pairs.push({
        side,
        comparison: await compareWeights(signal === undefined ? asked : { ...asked, signal })
      })
    } catch (thrown) {
      if (!(thrown instanceof FailureError)) throw thrown
      odd.push({ side, why: thrown.failure.what })
    }
  }
  return { pairs, odd }
}
