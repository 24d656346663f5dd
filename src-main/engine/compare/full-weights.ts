import type { TensorDifference, TensorProblem } from '../../contract/compare'
import { tensorFigures, Totals } from './figures'
import { comparable, compareTensors, type CompareProgress } from './tensor-difference'
import type { StoredTensor, TensorFiles } from './tensor-files'
import { placeOf } from './tensor-name'
import type { WeightKernel } from './weight-kernel'

/** Four buffers of this size and two of the next are all the memory that a comparison of any size takes. */
export const SIZES = { chunkBytes: 4 * 1024 * 1024, blockElements: 16_384 } as const

export interface TensorResults {
  tensors: TensorDifference[]
  onlyA: string[]
  onlyB: string[]
  problems: TensorProblem[]
  totals: Totals
}

export interface WeightProgress {
  done: number
  total: number
  tensor: string
}

/** The pairs to compare in the order of A's files, so that one side is read straight through. */
function pairsOf(a: TensorFiles, b: TensorFiles): [StoredTensor, StoredTensor][] {
  const pairs: [StoredTensor, StoredTensor][] = []
  for (const left of a.tensors.values()) {
    const right = b.tensors.get(left.name)
    if (right !== undefined) pairs.push([left, right])
  }
  return pairs
}

function whyNot(a: StoredTensor, b: StoredTensor): TensorProblem['why'] {
  const shapes = [a.shape.join('×'), b.shape.join('×')] as const
  if (shapes[0] !== shapes[1])
    return {
      en: `Shapes differ: ${shapes[0]} and ${shapes[1]}.`,
      zh: `形状不同：${shapes[0]} 与 ${shapes[1]}。`
    }
  return {
    en: `Numbers of the format ${a.dtype} or ${b.dtype} are not compared.`,
    zh: `不支持比较 ${a.dtype} 或 ${b.dtype} 格式的数值。`
  }
}

/** Names of one side that the other does not have, sorted. */
export function missingFrom(
  names: Iterable<string>,
  other: ReadonlyMap<string, unknown>
): string[] {
  return [...names].filter((name) => !other.has(name)).sort()
}

/** Bytes that comparing these two will read. */
export function bytesToRead(a: TensorFiles, b: TensorFiles): number {
  return pairsOf(a, b)
    .filter(([left, right]) => comparable(left, right))
    .reduce((sum, [left, right]) => sum + left.bytes + right.bytes, 0)
}

/** Compares every tensor both sides have, one chunk in memory at a time. */
export async function compareFullWeights(
  kernel: WeightKernel,
  a: TensorFiles,
  b: TensorFiles,
  signal: AbortSignal,
  onProgress: (progress: WeightProgress) => void
): Promise<TensorResults> {
  const results: TensorResults = {
    tensors: [],
    onlyA: missingFrom(a.tensors.keys(), b.tensors),
    onlyB: missingFrom(b.tensors.keys(), a.tensors),
    problems: [],
    totals: new Totals()
  }
  const total = bytesToRead(a, b)
  let done = 0
  for (const [left, right] of pairsOf(a, b)) {
    if (!comparable(left, right)) {
      results.problems.push({ name: left.name, why: whyNot(left, right) })
      continue
    }
    const progress: CompareProgress = {
      signal,
      read: (bytes) => {
        done += bytes
        onProgress({ done, total, tensor: left.name })
      }
    }
    const sums = await compareTensors(kernel, [left, right], SIZES, progress)
    const difference: TensorDifference = {
      name: left.name,
      ...placeOf(left.name),
      shape: [...left.shape],
      dtype: [left.dtype, right.dtype],
      ...tensorFigures(sums, left.elements)
    }
    results.tensors.push(difference)
    results.totals.add(difference, left.elements)
  }
  return results
}
