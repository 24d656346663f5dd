import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { Axis } from '../../contract/metrics'
import { errorCode, writeFileAtomic } from '../lib'
import { crc32 } from './crc'
import type { SourceCursor } from './model'
import { Series, type SeriesRecord } from './series'

/**
 * The index spares reading the journal from its beginning. It says up to which byte of the journal its content is true;
 * what the journal has beyond that is replayed. It can always be made again, so one that is damaged counts as absent.
 * Format, little-endian: magic u32, JSON length u32, CRC-32 of the JSON u32, zero u32, JSON padded with spaces to 8 bytes,
 * then for each series the columns x, value, at (float64) of the rows that are in no column file.
 */
const MAGIC = 0x58494c53
const VERSION = 1
const HEADER = 16

const point = z.tuple([z.number(), z.string(), z.number()]).nullable()
const Record = z.object({
  id: z.number().int(),
  key: z.string(),
  axis: Axis,
  attempt: z.number().int(),
  source: z.string(),
  written: z.number().int(),
  count: z.number().int(),
  nonFinite: z.number().int(),
  breaks: z.array(z.tuple([z.number().int(), z.number()])),
  breaksLost: z.boolean(),
  odd: z.array(
    z.object({
      row: z.number().int(),
      x: z.number(),
      at: z.number(),
      kind: z.enum(['nan', '+inf', '-inf'])
    })
  ),
  first: point,
  last: point,
  lastFinite: point,
  xMin: z.number(),
  xMax: z.number()
})
const Content = z.object({
  version: z.literal(VERSION),
  journal: z.number().int(),
  revision: z.number().int(),
  events: z.number().int(),
  eventFrames: z.array(z.tuple([z.number().int(), z.number().int()])),
  sources: z.record(
    z.string(),
    z.object({ attempt: z.number().int(), offset: z.number(), state: z.string() })
  ),
  series: z.array(Record)
})

/** Everything a store keeps in memory, true up to byte `journal` of the journal. */
export interface StoreContent {
  journal: number
  revision: number
  /** How many events there are, and where the frames with events begin: [seq of the first event, journal byte]. */
  events: number
  eventFrames: [number, number][]
  sources: Map<string, SourceCursor>
  series: Series[]
}

export function emptyContent(): StoreContent {
  return { journal: 0, revision: 0, events: 0, eventFrames: [], sources: new Map(), series: [] }
}

/** @param written how many rows of each series (by id) are in column files when the index is written. */
export async function writeIndex(
  file: string,
  content: StoreContent,
  written: (series: Series) => number
): Promise<void> {
  const records: SeriesRecord[] = content.series.map((series) => series.toRecord(written(series)))
  const json = Buffer.from(
    JSON.stringify({
      version: VERSION,
      journal: content.journal,
      revision: content.revision,
      events: content.events,
      eventFrames: content.eventFrames,
      sources: Object.fromEntries(content.sources),
      series: records
    })
  )
  const padded = Buffer.alloc(Math.ceil(json.length / 8) * 8, 32)
  json.copy(padded)
  const header = Buffer.alloc(HEADER)
  header.writeUInt32LE(MAGIC, 0)
  header.writeUInt32LE(padded.length, 4)
  header.writeUInt32LE(crc32(padded), 8)
  const tails = content.series.map((series) => tailOf(series, written(series)))
  await writeFileAtomic(file, Buffer.concat([header, padded, ...tails]))
}

function tailOf(series: Series, written: number): Buffer {
  const { x, value, at } = series.pendingUntilDropped()
  const skip = written - series.written
  const columns = [x, value, at].map((column) => column.subarray(skip))
  return Buffer.concat(
    columns.map((column) => Buffer.from(column.buffer, column.byteOffset, column.byteLength))
  )
}

/** The stored content; null when there is no index or it is damaged. */
export async function readIndex(file: string): Promise<StoreContent | null> {
  const bytes = await readFile(file).catch((cause: unknown) => {
    if (errorCode(cause) === 'ENOENT') return null
    throw cause
  })
  if (bytes === null || bytes.length < HEADER || bytes.readUInt32LE(0) !== MAGIC) return null
  const length = bytes.readUInt32LE(4)
  const json = bytes.subarray(HEADER, HEADER + length)
  if (json.length < length || crc32(json) !== bytes.readUInt32LE(8)) return null
  const parsed = Content.safeParse(JSON.parse(json.toString('utf8')))
  if (!parsed.success) return null
  const series = seriesOf(parsed.data.series, bytes.subarray(HEADER + length))
  if (series === null) return null
  return {
    journal: parsed.data.journal,
    revision: parsed.data.revision,
    events: parsed.data.events,
    eventFrames: parsed.data.eventFrames,
    sources: new Map(Object.entries(parsed.data.sources)),
    series
  }
}

function seriesOf(records: readonly SeriesRecord[], tails: Buffer): Series[] | null {
  const wanted = records.reduce((sum, record) => sum + 3 * (record.count - record.written), 0)
  if (tails.length < wanted * 8) return null
  const numbers = new Float64Array(wanted)
  tails.copy(Buffer.from(numbers.buffer), 0, 0, wanted * 8)
  let position = 0
  return records.map((record) => {
    const length = 3 * (record.count - record.written)
    const tail = numbers.subarray(position, position + length)
    position += length
    return Series.fromRecord(record, tail)
  })
}
