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

/** A row of a dataset may hold whole conversations, but its first line is not longer than this. */
const LONGEST_LINE = 4 * 1024 * 1024

/**
 * Names of a data file's columns: of the footer's schema, of a CSV's head, of the first JSON line. Null where they cannot
 * be read; the check of the rows says why.
 */
export async function columnsOf(files: FileAccess, path: string): Promise<string[] | null> {
  const facts = await files.stat(path)
  if (facts === null) return null
  switch (/\.(\w+)$/.exec(path)?.[1]?.toLowerCase()) {
    case 'parquet':
      return parquetColumns(files, path, facts.size)
    case 'jsonl':
      return jsonColumns(await firstLine(files, path))
    case 'csv':
      return csvColumns(await firstLine(files, path))
    default:
      return null
  }
}

async function firstLine(files: FileAccess, path: string): Promise<string> {
  const bytes = await files.read(path, 0, LONGEST_LINE)
  const text = new TextDecoder().decode(bytes ?? new Uint8Array())
  return (
    text
      .replace(/^\uFEFF/, '')
      .trimStart()
      .split('\n', 1)[0]
      ?.trim() ?? ''
  )
}

function jsonColumns(line: string): string[] | null {
  try {
    const row: unknown = JSON.parse(line)
    return typeof row === 'object' && row !== null && !Array.isArray(row) ? Object.keys(row) : null
  } catch {
    // Longer than what was read, or no JSON: then nothing is known of its columns.
    return null
  }
}

/** Fields of a CSV's first line; quoted ones may hold commas, and two quotes for one. */
export function csvColumns(line: string): string[] | null {
  if (line === '') return null
  const cells = [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)]
  return cells.map(([, quoted, bare = '']) => (quoted ?? bare).replace(/""/g, '"').trim())
}

async function parquetColumns(
  files: FileAccess,
  path: string,
  size: number
): Promise<string[] | null> {
  try {
    const { schema } = await parquetMetadataAsync(parquetFile(files, path, size), {
      initialFetchSize: FOOTER
    })
    return topColumns(schema)
  } catch {
    // A torn file: the check of the rows says so.
    return null
  }
}

/** The schema is a tree written depth first: its first element is the root. */
function topColumns(schema: readonly { name: string; num_children?: number }[]): string[] {
  const names: string[] = []
  const pass = (at: number): number => {
    let next = at + 1
    for (let child = 0; child < (schema[at]?.num_children ?? 0); child += 1) next = pass(next)
    return next
  }
  let at = 1
  for (let child = 0; child < (schema[0]?.num_children ?? 0); child += 1) {
    names.push(schema[at]?.name ?? '')
    at = pass(at)
  }
  return names
}

function parquetFile(files: FileAccess, path: string, size: number) {
  return {
    byteLength: size,
    async slice(start: number, end = size): Promise<ArrayBuffer> {
      const bytes = (await files.read(path, start, end - start)) ?? new Uint8Array()
      const copy = new ArrayBuffer(bytes.byteLength)
      new Uint8Array(copy).set(bytes)
      return copy
    }
  }
}

async function parquetRows(files: FileAccess, path: string, size: number): Promise<RowCount> {
  try {
    const { num_rows: rows } = await parquetMetadataAsync(parquetFile(files, path, size), {
      initialFetchSize: FOOTER
    })
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
