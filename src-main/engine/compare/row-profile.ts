import type { RowProfile } from '../../contract/compare'
import { fail } from '../lib'
import { openLocalSource, type OpenSource } from './byte-source'
import { SIZES } from './full-weights'
import { comparable, compareTensors, rowLengthOf } from './tensor-difference'
import { openTensorFiles, type TensorFiles } from './tensor-files'
import { createWeightKernel } from './weight-kernel'

export interface RowRequest {
  a: string
  b: string
  tensor: string
  /** Most numbers in the answer; neighbouring rows share one where there are more. */
  buckets: number
  open?: OpenSource
  signal?: AbortSignal
}

/**
 * How much each row of one tensor changed: ‖B − A‖/‖A‖ over its rows, null where A is all zero there.
 * @throws FailureError `tensor-not-comparable` when a side lacks it, or shapes or formats do not fit
 */
export async function profileRows(request: RowRequest): Promise<RowProfile> {
  const open = request.open ?? openLocalSource
  const left = await openTensorFiles(open, request.a)
  try {
    const right = await openTensorFiles(open, request.b)
    try {
      return await profile(left, right, request)
    } finally {
      await right.close()
    }
  } finally {
    await left.close()
  }
}

async function profile(
  left: TensorFiles,
  right: TensorFiles,
  { tensor, buckets, signal }: RowRequest
): Promise<RowProfile> {
  const [a, b] = [left.tensors.get(tensor), right.tensors.get(tensor)]
  if (a === undefined || b === undefined || !comparable(a, b))
    return fail({
      code: 'tensor-not-comparable',
      what: {
        en: 'This tensor is not on both sides with one shape and numbers that are compared.',
        zh: '该张量并非在两侧都存在且形状一致、数值格式可比较。'
      },
      where: tensor
    })
  const rows = a.elements === 0 ? 0 : a.elements / rowLengthOf(a)
  const perBucket = Math.max(1, Math.ceil(rows / buckets))
  const sums = Array.from({ length: Math.ceil(rows / perBucket) }, () => ({ aa: 0, dd: 0 }))
  let row = 0
  const kernel = await createWeightKernel(SIZES.chunkBytes, SIZES.blockElements)
  const progress = { signal: signal ?? new AbortController().signal, read: () => undefined }
  await compareTensors(kernel, [a, b], SIZES, progress, (aa, dd) => {
    const bucket = sums[Math.floor(row / perBucket)]
    if (bucket !== undefined) {
      bucket.aa += aa
      bucket.dd += dd
    }
    row += 1
  })
  return {
    name: tensor,
    rows,
    perBucket,
    relative: sums.map(({ aa, dd }) => (aa === 0 ? null : Math.sqrt(dd / aa)))
  }
}
