import { posix } from 'node:path'
import { z } from 'zod'
import type { FileAccess } from '../targets'

/** What is wrong with one file of the weights. Sizes in bytes. */
export type ShardProblem =
  | { kind: 'missing'; file: string }
  | { kind: 'short'; file: string; has: number; needs: number }
  | { kind: 'pointer'; file: string }
  | { kind: 'damaged'; file: string }

export interface Weights {
  files: readonly string[]
  bytes: number
  problems: readonly ShardProblem[]
}

const Index = z.object({ weight_map: z.record(z.string(), z.string()) })
const Entry = z.object({ data_offsets: z.tuple([z.number(), z.number()]) })

const POINTER = 'version https://git-lfs.github.com/spec/'
/** Bytes before the header of a safetensors file: its length, little-endian. */
const LENGTH_BYTES = 8
/** The format's own limit. Source: `safetensors` README, "Format". */
const LARGEST_HEADER = 100_000_000

/** Whole size that a safetensors header promises; null when it is none. */
export function promisedSize(header: string, headerBytes: number): number | null {
  let parsed: unknown
  try {
    parsed = JSON.parse(header)
  } catch {
    // Not JSON, so not a header: said by the null.
    return null
  }
  const table = z.record(z.string(), z.unknown()).safeParse(parsed)
  if (!table.success) return null
  const ends = Object.values(table.data).flatMap((value) => {
    const entry = Entry.safeParse(value)
    return entry.success ? [entry.data.data_offsets[1]] : []
  })
  return LENGTH_BYTES + headerBytes + ends.reduce((most, end) => Math.max(most, end), 0)
}

async function safetensorsProblem(
  files: FileAccess,
  path: string,
  size: number
): Promise<ShardProblem | null> {
  const file = posix.basename(path)
  const head = await files.read(path, 0, LENGTH_BYTES)
  if (head === null || head.length < LENGTH_BYTES) return { kind: 'damaged', file }
  const length = Number(new DataView(head.buffer, head.byteOffset).getBigUint64(0, true))
  if (length > LARGEST_HEADER) return { kind: 'damaged', file }
  const header = await files.read(path, LENGTH_BYTES, length)
  if (header === null || header.length < length)
    return { kind: 'short', file, has: size, needs: LENGTH_BYTES + length }
  const needs = promisedSize(new TextDecoder().decode(header), length)
  if (needs === null) return { kind: 'damaged', file }
  return size < needs ? { kind: 'short', file, has: size, needs } : null
}

async function shard(
  files: FileAccess,
  folder: string,
  file: string
): Promise<{ bytes: number; problem: ShardProblem | null }> {
  const path = posix.join(folder, file)
  const facts = await files.stat(path)
  if (facts === null) return { bytes: 0, problem: { kind: 'missing', file } }
  const start = await files.read(path, 0, POINTER.length)
  if (start !== null && new TextDecoder().decode(start) === POINTER)
    return { bytes: 0, problem: { kind: 'pointer', file } }
  const problem = file.endsWith('.safetensors')
    ? await safetensorsProblem(files, path, facts.size)
    : null
  return { bytes: facts.size, problem }
}

async function namedByIndex(files: FileAccess, path: string): Promise<string[] | null> {
  const bytes = await files.read(path, 0, 1 << 26)
  if (bytes === null) return null
  try {
    const parsed = Index.safeParse(JSON.parse(new TextDecoder().decode(bytes)))
    return parsed.success ? [...new Set(Object.values(parsed.data.weight_map))].sort() : []
  } catch {
    // An index that is no JSON names nothing; the caller says that no weights are named.
    return []
  }
}

/** Looks at every file of a model's weights: there, as long as its own header says, and no Git LFS pointer. Null: no weights. */
export async function readWeights(files: FileAccess, folder: string): Promise<Weights | null> {
  const present = (await files.list(folder)) ?? []
  for (const format of ['model.safetensors', 'pytorch_model.bin']) {
    const index = await namedByIndex(files, posix.join(folder, `${format}.index.json`))
    const single = present.some((entry) => entry.name === format) ? [format] : null
    const names = index ?? single
    if (names === null) continue
    const seen = await Promise.all(names.map((file) => shard(files, folder, file)))
    return {
      files: names,
      bytes: seen.reduce((sum, one) => sum + one.bytes, 0),
      problems: seen.flatMap(({ problem }) => (problem === null ? [] : [problem]))
    }
  }
  return null
}
