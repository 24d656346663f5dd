import { z } from 'zod'
import type { Progress } from '../../contract/logs'
import type { Clock, Redactor } from '../lib'
import type { FileFacts } from '../targets'
import { trackerParser, type Problem, type TrackerParser } from './importers'
import type { Turn } from './ingest-source'
import type { Frame, IngestSource, MetricStore, Row } from './model'

const CHUNK = 512 * 1024
/** Longest record that is waited for; one that claims more is damage. */
const LONGEST_RECORD = 64 * 1024 * 1024

const State = z.object({ inode: z.string(), damaged: z.boolean() })

/**
 * One TensorBoard or W&B file on its way into the store, while it is being written. Its end is nearly always torn: the
 * record there is waited for. A wrong checksum ends the reading of the file, and an event says where.
 */
export class TrackerSource {
  readonly bars: ReadonlyMap<string, Progress> = new Map()
  source: IngestSource
  private parser: TrackerParser
  /** First byte not taken in. Records that hang together are taken in together. */
  private offset: number
  private inode: string
  private damaged: boolean
  /** Bytes to read at once: more where a record is longer. */
  private reach = CHUNK
  private rows: Row[] = []
  private problems: Problem[] = []

  constructor(
    source: IngestSource,
    private readonly store: MetricStore,
    private readonly redact: Redactor,
    private readonly clock: Clock
  ) {
    this.source = source
    const cursor = store.cursor(source.id)
    const kept =
      cursor === null || cursor.state === '' ? null : State.parse(JSON.parse(cursor.state))
    this.offset = cursor?.offset ?? 0
    this.inode = kept?.inode ?? ''
    this.damaged = kept?.damaged ?? false
    this.parser = trackerParser(source.path, this.offset)
  }

  /** Reads one chunk and appends what it held. */
  async turn(): Promise<Turn> {
    const { files, path } = this.source
    const facts = await files.stat(path)
    if (facts === null) return { bytes: 0, samples: 0, behind: 0 }
    await this.checkIdentity(facts)
    if (this.damaged || facts.size <= this.offset) return { bytes: 0, samples: 0, behind: 0 }
    const data = await files.read(path, this.offset, this.reach)
    if (data === null || data.length === 0) return { bytes: 0, samples: 0, behind: 0 }
    const from = this.offset
    const { read, safe } = this.take(Buffer.from(data.buffer, data.byteOffset, data.byteLength))
    this.offset = safe
    const samples = this.rows.reduce((sum, row) => sum + row.keys.length, 0)
    const torn = safe === from && !this.damaged
    if (!torn) await this.append(from, safe)
    // Nothing whole in all that was read: the next look reads further, if there is more.
    const more = torn && data.length === this.reach && this.reach < LONGEST_RECORD
    this.reach = more ? this.reach * 2 : CHUNK
    const behind = torn && !more ? 0 : facts.size - this.offset
    return { bytes: torn ? 0 : read, samples, behind: this.damaged ? 0 : behind }
  }

  /** Frames are appended one by one here: nothing is on its way between two turns. */
  landed(): Promise<void> {
    return Promise.resolve()
  }

  private take(chunk: Buffer): { read: number; safe: number } {
    const start = this.offset
    const sink = {
      row: (row: Row) => {
        this.rows.push({ ...row, keys: row.keys.map((key) => this.redact(key)) })
      },
      problem: (problem: Problem) => {
        this.problems.push(problem)
      }
    }
    const used = this.parser.push(chunk, sink)
    this.damaged = this.problems.length > 0
    const safe = this.damaged ? start + used : this.parser.safe()
    // Pieces of a record without its end are read again, with the end behind them.
    if (!this.damaged && safe < start + used) this.parser = trackerParser(this.source.path, safe)
    return { read: safe - start, safe }
  }

  private async append(from: number, to: number): Promise<void> {
    const { id, attempt } = this.source
    const events = this.problems.map((problem) => this.eventOf(problem))
    const { rows, inode, damaged } = this
    this.rows = []
    this.problems = []
    const state = JSON.stringify({ inode, damaged })
    await this.store.append({ source: id, attempt, from, to, state, rows, events })
  }

  private eventOf({ code, offset, what }: Problem): NonNullable<Frame['events']>[number] {
    const path = this.redact(this.source.path)
    return {
      offset,
      at: this.clock.now(),
      kind: `tracker-${code}`,
      severity: 'warning',
      data: { path, zh: `${path}：${what.zh}` },
      line: `${path}: ${what.en}`
    }
  }

  /** A file that shrank or was replaced is read from its beginning. */
  private async checkIdentity(facts: FileFacts): Promise<void> {
    const other = this.inode !== '' && facts.inode !== this.inode
    this.inode = facts.inode
    if (!other && facts.size >= this.offset) return
    this.offset = 0
    this.damaged = false
    this.parser = trackerParser(this.source.path, 0)
    await this.append(0, 0)
  }
}
