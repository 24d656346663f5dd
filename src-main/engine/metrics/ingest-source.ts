import { z } from 'zod'
import type { Progress } from '../../contract/logs'
import type { Text } from '../../contract/text'
import type { FileFacts } from '../targets'
import { PackedLogs, peelHead, scanUnits } from '../logs'
import type { Clock, Redactor } from '../lib'
import { clearLine, ClearSecrets, type NamedSecret } from './clear-secrets'
import { crc32 } from './crc'
import { freshParserState, LineParser } from './line-parser'
import { LineShapes } from './line-shapes'
import type { Frame, IngestSource, MetricStore, Row } from './model'
import {
  oldestPart,
  type ReadPart,
  type ReadSoFar,
  rotatedLog,
  type RotatedLog,
  type Rotating
} from './rotated-log'

/** Bytes parsed at once, and kept as one frame; more than a whole unit may have, so that every chunk gets on. */
const CHUNK = 512 * 1024
/** Bytes read at once: each reading looks at the file, opens and closes it, which takes longer than the bytes. */
const PIECE = 4 * CHUNK
/** A rest so short goes with the chunk before it. */
const REST = CHUNK / 4
/** So much text without any number or event is passed before the cursor is written down. */
const QUIET_BYTES = 256 * 1024
/** Bytes at the beginning of a file by which the same file is known again. */
const FINGERPRINT = 256
/** Bytes before the cursor, read again with what follows them: a file that was cut and grew again has others there. */
const OVERLAP = 64
const TAIL = 64 * 1024
const QUARTER_HOUR = 15 * 60 * 1000
/** A source that shows no stamp in so many looks has none. */
const ZONE_TRIES = 8
const WIDEST_ZONE = 14 * 60 * 60 * 1000
const LONGEST_LINE = 2048
const LF = 10

/** Room for what is read at once. Whoever reads several sources in turn can give all of them the same. */
export class ReadingRoom {
  private bytes: Uint8Array | undefined

  /** As much room as one reading needs; what was read into it before is gone. */
  take(): Uint8Array {
    return (this.bytes ??= new Uint8Array(PIECE + OVERLAP))
  }

  /** Nothing is read for a while: the memory is given back. */
  leave(): void {
    this.bytes = undefined
  }
}

const State = z.object({
  parser: z.object({
    zone: z.number().nullable(),
    last: z.number().nullable(),
    step: z.number(),
    done: z.boolean(),
    full: z.array(z.string()),
    /** Absent in cursors of before, which took the step for known. */
    known: z.boolean().default(true),
    held: z
      .array(z.object({ at: z.number(), keys: z.array(z.string()), values: z.array(z.string()) }))
      .default([])
  }),
  skipping: z.boolean(),
  inode: z.string(),
  head: z.object({ length: z.number(), crc: z.number() }),
  /** The bytes before the cursor; absent in cursors of before. */
  tail: z.object({ length: z.number(), crc: z.number() }).default({ length: 0, crc: 0 })
})

type NewEvent = NonNullable<Frame['events']>[number]

/** What one turn at a source brought. */
export interface Turn {
  bytes: number
  samples: number
  /** Bytes of the file not yet read. */
  behind: number
}

/** One log file on its way into the store. */
export class SourceIngest {
  readonly bars = new Map<string, Progress>()
  source: IngestSource
  private readonly parser: LineParser
  private readonly shapes: LineShapes
  private readonly scan: { skipping: boolean }
  private readonly secrets: ClearSecrets
  /** First byte not yet read, and the first not yet in the store. */
  private offset: number
  private stored: number
  private inode: string
  private head: { length: number; crc: number }
  private tail: { length: number; crc: number }
  private recognised = false
  /** Of the file at the last look: one of the same size that was written since may be another text. */
  private modified = -1
  private zoneTries = 0
  private packed: PackedLogs | null = null
  private rows: Row[] = []
  private events: NewEvent[] = []
  /** The newest append, on its way to the disk while the next chunk is parsed: null, or what went wrong. */
  private landing: Promise<{ cause: unknown } | null> = Promise.resolve(null)

  constructor(
    source: IngestSource,
    private readonly store: MetricStore,
    private readonly redact: Redactor,
    private readonly clock: Clock,
    secrets: readonly NamedSecret[] = []
  ) {
    this.secrets = new ClearSecrets(secrets)
    this.source = source
    const cursor = store.cursor(source.id)
    const kept = cursor === null ? null : stateOf(cursor.state)
    this.parser = new LineParser(
      kept?.parser ?? freshParserState(),
      source.role === 'launcher' ? 'launcher' : 'service'
    )
    this.shapes = new LineShapes(this.parser.state)
    this.scan = { skipping: kept?.skipping ?? false }
    this.offset = this.stored = cursor?.offset ?? 0
    this.inode = kept?.inode ?? ''
    this.head = kept?.head ?? { length: 0, crc: 0 }
    this.tail = kept?.tail ?? { length: 0, crc: 0 }
  }

  private get log(): Rotating {
    const { files, path } = this.source
    return { files, path, packed: (this.packed ??= new PackedLogs(files)) }
  }

  private get soFar(): ReadSoFar {
    const { inode, offset, head } = this
    return { inode, offset, head }
  }

  /**
   * Reads a piece of the file and appends what it held.
   * @param room Where the bytes are put; they are done with when the turn is over.
   */
  async turn(room: ReadingRoom): Promise<Turn> {
    const facts = await this.source.files.stat(this.source.path)
    if (facts === null) return { bytes: 0, samples: 0, behind: 0 }
    // A log that was rotated before anybody read it begins with its oldest part.
    if (this.inode === '') this.inode = (await oldestPart(this.log)) ?? ''
    const old = await rotatedLog(this.log, facts, this.soFar)
    if (old !== null) return this.finishOld(old)
    await this.checkIdentity(facts)
    const touched = facts.modified !== this.modified
    this.modified = facts.modified
    if (facts.size <= this.offset && !touched) return this.nothingNew()
    await this.findZone(facts)
    const { files, path } = this.source
    const most = Math.min(PIECE, Math.max(0, facts.size - this.offset))
    // What is read as it is written comes in small parts, which need no room of their own.
    const into = most > CHUNK ? room.take() : undefined
    const piece = await this.readOn((from, length) => files.read(path, from, length, into), most)
    if (piece === 'other') return this.afterCut(facts)
    if (piece === null) return { bytes: 0, samples: 0, behind: 0 }
    const { bytes, samples } = await this.takePiece(piece, facts.size)
    const behind = bytes === 0 ? 0 : Math.max(0, facts.size - this.offset)
    return { bytes, samples, behind }
  }

  /** Parses a piece chunk by chunk; what is left of its last unit is read again, with more behind it. */
  private async takePiece(
    piece: Buffer,
    size: number
  ): Promise<{ bytes: number; samples: number }> {
    if (this.offset === 0 && this.head.length === 0) this.head = fingerprint(piece)
    const isEnd = this.offset + piece.length >= size
    let samples = 0
    for (let done = 0; ;) {
      // The last chunk takes a short rest with it, which makes no frame of its own.
      const isLast = piece.length - done < CHUNK + REST
      const chunk = piece.subarray(done, isLast ? piece.length : done + CHUNK)
      const used = this.take(chunk, isEnd && isLast)
      this.advance(chunk, used)
      done += used
      samples += this.rows.reduce((sum, row) => sum + row.keys.length, 0)
      await this.keep()
      if (isLast || used === 0) return { bytes: done, samples }
    }
  }

  /** Where nobody writes any more, what waited for a later line waits for none. */
  private async nothingNew(): Promise<Turn> {
    const rows = this.source.ended === true ? this.parser.end() : []
    for (const row of rows) this.row(row)
    if (rows.length > 0) await this.append(this.stored, this.offset)
    return { bytes: 0, samples: rows.reduce((sum, row) => sum + row.keys.length, 0), behind: 0 }
  }

  /** The next chunk; `other` when what stands before it is not what was read there. */
  private async readOn(read: ReadPart, most: number): Promise<Buffer | 'other' | null> {
    const { length, crc } = this.tail
    const data = await read(this.offset - length, length + most)
    if (data === null) return null
    if (length > 0 && crc32(data.subarray(0, length)) !== crc) return 'other'
    return Buffer.from(data.buffer, data.byteOffset + length, data.byteLength - length)
  }

  private advance(chunk: Buffer, used: number): void {
    if (used === 0) return
    this.offset += used
    const tail = chunk.subarray(Math.max(0, used - OVERLAP), used)
    this.tail = { length: tail.length, crc: crc32(tail) }
  }

  /** The file was cut and has grown past the cursor again: a copy may hold the rest of what it was. */
  private async afterCut(facts: FileFacts): Promise<Turn> {
    const old = await rotatedLog(this.log, { ...facts, size: -1 }, this.soFar)
    if (old !== null) return this.finishOld({ ...old, next: facts })
    await this.beginAnew('log-truncated', 'warning', facts)
    return { bytes: 0, samples: 0, behind: facts.size }
  }

  /** Reads one chunk of what a rotated file still holds; at its end goes over to the file that follows it. */
  private async finishOld(old: RotatedLog): Promise<Turn> {
    const read = await this.readOn(old.read, CHUNK)
    const chunk = read === null || read === 'other' ? Buffer.alloc(0) : read
    if (this.offset === 0 && this.head.length === 0) this.head = fingerprint(chunk)
    const isEnd = this.offset + chunk.length >= old.size
    const used = this.take(chunk, isEnd, old.finished)
    this.advance(chunk, used)
    const samples = this.rows.reduce((sum, row) => sum + row.keys.length, 0)
    await this.keep()
    if (read !== 'other' && !isEnd && used > 0)
      return { bytes: used, samples, behind: old.size - this.offset }
    if (!old.finished) return { bytes: used, samples, behind: 0 }
    if (old.fault !== null) this.tellFault(old.fault)
    if (this.offset > this.stored) await this.append(this.stored, this.offset)
    await this.beginAnew('log-rotated', 'info', old.next)
    return { bytes: used, samples, behind: old.next.size }
  }

  /** A packed part ended before what was packed into it did. */
  private tellFault({ en, zh }: Text): void {
    this.events.push({
      offset: this.offset,
      at: this.clock.now(),
      kind: 'log-part-cut',
      severity: 'warning',
      data: { zh },
      line: en
    })
  }

  /** Parses the chunk's units; returns how many bytes are done with. */
  private take(chunk: Buffer, isEnd: boolean, ended = this.source.ended === true): number {
    const arrival = this.clock.now()
    const used = scanUnits(chunk, this.scan, (bytes, from, to) => {
      if (to > from) this.unit(bytes, from, to, arrival)
    })
    this.shapes.release()
    this.tellSecrets(chunk.subarray(0, used))
    if (!isEnd || !ended) return used
    if (used < chunk.length) {
      this.unit(chunk, used, chunk.length, arrival)
      this.shapes.release()
      this.tellSecrets(chunk)
    }
    // Not at the end of a rotated part: its text goes on in the next one.
    if (this.source.ended === true) for (const row of this.parser.end()) this.row(row)
    return chunk.length
  }

  /** Whoever can read the log can read a secret that stands in it: said once each. */
  private tellSecrets(chunk: Buffer): void {
    for (const { name, at } of this.secrets.look(chunk))
      this.events.push({
        offset: this.offset + chunk.lastIndexOf(LF, at) + 1,
        at: this.clock.now(),
        kind: 'secret-in-clear',
        severity: 'warning',
        data: { name },
        line: clearLine(name)
      })
  }

  private unit(bytes: Buffer, from: number, to: number, arrival: number): void {
    const known = this.shapes.read(bytes, from, to, arrival)
    if (known !== null) {
      if (known.kind === 'row') this.row(known.row)
      return
    }
    const text = bytes.toString('utf8', from, to)
    const meaning = this.parser.read(text, arrival)
    this.shapes.learn(bytes, from, to, meaning, this.parser.trace)
    for (const row of this.parser.also) this.row(row)
    switch (meaning.kind) {
      case 'row':
        this.row(meaning.row)
        return
      case 'event': {
        const { event, at, step } = meaning
        const offset = this.offset + from
        const data = Object.fromEntries(
          Object.entries(event.data).map(([name, value]) => [name, this.redact(value)])
        )
        const line = this.redact(text.slice(0, LONGEST_LINE * 2)).slice(0, LONGEST_LINE)
        const { kind, severity } = event
        const whole: NewEvent = { offset, at, kind, severity, data, line }
        this.events.push(step === undefined ? whole : { ...whole, step })
        return
      }
      case 'bar': {
        const { label, done, total, left } = meaning.bar
        this.bars.delete(label)
        if (total !== null && done >= total) return
        this.bars.set(label, { source: this.source.id, label, done, total, left, at: arrival })
        return
      }
      case 'text':
    }
  }

  private row(row: Row): void {
    const keys = this.clean(row.keys)
    this.rows.push(keys === row.keys ? row : { ...row, keys })
  }

  /** Redacted names by the array they came in; lines that repeat their keys share one. */
  private readonly cleaned = new WeakMap<readonly string[], readonly string[]>()

  private clean(keys: readonly string[]): readonly string[] {
    const known = this.cleaned.get(keys)
    if (known !== undefined) return known
    const clean = keys.map((key) => this.redact(key))
    const same = clean.every((key, i) => key === keys[i]) ? keys : clean
    this.cleaned.set(keys, same)
    return same
  }

  private async keep(): Promise<void> {
    const quiet = this.rows.length === 0 && this.events.length === 0
    if (quiet && this.offset - this.stored < QUIET_BYTES && this.source.ended !== true) return
    if (quiet && this.offset === this.stored) return
    await this.append(this.stored, this.offset)
  }

  /**
   * Waits until everything read so far is in the store.
   * @throws what kept it from getting there.
   */
  async landed(): Promise<void> {
    const failure = await this.landing
    if (failure !== null) throw failure.cause
  }

  /** Begins an append, once the one before it has come through: frames without a gap between them. */
  private async append(from: number, to: number): Promise<void> {
    await this.landed()
    const { id, attempt } = this.source
    const { rows, events } = this
    const { parser, scan, inode, head, tail } = this
    const skipping = scan.skipping
    const state = JSON.stringify({ parser: parser.state, skipping, inode, head, tail })
    this.rows = []
    this.events = []
    this.landing = this.store
      .append({ source: id, attempt, from, to, state, rows, events })
      .then(() => null)
      .catch((cause: unknown) => ({ cause }))
    this.stored = to
  }

  /** A file that shrank or was replaced is read from its beginning, and an event says what happened. */
  private async checkIdentity(facts: FileFacts): Promise<void> {
    const replaced = this.inode !== '' && facts.inode !== this.inode
    const shrunk = facts.size < this.offset
    const changed = !replaced && !shrunk && !this.recognised && (await this.beginsDifferently())
    this.recognised = true
    this.inode = facts.inode
    if (!replaced && !shrunk && !changed) return
    await this.beginAnew(replaced ? 'log-replaced' : 'log-truncated', 'warning', facts)
  }

  private async beginAnew(
    kind: string,
    severity: NewEvent['severity'],
    { inode, size }: { inode: string; size: number }
  ): Promise<void> {
    const data = { readUpTo: String(this.offset), size: String(size) }
    this.events.push({ offset: 0, at: this.clock.now(), kind, severity, data, line: '' })
    this.inode = inode
    this.offset = 0
    this.head = this.tail = { length: 0, crc: 0 }
    this.scan.skipping = false
    await this.append(0, 0)
  }

  private async beginsDifferently(): Promise<boolean> {
    if (this.head.length === 0) return false
    const data = await this.source.files.read(this.source.path, 0, this.head.length)
    return data === null || crc32(data) !== this.head.crc
  }

  /**
   * Log stamps carry no time zone. The newest stamp of a file and its modification time are the same moment,
   * so their difference, to the quarter of an hour, is the zone.
   */
  private async findZone(facts: FileFacts): Promise<void> {
    if (this.parser.state.zone !== null || this.zoneTries >= ZONE_TRIES) return
    this.zoneTries++
    const from = Math.max(0, facts.size - TAIL)
    const data = await this.source.files.read(this.source.path, from, TAIL)
    const stamp = data === null ? null : newestStamp(Buffer.from(data).toString('latin1'))
    if (stamp === null) return
    const zone = Math.round((facts.modified - stamp) / QUARTER_HOUR) * QUARTER_HOUR
    this.parser.state.zone = Math.abs(zone) <= WIDEST_ZONE ? zone : 0
  }
}

/** Milliseconds to add to the stamps of a log, as reading it for metrics found them; 0 when that is not known. */
export function zoneOf(store: MetricStore, source: string): number {
  return stateOf(store.cursor(source)?.state ?? '')?.parser.zone ?? 0
}

function stateOf(text: string): z.infer<typeof State> | null {
  if (text === '') return null
  return State.parse(JSON.parse(text))
}

function fingerprint(chunk: Buffer): { length: number; crc: number } {
  const length = Math.min(FINGERPRINT, chunk.length)
  return { length, crc: crc32(chunk.subarray(0, length)) }
}

function newestStamp(text: string): number | null {
  let newest: number | null = null
  for (const line of text.split(/[\r\n]/)) newest = peelHead(line).stamp ?? newest
  return newest
}
