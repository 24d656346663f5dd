import type { LogLine } from '../../contract/logs'
import { REDACTION_OVERLAP, type Redactor } from '../lib'
import { classify } from './classify'
import { peelHead, stripAnsi } from './line-head'
import type { LineSpan } from './line-index'
import { barText, parseBar } from './progress-bar'
import type { LogText } from './whole-log'

/** Longest shown text, in characters. */
const SHOWN = 16 * 1024
/** Lines longer than this are not read whole. */
const WHOLE = 64 * 1024

/** What every line of a source has in common. */
export interface LineContext {
  source: string
  redact: Redactor
  /** Milliseconds to add to the stamps of the source, which carry no time zone. */
  zone: number
}

/**
 * The bytes of a line that decide what is shown: all of a short one; of a long one that is drawn over again and again
 * the end; of any other long one the beginning.
 */
export async function lineBytes(text: LogText, span: LineSpan): Promise<Buffer> {
  const length = span.end - span.start
  if (length <= WHOLE) return readBuffer(text, span.start, length)
  const tail = await readBuffer(text, span.end - WHOLE, WHOLE)
  if (tail.subarray(0, -1).includes(13)) return tail
  return readBuffer(text, span.start, SHOWN * 2)
}

async function readBuffer(text: LogText, offset: number, length: number): Promise<Buffer> {
  const data = await text.read(offset, length)
  return data === null
    ? Buffer.alloc(0)
    : Buffer.from(data.buffer, data.byteOffset, data.byteLength)
}

/** Bytes that two neighbouring pieces of a line share: a match that lies across their border is whole in one of them. */
const SHARED = 4096 + REDACTION_OVERLAP

/**
 * All of a line that is too long to be shown whole, in pieces that overlap; nothing of a shorter one. What was drawn
 * over (all before the last carriage return) is no part of it.
 */
export async function* unshownPieces(
  text: LogText,
  span: LineSpan,
  length: number
): AsyncIterable<string> {
  if (span.end - span.start <= SHOWN) return
  const tail = Math.min(span.end - span.start, WHOLE)
  const drawn = (await readBuffer(text, span.end - tail, tail)).subarray(0, -1).lastIndexOf(13)
  const start = drawn === -1 ? span.start : span.end - tail + drawn + 1
  for (let at = start; at < span.end; at += length) {
    const from = Math.max(start, at - SHARED)
    const bytes = await readBuffer(text, from, Math.min(span.end, at + length) - from)
    yield bytes.toString('utf8')
  }
}

/** The line as people see it. */
export function shownLine(bytes: Buffer, span: LineSpan, context: LineContext): LogLine {
  const text = visibleText(bytes, span.end - span.start, context.redact)
  const bar = parseBar(text)
  const head = peelHead(text)
  const { level, step } = bar === null ? classify(head) : { level: 'debug' as const }
  return {
    line: span.line,
    offset: span.start,
    source: context.source,
    level,
    text: bar === null ? text : barText(bar),
    ...(step !== undefined && { step }),
    ...(head.stamp !== undefined && { at: head.stamp + context.zone })
  }
}

/** Text after the last carriage return, without colours, redacted, cut. */
export function visibleText(bytes: Buffer, length: number, redact: Redactor): string {
  const end = bytes.at(-1) === 13 ? bytes.length - 1 : bytes.length
  const from = bytes.lastIndexOf(13, end - 1) + 1
  const kept = bytes.subarray(end > from ? from : 0, end)
  const raw = kept.toString('utf8', 0, Math.min(kept.length, SHOWN * 4 + REDACTION_OVERLAP))
  const clean = redact(stripAnsi(raw))
  if (clean.length <= SHOWN) return clean
  return `${clean.slice(0, SHOWN)} … [${String(length)} bytes]`
}
