import { maskedCrc32c } from '../crc'
import {
  axisOfKey,
  badChecksum,
  rowsByAxis,
  tornTail,
  type Sink,
  type TrackerParser
} from './parser'
import { fieldsOf, signed } from './protobuf'

/**
 * TensorBoard event files: TFRecord framing (length u64, masked CRC-32C of it, data, masked CRC-32C of that)
 * around `Event` messages (tensorflow/core/util/event.proto). Scalars only, as `simple_value` or one-element tensor.
 */
export class TfEventsParser implements TrackerParser {
  private stopped = false

  /** @param offset place in the file of the first byte it gets. */
  constructor(private offset = 0) {}

  safe(): number {
    return this.offset
  }

  push(chunk: Buffer, sink: Sink): number {
    let used = 0
    while (!this.stopped) {
      const record = recordAt(chunk, used)
      if (record.kind === 'short') break
      if (record.kind === 'damaged') {
        sink.problem(badChecksum(this.offset + used))
        this.stopped = true
        break
      }
      readEvent(record.data, sink)
      used += record.size
    }
    if (this.stopped) used = chunk.length
    this.offset += used
    return used
  }

  end(rest: Buffer, sink: Sink): void {
    if (rest.length > 0 && !this.stopped) sink.problem(tornTail(this.offset, rest.length))
  }
}

type RecordRead =
  { kind: 'record'; data: Buffer; size: number } | { kind: 'short' } | { kind: 'damaged' }

function recordAt(chunk: Buffer, from: number): RecordRead {
  if (chunk.length - from < 12) return { kind: 'short' }
  const header = chunk.subarray(from, from + 8)
  if (maskedCrc32c(header) !== chunk.readUInt32LE(from + 8)) return { kind: 'damaged' }
  const length = Number(header.readBigUInt64LE(0))
  const size = 12 + length + 4
  if (chunk.length - from < size) return { kind: 'short' }
  const data = chunk.subarray(from + 12, from + 12 + length)
  if (maskedCrc32c(data) !== chunk.readUInt32LE(from + 12 + length)) return { kind: 'damaged' }
  return { kind: 'record', data, size }
}

/** Whether a file begins like a TFRecord file: its first length has the right checksum. */
export function looksLikeTfEvents(head: Buffer): boolean {
  return head.length >= 12 && maskedCrc32c(head.subarray(0, 8)) === head.readUInt32LE(8)
}

function readEvent(event: Buffer, sink: Sink): void {
  let at = 0
  let step = 0
  const numbers: [string, number][] = []
  for (const field of fieldsOf(event)) {
    if (field.number === 1 && field.wire === 'fixed64') at = field.bytes.readDoubleLE(0) * 1000
    else if (field.number === 2 && field.wire === 'varint') step = signed(field.value)
    else if (field.number === 5 && field.wire === 'bytes') readSummary(field.bytes, numbers)
  }
  for (const row of rowsByAxis(numbers, at, (key) => ({ axis: axisOfKey(key), x: step })))
    sink.row(row)
}

function readSummary(summary: Buffer, numbers: [string, number][]): void {
  for (const field of fieldsOf(summary)) {
    if (field.number !== 1 || field.wire !== 'bytes') continue
    let tag = ''
    let value: number | null = null
    for (const part of fieldsOf(field.bytes)) {
      if (part.number === 1 && part.wire === 'bytes') tag = part.bytes.toString('utf8')
      else if (part.number === 2 && part.wire === 'fixed32') value = part.bytes.readFloatLE(0)
      else if (part.number === 8 && part.wire === 'bytes') value ??= scalarOfTensor(part.bytes)
    }
    if (value !== null) numbers.push([tag, value])
  }
}

/** The number of a tensor with exactly one element; null for any other. */
function scalarOfTensor(tensor: Buffer): number | null {
  let type = 0
  const found: number[] = []
  let content: Buffer | null = null
  for (const field of fieldsOf(tensor)) {
    if (field.number === 1 && field.wire === 'varint') type = Number(field.value)
    else if (field.number === 4 && field.wire === 'bytes') content = field.bytes
    else if (field.wire === 'varint') pushWhole(found, field.number, type, field.value)
    else if (field.number === 5) pushAll(found, field.bytes, 4, (at) => field.bytes.readFloatLE(at))
    else if (field.number === 6)
      pushAll(found, field.bytes, 8, (at) => field.bytes.readDoubleLE(at))
    else if ([7, 10, 11, 13].includes(field.number))
      pushPacked(found, field.number, type, field.bytes)
  }
  if (content !== null && found.length === 0) return scalarOfContent(type, content)
  return found.length === 1 ? (found[0] ?? null) : null
}

function pushAll(found: number[], bytes: Buffer, size: number, read: (at: number) => number): void {
  for (let at = 0; at + size <= bytes.length; at += size) found.push(read(at))
}

function pushPacked(found: number[], field: number, type: number, bytes: Buffer): void {
  // A packed list is varints without tags: give each one a tag (field 1, varint) and read it as a message.
  const tagged: number[] = []
  let fresh = true
  for (const byte of bytes) {
    if (fresh) tagged.push(8)
    tagged.push(byte)
    fresh = byte < 128
  }
  for (const one of fieldsOf(Buffer.from(tagged))) {
    if (one.wire === 'varint') pushWhole(found, field, type, one.value)
  }
}

function pushWhole(found: number[], field: number, type: number, value: bigint): void {
  if (field === 13) found.push(type === BFLOAT16 ? bfloat16(Number(value)) : half(Number(value)))
  else if (field === 7 || field === 10 || field === 11) found.push(signed(value))
}

const BFLOAT16 = 14

function scalarOfContent(type: number, bytes: Buffer): number | null {
  switch (`${String(type)}:${String(bytes.length)}`) {
    case '1:4':
      return bytes.readFloatLE(0)
    case '2:8':
      return bytes.readDoubleLE(0)
    case '3:4':
      return bytes.readInt32LE(0)
    case '9:8':
      return Number(bytes.readBigInt64LE(0))
    case '10:1':
      return bytes.readUInt8(0)
    case '14:2':
      return bfloat16(bytes.readUInt16LE(0))
    case '19:2':
      return half(bytes.readUInt16LE(0))
    default:
      return null
  }
}

function bfloat16(bits: number): number {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt16LE(bits & 0xffff, 2)
  return bytes.readFloatLE(0)
}

function half(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1
  const exponent = (bits >> 10) & 31
  const fraction = bits & 1023
  if (exponent === 0) return sign * fraction * 2 ** -24
  if (exponent === 31) return fraction === 0 ? sign * Infinity : Number.NaN
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15)
}
