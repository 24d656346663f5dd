import { peelHead, scanUnits, type ScanState } from '../logs'
import type { FileAccess } from '../targets'
import { type DriverReading, freshReading, readDriverLine } from './driver-log'

const CHUNK = 1 << 20
const TAIL = 64 * 1024
const QUARTER_HOUR = 15 * 60_000
const WIDEST_ZONE = 14 * 3_600_000
/** Chunks of one look, so that a long log does not hold up the rest. */
const MOST_CHUNKS = 64

/** A key that stands in the log in clear text. */
export interface ClearSecret {
  name: string
  /** 1-based line of the log. */
  line: number
  file: string
}

interface Followed {
  path: string
  files: FileAccess
  offset: number
  inode: string
  scan: ScanState
  line: number
  /** Bytes that were there at the last look: of a line still without its end, only the growth is news. */
  size: number
}

/** Lines of our own program that follows a pod: they say nothing of the driver, also not that it lives. */
const OURS = '[slipway] '

export interface FollowerOptions {
  /** Values that must not be readable anywhere, by the name of their variable. */
  secrets: readonly { name: string; value: string }[]
  now: () => number
}

/** Reads the files of one driver's log by byte offset, from the beginning, and keeps what they said. */
export class DriverFollower {
  reading: DriverReading = freshReading()
  /** First place at which each key was seen in clear text. */
  readonly clear = new Map<string, ClearSecret>()
  /** True when more was there than one look reads. */
  behind = false
  private followed: Followed[] = []
  /** Lines read so far, and how many of them were the driver's. */
  private taken = 0
  private spoken = 0
  private zone: number | null = null
  private last: number | null = null

  constructor(private readonly options: FollowerOptions) {}

  /** The log's files as they are known now; ones already followed go on from where they were. */
  setFiles(files: readonly { path: string; files: FileAccess }[]): void {
    this.followed = files.map(
      (file) =>
        this.followed.find((known) => known.path === file.path) ?? {
          ...file,
          offset: 0,
          inode: '',
          scan: { skipping: false },
          line: 0,
          size: 0
        }
    )
  }

  /** Reads what is new; true when the driver said something. `ended`: nobody writes any more, so a cut last line is a line. */
  async read(ended = false): Promise<boolean> {
    let moved = false
    this.behind = false
    for (const file of this.followed) moved = (await this.readFile(file, ended)) || moved
    return moved
  }

  private async readFile(file: Followed, ended: boolean): Promise<boolean> {
    const facts = await file.files.stat(file.path)
    if (facts === null) return false
    if (facts.size < file.offset || (file.inode !== '' && facts.inode !== file.inode)) {
      // `tee` of a restarted pod begins the file anew: what it said before belongs to an earlier life.
      this.reading = { ...freshReading(), restarts: this.reading.restarts + 1 }
      Object.assign(file, { offset: 0, scan: { skipping: false }, line: 0, size: 0 })
    }
    file.inode = facts.inode
    const grew = facts.size > file.size
    file.size = facts.size
    if (facts.size <= file.offset) return false
    const { taken, spoken } = this
    await this.findZone(file, facts.size, facts.modified)
    for (let round = 0; file.offset < facts.size; round += 1) {
      if (round === MOST_CHUNKS) {
        this.behind = true
        break
      }
      const bytes = await file.files.read(file.path, file.offset, CHUNK)
      if (bytes === null || bytes.byteLength === 0) break
      const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      const used = scanUnits(chunk, file.scan, (unit, from, to) => {
        file.line += 1
        if (to > from) this.take(file, unit.toString('utf8', from, to))
      })
      if (used === 0) {
        if (ended) this.takeRest(file, chunk)
        break
      }
      file.offset += used
    }
    // A look that ended no line still saw one grow.
    return this.spoken > spoken || (grew && this.taken === taken)
  }

  private takeRest(file: Followed, chunk: Buffer): void {
    file.line += 1
    this.take(file, chunk.toString('utf8'))
    file.offset += chunk.length
  }

  private take(file: Followed, text: string): void {
    this.taken += 1
    if (!text.startsWith(OURS)) this.spoken += 1
    const stamp = text.startsWith('[2') ? peelHead(text).stamp : undefined
    if (stamp !== undefined) this.last = stamp + (this.zone ?? 0)
    const at = this.last ?? this.options.now()
    const next = readDriverLine(this.reading, text, at)
    this.reading = next
    for (const { name, value } of this.options.secrets) {
      if (!this.clear.has(name) && text.includes(value))
        this.clear.set(name, { name, line: file.line, file: file.path })
    }
  }

  /** Stamps carry no zone; the newest one and the file's own time are the same moment. */
  private async findZone(file: Followed, size: number, modified: number): Promise<void> {
    if (this.zone !== null) return
    const bytes = await file.files.read(file.path, Math.max(0, size - TAIL), TAIL)
    if (bytes === null) return
    const lines = Buffer.from(bytes)
      .toString('latin1')
      .split(/[\r\n]/)
    const stamp = lines.reduce<number | null>((found, line) => peelHead(line).stamp ?? found, null)
    if (stamp === null) return
    const zone = Math.round((modified - stamp) / QUARTER_HOUR) * QUARTER_HOUR
    this.zone = Math.abs(zone) <= WIDEST_ZONE ? zone : 0
  }
}
