import { Axis } from '../../contract/metrics'
import { crc32 } from './crc'
import type { StackEvent } from './model'

/**
 * Journal format, little-endian. A frame is: magic u32, payload length u32, CRC-32 of the payload u32, payload.
 * Payload: attempt u32, from f64, to f64, source text, state text, events text (JSON or empty),
 * definitions u32 × {series u32, axis u8, key text}, shapes u32 × {n u32, n × series u32},
 * rows u32 × {shape u32, x f64, at f64, value f64 for each series of the shape}.
 * A text is its byte length u32 and UTF-8. Series numbers are given in the order of their definitions.
 */
const MAGIC = 0x4a4d4c53
const HEADER = 12
const AXES = Axis.options

/** Longest payload that is believed; what claims more is damage. */
const LONGEST = 256 * 1024 * 1024

export interface Definition {
  series: number
  axis: Axis
  key: string
}

/** A row with its keys replaced by series numbers. Rows alike share one array of them. */
export interface NumberedRow {
  x: number
  at: number
  series: readonly number[]
  values: readonly number[]
}

export interface JournalFrame {
  source: string
  attempt: number
  from: number
  to: number
  state: string
  events: readonly StackEvent[]
  definitions: readonly Definition[]
  rows: readonly NumberedRow[]
}

export function encodeFrame(frame: JournalFrame): Buffer {
  const events = frame.events.length === 0 ? '' : JSON.stringify(frame.events)
  const shapes = new Map<readonly number[], number>()
  for (const { series } of frame.rows) if (!shapes.has(series)) shapes.set(series, shapes.size)
  const size = payloadSize(frame, events, shapes.keys())
  const buffer = Buffer.allocUnsafe(HEADER + size)
  const writer = new Writer(buffer, HEADER)
  writer.u32(frame.attempt)
  writer.f64(frame.from)
  writer.f64(frame.to)
  writer.text(frame.source)
  writer.text(frame.state)
  writer.text(events)
  writer.u32(frame.definitions.length)
  for (const { series, axis, key } of frame.definitions) {
    writer.u32(series)
    writer.u8(AXES.indexOf(axis))
    writer.text(key)
  }
  writer.u32(shapes.size)
  for (const shape of shapes.keys()) writer.numbers(shape)
  writer.u32(frame.rows.length)
  for (const row of frame.rows) writer.row(row, shapes.get(row.series) ?? 0)
  buffer.writeUInt32LE(MAGIC, 0)
  buffer.writeUInt32LE(size, 4)
  buffer.writeUInt32LE(crc32(buffer.subarray(HEADER)), 8)
  return buffer
}

function payloadSize(
  frame: JournalFrame,
  events: string,
  shapes: Iterable<readonly number[]>
): number {
  let size = 4 + 8 + 8 + 4 + 4 + 4
  for (const shape of shapes) size += 4 + 4 * shape.length
  for (const text of [frame.source, frame.state, events]) size += 4 + Buffer.byteLength(text)
  for (const { key } of frame.definitions) size += 9 + Buffer.byteLength(key)
  for (const row of frame.rows) size += 20 + 8 * row.series.length
  return size
}

export type FrameRead =
  | { kind: 'frame'; frame: JournalFrame; size: number }
  /** Fewer bytes than the frame needs; how many it needs, as far as that is known. */
  | { kind: 'short'; needs: number }
  | { kind: 'damaged' }

/** Reads the frame at the beginning of `bytes`. */
export function decodeFrame(bytes: Buffer): FrameRead {
  if (bytes.length < HEADER) return { kind: 'short', needs: HEADER }
  const length = bytes.readUInt32LE(4)
  if (bytes.readUInt32LE(0) !== MAGIC || length > LONGEST) return { kind: 'damaged' }
  if (bytes.length < HEADER + length) return { kind: 'short', needs: HEADER + length }
  const payload = bytes.subarray(HEADER, HEADER + length)
  if (crc32(payload) !== bytes.readUInt32LE(8)) return { kind: 'damaged' }
  return { kind: 'frame', frame: decodePayload(payload), size: HEADER + length }
}

function decodePayload(payload: Buffer): JournalFrame {
  const reader = new Reader(payload)
  const attempt = reader.u32()
  const from = reader.f64()
  const to = reader.f64()
  const source = reader.text()
  const state = reader.text()
  const events = reader.text()
  const definitions = Array.from({ length: reader.u32() }, (): Definition => {
    const series = reader.u32()
    const axis = AXES[reader.u8()] ?? 'step'
    return { series, axis, key: reader.text() }
  })
  const shapes = Array.from({ length: reader.u32() }, () => reader.numbers())
  const rows = Array.from({ length: reader.u32() }, () => reader.row(shapes))
  return { source, attempt, from, to, state, events: eventsOf(events), definitions, rows }
}

/** Our own JSON, behind a checksum: its shape is what `encodeFrame` wrote. */
function eventsOf(text: string): StackEvent[] {
  return text === '' ? [] : (JSON.parse(text) as StackEvent[])
}

class Writer {
  private readonly view: DataView

  constructor(
    private readonly buffer: Buffer,
    private position: number
  ) {
    this.view = new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength)
  }

  u8(value: number): void {
    this.position = this.buffer.writeUInt8(value, this.position)
  }

  u32(value: number): void {
    this.view.setUint32(this.position, value, true)
    this.position += 4
  }

  f64(value: number): void {
    this.view.setFloat64(this.position, value, true)
    this.position += 8
  }

  text(value: string): void {
    const written = this.buffer.write(value, this.position + 4, 'utf8')
    this.buffer.writeUInt32LE(written, this.position)
    this.position += 4 + written
  }

  numbers(values: readonly number[]): void {
    this.u32(values.length)
    for (const value of values) this.u32(value)
  }

  row(row: NumberedRow, shape: number): void {
    this.u32(shape)
    this.f64(row.x)
    this.f64(row.at)
    for (let i = 0; i < row.series.length; i++) this.f64(row.values[i] ?? Number.NaN)
  }
}

class Reader {
  private position = 0
  private readonly view: DataView

  constructor(private readonly buffer: Buffer) {
    this.view = new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength)
  }

  u8(): number {
    return this.buffer.readUInt8(this.position++)
  }

  u32(): number {
    const value = this.view.getUint32(this.position, true)
    this.position += 4
    return value
  }

  f64(): number {
    const value = this.view.getFloat64(this.position, true)
    this.position += 8
    return value
  }

  text(): string {
    const length = this.u32()
    const value = this.buffer.toString('utf8', this.position, this.position + length)
    this.position += length
    return value
  }

  numbers(): number[] {
    return Array.from({ length: this.u32() }, () => this.u32())
  }

  row(shapes: readonly (readonly number[])[]): NumberedRow {
    const series = shapes[this.u32()] ?? []
    const x = this.f64()
    const at = this.f64()
    return { x, at, series, values: series.map(() => this.f64()) }
  }
}
