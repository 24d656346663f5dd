import { parquetMetadataAsync } from 'hyparquet'
import { messageOf } from '../lib'
import type { FileAccess } from '../targets'

/** Text files above this are not counted line by line. */
const MOST_TEXT = 256 * 1024 * 1024
const CHUNK = 1 << 20
const LF = 10
/** Enough for the footer of most files; a larger one is read in a second step. */
const FOOTER = 64 * 1024

export type RowCount =
  | { kind: 'rows'; rows: number }
  | { kind: 'missing' }
  /** NexRL's loader reads parquet, csv and jsonl only. */
  | { kind: 'format' }
  | { kind: 'uncounted'; why: string }

/** How many rows a data file has, from its footer or its lines. */
export async function countRows(files: FileAccess, path: string): Promise<RowCount> {
  const facts = await files.stat(path)
  if (facts === null) return { kind: 'missing' }
  const ending = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase()
  switch (ending) {
    case 'parquet':
      return parquetRows(files, path, facts.size)
    case 'jsonl':
    case 'csv':
      if (facts.size > MOST_TEXT) return { kind: 'uncounted', why: 'large' }
      return {
        kind: 'rows',
        rows: Math.max(0, (await lines(files, path, facts.size)) - (ending === 'csv' ? 1 : 0))
      }
    default:
      return { kind: 'format' }
  }
}

async function parquetRows(files: FileAccess, path: string, size: number): Promise<RowCount> {
  const file = {
    byteLength: size,
    async slice(start: number, end = size): Promise<ArrayBuffer> {
      const bytes = (await files.read(path, start, end - start)) ?? new Uint8Array()
      const copy = new ArrayBuffer(bytes.byteLength)
      new Uint8Array(copy).set(bytes)
      return copy
    }
  }
  try {
    const { num_rows: rows } = await parquetMetadataAsync(file, { initialFetchSize: FOOTER })
    return { kind: 'rows', rows: Number(rows) }
  } catch (cause) {
    return { kind: 'uncounted', why: messageOf(cause) }
  }
}

/** Lines that hold something; the last needs no end. */
async function lines(files: FileAccess, path: string, size: number): Promise<number> {
  let count = 0
  let open = false
  for (let at = 0; at < size; at += CHUNK) {
    const bytes = await files.read(path, at, Math.min(CHUNK, size - at))
    if (bytes === null) break
    for (const byte of bytes) {
      if (byte !== LF) open = true
      else if (open) {
        count += 1
        open = false
      }
    }
  }
  return open ? count + 1 : count
}
