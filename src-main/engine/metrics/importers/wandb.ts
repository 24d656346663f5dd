import { crc32 } from '../crc'
import { jsonNumber, numbersOf, parsePythonJson } from './json-numbers'
import {
  axisOfKey,
  badChecksum,
  rowsByAxis,
  tornTail,
  type Sink,
  type TrackerParser
} from './parser'
import { fieldsOf, signed } from './protobuf'

const BLOCK = 32_768
const HEADER = Buffer.from([0x3a, 0x57, 0x26, 0x42, 0xe1, 0xbe, 0x00])
const FULL = 1
const FIRST = 2
const MIDDLE = 3
const LAST = 4

/**
 * W&B offline files (`run-<id>.wandb`; wandb/sdk/internal/datastore.py): a 7-byte header, then LevelDB log blocks of
 * 32 KiB with records {CRC-32 of type and data u32, length u16, type u8}. The checksum is zlib's, unmasked.
 */
export class WandbParser implements TrackerParser {
  private stopped = false
  private parts: Buffer[] = []
  /** Where the record whose parts are kept begins. */
  private begun = 0

  /** @param offset place in the file of the next byte to use; decides where blocks end. */
  constructor(private offset = 0) {}

  safe(): number {
    return this.parts.length > 0 ? this.begun : this.offset
  }

  push(chunk: Buffer, sink: Sink): number {
    let used = this.offset === 0 ? this.header(chunk, sink) : 0
    while (!this.stopped) {
      const step = this.record(chunk, used, sink)
      if (step === 0) break
      used += step
      this.offset += step
    }
    return this.stopped ? chunk.length : used
  }

  end(rest: Buffer, sink: Sink): void {
    const unfinished = rest.length + this.parts.reduce((sum, part) => sum + part.length, 0)
    if (unfinished > 0 && !this.stopped) sink.problem(tornTail(this.offset, unfinished))
  }

  private header(chunk: Buffer, sink: Sink): number {
    if (chunk.length < HEADER.length) return 0
    if (!chunk.subarray(0, HEADER.length).equals(HEADER)) {
      this.stopped = true
      sink.problem({
        code: 'bad-header',
        offset: 0,
        what: { en: 'This is no W&B file of a known version.', zh: '这不是已知版本的 W&B 文件。' }
      })
      return 0
    }
    this.offset = HEADER.length
    return HEADER.length
  }

  /** Takes one record or the padding of a block. Returns its bytes; 0 when more are needed. */
  private record(chunk: Buffer, from: number, sink: Sink): number {
    if (this.offset === 0) return 0
    const left = BLOCK - (this.offset % BLOCK)
    if (left < 7) return chunk.length - from >= left ? left : 0
    if (chunk.length - from < 7) return 0
    const length = chunk.readUInt16LE(from + 4)
    const size = 7 + length
    if (chunk.length - from < size) return 0
    const body = chunk.subarray(from + 6, from + size)
    if (crc32(body) !== chunk.readUInt32LE(from)) {
      this.stopped = true
      sink.problem(badChecksum(this.offset))
      return 0
    }
    this.assemble(body[0] ?? 0, body.subarray(1), sink)
    return size
  }

  private assemble(type: number, data: Buffer, sink: Sink): void {
    // Copied, because the chunk they lie in is used again.
    if (type === FIRST) {
      this.parts = [Buffer.from(data)]
      this.begun = this.offset
    } else if (type === MIDDLE) this.parts.push(Buffer.from(data))
    else if (type === LAST) {
      readRecord(Buffer.concat([...this.parts, data]), sink)
      this.parts = []
    } else if (type === FULL) readRecord(data, sink)
  }
}

export function looksLikeWandb(head: Buffer): boolean {
  return head.subarray(0, 4).equals(HEADER.subarray(0, 4))
}

function readRecord(record: Buffer, sink: Sink): void {
  for (const field of fieldsOf(record)) {
    if (field.wire !== 'bytes') continue
    if (field.number === 2) readHistory(field.bytes, sink)
    else if (field.number === 7) readStats(field.bytes, sink)
  }
}

function readHistory(history: Buffer, sink: Sink): void {
  const numbers: [string, number][] = []
  let step = 0
  for (const field of fieldsOf(history)) {
    if (field.wire !== 'bytes') continue
    if (field.number === 1) numbers.push(...itemNumbers(field.bytes))
    if (field.number !== 2) continue
    for (const part of fieldsOf(field.bytes)) if (part.wire === 'varint') step = signed(part.value)
  }
  const named = new Map(numbers)
  const at = (named.get('_timestamp') ?? 0) * 1000
  const x = named.get('_step') ?? step
  const metrics = numbers.filter(([key]) => !key.startsWith('_'))
  for (const row of rowsByAxis(metrics, at, (key) => placeOf(key, named, x))) sink.row(row)
}

/** The axis a key was declared against: its own step key where the record has it. `_step` counts log calls only. */
function placeOf(
  key: string,
  named: ReadonlyMap<string, number>,
  callCount: number
): ReturnType<Parameters<typeof rowsByAxis>[2]> {
  const axis = axisOfKey(key)
  const stepKey = axis === 'eval' ? 'eval/step' : axis === 'rollout' ? 'rollout/step' : 'train/step'
  const own = named.get(stepKey)
  if (own !== undefined) return { axis, x: own }
  const commit = named.get('reef/step')
  return commit === undefined ? { axis, x: callCount } : { axis: 'commit', x: commit }
}

function readStats(stats: Buffer, sink: Sink): void {
  let at = 0
  const numbers: [string, number][] = []
  for (const field of fieldsOf(stats)) {
    if (field.wire !== 'bytes') continue
    if (field.number === 2) at = timestamp(field.bytes)
    if (field.number === 3) numbers.push(...itemNumbers(field.bytes))
  }
  if (numbers.length === 0) return
  const keys = numbers.map(([key]) => `system/${key}`)
  sink.row({ axis: 'wall', x: at, at, keys, values: numbers.map(([, value]) => value) })
}

/** google.protobuf.Timestamp in milliseconds. */
function timestamp(message: Buffer): number {
  let at = 0
  for (const field of fieldsOf(message)) {
    if (field.wire === 'varint')
      at += field.number === 1 ? signed(field.value) * 1000 : signed(field.value) / 1e6
  }
  return at
}

function itemNumbers(item: Buffer): [string, number][] {
  let key = ''
  const nested: string[] = []
  let json = ''
  for (const field of fieldsOf(item)) {
    if (field.wire !== 'bytes') continue
    const text = field.bytes.toString('utf8')
    if (field.number === 1) key = text
    else if (field.number === 2) nested.push(text)
    else if (field.number === 16) json = text
  }
  const name = nested.length > 0 ? nested.join('.') : key
  const parsed = parsePythonJson(json)
  if (parsed === null) return []
  const number = jsonNumber(parsed.value)
  return number === null ? numbersOf(parsed.value, name, '.') : [[name, number]]
}
