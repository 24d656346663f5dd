import { decodingOf, exactReader } from './number-formats'
import { RowSums, type TensorSums } from './row-sums'
import type { StoredTensor } from './tensor-files'
import type { WeightKernel } from './weight-kernel'

export interface CompareProgress {
  signal: AbortSignal
  /** Called with the bytes read since the last call, both sides together. */
  read(bytes: number): void
}

/** Rows shorter than this are not looked at one by one. */
const SHORTEST_ROW = 8

interface Chunk {
  /** Elements before it. */
  from: number
  count: number
  /** Which of each side's two buffers. */
  buffer: 0 | 1
}

/** Length of the rows a tensor is looked at in: its last dimension; the whole of it when it has no rows worth the name. */
export function rowLengthOf(tensor: StoredTensor): number {
  const last = tensor.shape.at(-1) ?? 1
  return tensor.shape.length >= 2 && last >= SHORTEST_ROW ? last : Math.max(1, tensor.elements)
}

async function readChunk(
  kernel: WeightKernel,
  sides: readonly [StoredTensor, StoredTensor],
  chunk: Chunk,
  progress: CompareProgress
): Promise<void> {
  progress.signal.throwIfAborted()
  const reads = sides.map((tensor, side) => {
    const size = tensor.bytesPerElement ?? 0
    const at = kernel.input[side === 0 ? 0 : 1][chunk.buffer]
    return tensor.source.read(
      kernel.bytes.subarray(at, at + chunk.count * size),
      tensor.offset + chunk.from * size
    )
  })
  await Promise.all(reads)
  progress.read(chunk.count * ((sides[0].bytesPerElement ?? 0) + (sides[1].bytesPerElement ?? 0)))
}

/** Brings elements of one side's buffer to float32 and says where they now are, or undefined when they do not fit that. */
function floatsAt(
  kernel: WeightKernel,
  tensor: StoredTensor,
  side: 0 | 1,
  input: number,
  from: number,
  count: number
): number | undefined {
  const decoding = decodingOf(tensor.dtype)
  const source = input + from * (tensor.bytesPerElement ?? 0)
  switch (decoding?.kind) {
    case 'as-is':
      return source
    case 'widen': {
      const target = kernel.scratch[side]
      decoding.widen(kernel, source, target, count)
      return target
    }
    case 'exact':
    case undefined:
      return undefined
  }
}

function sumFast(
  kernel: WeightKernel,
  sides: readonly [StoredTensor, StoredTensor],
  chunk: Chunk,
  block: number,
  rows: RowSums
): boolean {
  for (let from = 0; from < chunk.count; from += block) {
    const count = Math.min(block, chunk.count - from)
    const a = floatsAt(kernel, sides[0], 0, kernel.input[0][chunk.buffer], from, count)
    const b = floatsAt(kernel, sides[1], 1, kernel.input[1][chunk.buffer], from, count)
    if (a === undefined || b === undefined) return false
    rows.addBlock(kernel, a, b, count)
  }
  return true
}

function sumExact(
  kernel: WeightKernel,
  sides: readonly [StoredTensor, StoredTensor],
  chunk: Chunk,
  rows: RowSums
): void {
  const [a, b] = sides
  const readA = exactReader(a.dtype)
  const readB = exactReader(b.dtype)
  if (readA === undefined || readB === undefined) return
  const view = new DataView(kernel.bytes.buffer)
  const [atA, atB] = [kernel.input[0][chunk.buffer], kernel.input[1][chunk.buffer]]
  const [sizeA, sizeB] = [a.bytesPerElement ?? 0, b.bytesPerElement ?? 0]
  for (let index = 0; index < chunk.count; index += 1)
    rows.addPair(readA(view, atA + index * sizeA), readB(view, atB + index * sizeB))
}

/** True when the numbers of both tensors can be compared one by one. */
export function comparable(a: StoredTensor, b: StoredTensor): boolean {
  return (
    a.shape.length === b.shape.length &&
    a.shape.every((size, index) => size === b.shape[index]) &&
    decodingOf(a.dtype) !== undefined &&
    decodingOf(b.dtype) !== undefined
  )
}

/**
 * Compares two tensors of one shape in one pass over their bytes, a chunk of each in memory at a time, the next one
 * being read while this one is summed.
 * @param chunkBytes as the kernel was made with
 * @param row called for every finished row, when the caller wants them
 */
export async function compareTensors(
  kernel: WeightKernel,
  sides: readonly [StoredTensor, StoredTensor],
  sizes: { chunkBytes: number; blockElements: number },
  progress: CompareProgress,
  row?: (aa: number, dd: number) => void
): Promise<TensorSums> {
  const { elements } = sides[0]
  const widest = Math.max(sides[0].bytesPerElement ?? 8, sides[1].bytesPerElement ?? 8)
  const perChunk = Math.floor(sizes.chunkBytes / widest / 8) * 8
  const rows = new RowSums(rowLengthOf(sides[0]), sides[0].elements, row)
  const chunkAt = (from: number, buffer: 0 | 1): Chunk => ({
    from,
    count: Math.min(perChunk, elements - from),
    buffer
  })
  let chunk = chunkAt(0, 0)
  let reading = elements === 0 ? null : readChunk(kernel, sides, chunk, progress)
  while (reading !== null) {
    await reading
    const next = chunkAt(chunk.from + chunk.count, chunk.buffer === 0 ? 1 : 0)
    reading = next.count > 0 ? readChunk(kernel, sides, next, progress) : null
    // A failure of the read ahead is met when it is awaited; until then it must not count as unhandled.
    reading?.catch(() => undefined)
    if (!sumFast(kernel, sides, chunk, sizes.blockElements, rows))
      sumExact(kernel, sides, chunk, rows)
    chunk = next
  }
  return rows.end()
}
