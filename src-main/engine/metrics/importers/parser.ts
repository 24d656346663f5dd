import type { Axis } from '../../../contract/metrics'
import type { Text } from '../../../contract/text'
import type { Row } from '../model'

/** Why reading stopped, or what was left out. */
export interface Problem {
  code:
    | 'bad-checksum'
    | 'torn-tail'
    | 'bad-header'
    | 'bad-line'
    | 'bad-packed'
    | 'bad-json'
    | 'no-head'
    | 'no-rows'
    | 'text-columns'
    | 'doubled-columns'
    | 'ragged-rows'
  /** Byte offset in the file. */
  offset: number
  what: Text
}

/**
 * Whether something is lost. The unfinished end of a file is not: whoever writes it will finish it, or has just begun.
 * Text is none either: there was never a number in it. Two columns of one name are both kept, and short rows lack nothing
 * that was there.
 */
export function isDamage({ code }: Problem): boolean {
  return !HARMLESS.has(code)
}

const HARMLESS: ReadonlySet<Problem['code']> = new Set([
  'torn-tail',
  'text-columns',
  'doubled-columns',
  'ragged-rows',
  'no-head',
  'no-rows'
])

/** Reads a file piece by piece. What `push` did not use comes again, with more behind it. */
export interface ChunkParser {
  /** @returns bytes of the chunk that are done with. After a problem that stops it, everything counts as done. */
  push(chunk: Buffer, sink: Sink): number
  /** The file has no more: the rest that was not used. */
  end(rest: Buffer, sink: Sink): void
  /** So many bytes of the file were left out: a parser that counts its place counts them. */
  passOver?(bytes: number): void
}

/** A parser of a file that grows, which can be left and taken up again. */
export interface TrackerParser extends ChunkParser {
  /** Place in the file from which a fresh parser gives everything that was not handed on yet. */
  safe(): number
}

export interface Sink {
  row(row: Row): void
  problem(problem: Problem): void
}

/** The axis a key stands on where the file does not say: by the names Slime gives. */
export function axisOfKey(key: string): Axis {
  if (key.startsWith('eval/')) return 'eval'
  return /^(?:rollout|perf|multi_turn|passrate)\//.test(key) ? 'rollout' : 'step'
}

/** Rows of one record whose keys stand on different axes. */
export function rowsByAxis(
  numbers: readonly (readonly [key: string, value: number])[],
  at: number,
  placeOf: (key: string) => { axis: Axis; x: number }
): Row[] {
  const rows = new Map<string, { axis: Axis; x: number; keys: string[]; values: number[] }>()
  for (const [key, value] of numbers) {
    const { axis, x } = placeOf(key)
    const name = `${axis} ${String(x)}`
    const row = rows.get(name) ?? { axis, x, keys: [], values: [] }
    row.keys.push(key)
    row.values.push(value)
    rows.set(name, row)
  }
  return [...rows.values()].map((row) => ({ ...row, at }))
}

export function longLine(offset: number, most: number): Problem {
  return {
    code: 'bad-line',
    offset,
    what: {
      en: `The line at byte ${String(offset)} is longer than ${String(most)} bytes and was passed over.`,
      zh: `第 ${String(offset)} 字节处的行超过 ${String(most)} 字节，已跳过。`
    }
  }
}

export function tornTail(offset: number, bytes: number): Problem {
  return {
    code: 'torn-tail',
    offset,
    what: {
      en: `The last ${String(bytes)} bytes are an unfinished record: still being written, or cut off.`,
      zh: `最后 ${String(bytes)} 字节是未写完的记录：仍在写入，或被截断。`
    }
  }
}

export function badChecksum(offset: number): Problem {
  return {
    code: 'bad-checksum',
    offset,
    what: {
      en: `The record at byte ${String(offset)} is damaged (checksum). What follows it was not read.`,
      zh: `第 ${String(offset)} 字节处的记录已损坏（校验和不符），其后的内容未读取。`
    }
  }
}
