import { type SqlitePages, unreadable } from './sqlite-pages'

export type SqlValue = number | string | Uint8Array | null

/** A table of an ordinary database: columns by name, and where its rows begin. */
export interface SqliteTable {
  root: number
  columns: readonly string[]
  /** The column that is another name of the row id; null when none is. */
  rowid: string | null
}

export interface SqliteRow {
  rowid: number
  values: ReadonlyMap<string, SqlValue>
}

const LEAF = 0x0d
const INTERIOR = 0x05
const SCHEMA: SqliteTable = {
  root: 1,
  columns: ['type', 'name', 'tbl_name', 'rootpage', 'sql'],
  rowid: null
}

/** A table by its name; null when there is none. */
export async function findTable(pages: SqlitePages, name: string): Promise<SqliteTable | null> {
  for await (const { values } of rowsAfter(pages, SCHEMA, Number.NEGATIVE_INFINITY)) {
    const [root, sql] = [values.get('rootpage'), values.get('sql')]
    if (values.get('type') !== 'table' || values.get('name') !== name) continue
    if (typeof root !== 'number' || typeof sql !== 'string') return null
    return { root, ...columnsOf(sql) }
  }
  return null
}

/** Names of the columns in the text a table was created with, in their order. Pure. */
export function columnsOf(sql: string): Pick<SqliteTable, 'columns' | 'rowid'> {
  const inner = sql.slice(sql.indexOf('(') + 1, sql.lastIndexOf(')'))
  const columns: string[] = []
  let rowid: string | null = null
  for (const part of topLevelParts(inner)) {
    const [, quoted, plain] = /^\s*(?:["'`[]([^"'`\]]+)["'`\]]|(\w+))/.exec(part) ?? []
    if (plain !== undefined && /^(?:constraint|primary|unique|check|foreign)$/i.test(plain))
      continue
    const name = quoted ?? plain
    if (name === undefined) continue
    columns.push(name)
    if (/^\s*\S+\s+integer\s+primary\s+key\b/i.test(part)) rowid = name
  }
  return { columns, rowid }
}

function topLevelParts(text: string): string[] {
  const parts: string[] = []
  let depth = 0
  let quote = ''
  let from = 0
  for (const [at, char] of [...text].entries()) {
    if (quote !== '') quote = char === quote ? '' : quote
    else if (char === "'" || char === '"' || char === '`') quote = char
    else if (char === '(') depth += 1
    else if (char === ')') depth -= 1
    else if (char === ',' && depth === 0) {
      parts.push([...text].slice(from, at).join(''))
      from = at + 1
    }
  }
  return [...parts, [...text].slice(from).join('')]
}

/** Rows with a larger row id, in order; the pages of smaller ones are not read. Throws `records-unreadable`. */
export async function* rowsAfter(
  pages: SqlitePages,
  table: SqliteTable,
  after: number,
  number = table.root,
  seen = new Set<number>()
): AsyncGenerator<SqliteRow, void, undefined> {
  if (seen.has(number)) return unreadable(`page ${number}`, 'the table goes round in circles')
  seen.add(number)
  const page = await pages.page(number)
  const start = number === 1 ? 100 : 0
  const kind = page.getUint8(start)
  const count = page.getUint16(start + 3)
  const pointers = start + (kind === INTERIOR ? 12 : 8)
  if (kind !== LEAF && kind !== INTERIOR)
    return unreadable(`page ${number}`, `not a page of a table: ${kind}`)
  for (let index = 0; index < count; index += 1) {
    const cell = page.getUint16(pointers + 2 * index)
    if (kind === INTERIOR) {
      const [key] = varint(page, cell + 4)
      if (key > after) yield* rowsAfter(pages, table, after, page.getUint32(cell), seen)
      continue
    }
    const [size, idAt] = varint(page, cell)
    const [rowid, payloadAt] = varint(page, idAt)
    if (rowid <= after) continue
    const payload = await payloadOf(pages, page, payloadAt, size)
    yield { rowid, values: valuesOf(payload, table, rowid) }
  }
  if (kind === INTERIOR) yield* rowsAfter(pages, table, after, page.getUint32(start + 8), seen)
}

/** The bytes of a row, the pages they overflow into included. */
async function payloadOf(
  pages: SqlitePages,
  page: DataView,
  at: number,
  size: number
): Promise<Uint8Array> {
  const { usable } = pages
  if (size < 0 || size > pages.size)
    return unreadable(`row of ${size} bytes`, 'longer than the file')
  const most = usable - 35
  const least = Math.floor(((usable - 12) * 32) / 255) - 23
  const fit = least + ((size - least) % (usable - 4))
  const local = size <= most ? size : fit <= most ? fit : least
  const payload = new Uint8Array(size)
  payload.set(bytesAt(page, at, local))
  let next = local < size ? page.getUint32(at + local) : 0
  for (let filled = local; filled < size;) {
    if (next === 0) return unreadable(`row of ${size} bytes`, 'its last bytes are missing')
    const more = await pages.page(next)
    const length = Math.min(usable - 4, size - filled)
    payload.set(bytesAt(more, 4, length), filled)
    filled += length
    next = more.getUint32(0)
  }
  return payload
}

function bytesAt(view: DataView, at: number, length: number): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset + at, length)
}

/** A number of one to nine bytes, and where it ends. */
function varint(view: DataView, at: number): [value: number, end: number] {
  let value = 0n
  for (let index = 0; index < 8; index += 1) {
    const byte = view.getUint8(at + index)
    value = (value << 7n) | BigInt(byte & 0x7f)
    if (byte < 0x80) return [Number(value), at + index + 1]
  }
  return [Number(BigInt.asIntN(64, (value << 8n) | BigInt(view.getUint8(at + 8)))), at + 9]
}

function valuesOf(payload: Uint8Array, table: SqliteTable, rowid: number): Map<string, SqlValue> {
  const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength)
  const values = new Map<string, SqlValue>()
  const [headerEnd, first] = varint(view, 0)
  let typeAt = first
  let at = headerEnd
  for (const column of table.columns) {
    // A column that was added later is not in rows from before.
    if (typeAt >= headerEnd) {
      values.set(column, null)
      continue
    }
    const [type, next] = varint(view, typeAt)
    typeAt = next
    const size = sizeOf(type)
    values.set(column, valueAt(view, at, type, size))
    at += size
  }
  if (table.rowid !== null) values.set(table.rowid, rowid)
  return values
}

function sizeOf(type: number): number {
  if (type >= 12) return Math.floor((type - 12) / 2)
  return [0, 1, 2, 3, 4, 6, 8, 8, 0, 0][type] ?? 0
}

function valueAt(view: DataView, at: number, type: number, size: number): SqlValue {
  if (type >= 12) {
    const bytes = bytesAt(view, at, size)
    return type % 2 === 0 ? bytes : new TextDecoder().decode(bytes)
  }
  switch (type) {
    case 1:
      return view.getInt8(at)
    case 2:
      return view.getInt16(at)
    case 3:
      return view.getInt8(at) * 2 ** 16 + view.getUint16(at + 1)
    case 4:
      return view.getInt32(at)
    case 5:
      return view.getInt16(at) * 2 ** 32 + view.getUint32(at + 2)
    case 6:
      return Number(view.getBigInt64(at))
    case 7:
      return view.getFloat64(at)
    case 8:
      return 0
    case 9:
      return 1
    default:
      return null
  }
}
