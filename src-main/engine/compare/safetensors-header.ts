import { z } from 'zod'
import { fail } from '../lib'
import type { ByteSource } from './byte-source'

/** Bytes per element of the number formats that can be compared. Public source: the safetensors format description. */
const elementBytes: ReadonlyMap<string, number> = new Map([
  ['F64', 8],
  ['F32', 4],
  ['F16', 2],
  ['BF16', 2],
  ['F8_E4M3', 1],
  ['F8_E5M2', 1],
  ['I64', 8],
  ['U64', 8],
  ['I32', 4],
  ['U32', 4],
  ['I16', 2],
  ['U16', 2],
  ['I8', 1],
  ['U8', 1],
  ['BOOL', 1]
])

export interface TensorFacts {
  name: string
  dtype: string
  shape: readonly number[]
  elements: number
  /** Null for a number format that is not known here. */
  bytesPerElement: number | null
  /** From the beginning of the file. */
  offset: number
  bytes: number
}

export interface SafetensorsHeader {
  /** By offset. */
  tensors: TensorFacts[]
  metadata: Readonly<Record<string, string>>
  /** Where the numbers begin. */
  dataOffset: number
}

/** Real headers are some hundred bytes a tensor; the reference reader stops at 100 MB. */
const LONGEST_HEADER = 64 * 1024 * 1024
/** Real tensors have at most five. */
const MOST_DIMENSIONS = 32

type HeaderProblem =
  | 'too-short'
  | 'header-length'
  | 'not-json'
  | 'entry'
  | 'shape'
  | 'range'
  | 'overlap'
  | 'gap'
  | 'truncated'

const problemText: Record<HeaderProblem, { en: string; zh: string }> = {
  'too-short': { en: 'it is too short to hold a header', zh: '文件过短，放不下头部' },
  'header-length': {
    en: 'the length given for its header is impossible',
    zh: '头部长度字段不可能成立'
  },
  'not-json': { en: 'its header is not a JSON object', zh: '头部不是 JSON 对象' },
  entry: { en: 'an entry of its header has another form', zh: '头部中有条目格式不符' },
  shape: { en: 'a tensor has an impossible shape', zh: '有张量的形状不可能成立' },
  range: {
    en: 'the bytes of a tensor do not fit its shape and number format',
    zh: '有张量的字节范围与其形状和数值格式不符'
  },
  overlap: { en: 'two tensors share bytes', zh: '有两个张量的字节范围重叠' },
  gap: { en: 'bytes between its tensors belong to none', zh: '张量之间存在不属于任何张量的字节' },
  truncated: {
    en: 'it ends before its last tensor does; the copy or download is incomplete',
    zh: '文件在最后一个张量之前就结束了；拷贝或下载不完整'
  }
}

function bad(source: ByteSource, problem: HeaderProblem, detail: string): never {
  const text = problemText[problem]
  return fail({
    code: `safetensors-${problem}`,
    what: {
      en: `This is not a whole safetensors file: ${text.en}.`,
      zh: `这不是完整的 safetensors 文件：${text.zh}。`
    },
    where: source.path,
    remedy: {
      en: 'Fetch or export the file again. Slipway has not changed it.',
      zh: '请重新获取或导出该文件。Slipway 没有改动它。'
    },
    detail: detail.slice(0, 300)
  })
}

const count = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER)
const Entry = z.object({
  dtype: z.string().max(32),
  shape: z.array(count).max(MOST_DIMENSIONS),
  data_offsets: z.tuple([count, count])
})
const Metadata = z.record(z.string(), z.string())

function elementsOf(shape: readonly number[]): number | null {
  let elements = 1
  for (const size of shape) {
    elements *= size
    if (elements > Number.MAX_SAFE_INTEGER) return null
  }
  return elements
}

function tensorOf(
  source: ByteSource,
  name: string,
  value: unknown,
  dataOffset: number
): TensorFacts {
  const parsed = Entry.safeParse(value)
  if (!parsed.success)
    return bad(source, 'entry', `${name}: ${parsed.error.issues[0]?.message ?? ''}`)
  const { dtype, shape } = parsed.data
  const [begin, end] = parsed.data.data_offsets
  const elements = elementsOf(shape)
  if (elements === null) return bad(source, 'shape', `${name}: ${shape.join('×')}`)
  const bytesPerElement = elementBytes.get(dtype) ?? null
  const bytes = end - begin
  if (bytes < 0 || (bytesPerElement !== null && bytes !== elements * bytesPerElement))
    return bad(source, 'range', `${name}: ${begin}–${end} for ${shape.join('×')} ${dtype}`)
  return { name, dtype, shape, elements, bytesPerElement, offset: dataOffset + begin, bytes }
}

function checkLayout(
  source: ByteSource,
  tensors: readonly TensorFacts[],
  dataOffset: number
): void {
  let at = dataOffset
  for (const tensor of tensors) {
    if (tensor.offset < at) bad(source, 'overlap', tensor.name)
    if (tensor.offset > at) bad(source, 'gap', `before ${tensor.name}`)
    at = tensor.offset + tensor.bytes
  }
  if (at > source.size) bad(source, 'truncated', `${at} bytes promised, ${source.size} there`)
  if (at < source.size) bad(source, 'gap', `${source.size - at} bytes after the last tensor`)
}

/**
 * Reads and checks the header of a safetensors file: everything it promises is held against the size of the file before
 * anything is allocated for it, every byte belongs to exactly one tensor.
 * @throws FailureError `safetensors-…` naming what is wrong
 */
export async function readSafetensorsHeader(source: ByteSource): Promise<SafetensorsHeader> {
  if (source.size < 10) return bad(source, 'too-short', `${source.size} bytes`)
  const lead = new Uint8Array(8)
  await source.read(lead, 0)
  const promised = new DataView(lead.buffer).getBigUint64(0, true)
  if (promised < 2n || promised > BigInt(Math.min(LONGEST_HEADER, source.size - 8)))
    return bad(source, 'header-length', `${promised} bytes in a file of ${source.size}`)
  const length = Number(promised)
  const bytes = new Uint8Array(length)
  await source.read(bytes, 8)
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (cause) {
    return bad(source, 'not-json', cause instanceof Error ? cause.message : '')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return bad(source, 'not-json', typeof value)
  const dataOffset = 8 + length
  const tensors: TensorFacts[] = []
  let metadata: Record<string, string> = {}
  for (const [name, entry] of Object.entries(value)) {
    if (name !== '__metadata__') tensors.push(tensorOf(source, name, entry, dataOffset))
    else {
      const parsed = Metadata.safeParse(entry)
      if (!parsed.success) return bad(source, 'entry', '__metadata__')
      metadata = parsed.data
    }
  }
  // Empty tensors stand before the full one that begins at the same byte.
  tensors.sort((a, b) => a.offset - b.offset || a.bytes - b.bytes)
  checkLayout(source, tensors, dataOffset)
  return { tensors, metadata, dataOffset }
}
