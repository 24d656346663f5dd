import { z } from 'zod'
import { fail } from '../lib'
import { commitLogName, readDiskRows } from '../releases'
import { parseJsonLines } from '../runs'
import type { FileAccess } from '../targets'
import {
  type BookCommit,
  type BookRow,
  parseBookCommit,
  parseRow,
  type RecordSource
} from './record-source'
import { openRecordTable } from './record-table'

/** Where one scenario's records lie on a target after the service that wrote them has ended. */
export interface KeptPlace {
  files: FileAccess
  /** `storage.agent-record-dir`, as a path of the target. */
  folder: string
  scenario: string
}

type RowStore = Pick<RecordSource, 'rows' | 'content'>

const PIECE = 4 << 20
const PAGE = 1000
const Line = z.record(z.string(), z.unknown())
const Progress = z.looseObject({
  record_progress: z.looseObject({ consumed_ids: z.array(z.string()).nullish() }).nullish()
})

/** Records of a service that has ended, from its files. Throws FailureError `records-not-there`. */
export async function keptRecords(place: KeptPlace): Promise<RecordSource> {
  const { files, folder, scenario } = place
  const stem = commitLogName(scenario).replace(/\.commits\.jsonl$/, '')
  const lines = `${folder}/${stem}.records.jsonl`
  const store =
    (await files.stat(lines)) === null ? await tableOf(place, stem) : lineStore(files, lines)
  let commits: BookCommit[] | null = null
  return {
    ...store,
    async commits(after) {
      commits ??= await commitsOf(place)
      return { commits: commits.filter(({ step }) => step > after), done: true }
    },
    async creation() {
      const read = await readDiskRows({ files, recordFolder: folder, scenario, repository: null })
      return read?.rows.find(({ operation }) => operation === 'creation')?.releaseId ?? null
    }
  }
}

/** Reef's own store (`reef/scenario/store.py`): a SQLite file, by the scenario's stem or any whose rows name it. */
async function tableOf({ files, folder, scenario }: KeptPlace, stem: string): Promise<RowStore> {
  const names = ((await files.list(folder)) ?? [])
    .map(({ name }) => name)
    .filter((name) => name.endsWith('.sqlite3'))
  const own = `${stem}.sqlite3`
  for (const name of names.includes(own) ? [own] : names) {
    const table = await openRecordTable(files, `${folder}/${name}`, scenario)
    if (table !== null) return table
  }
  return fail({
    code: 'records-not-there',
    what: {
      en: `No store in this folder holds records of the scenario “${scenario}”.`,
      zh: `该目录中没有存储场景“${scenario}”记录的文件。`
    },
    where: folder,
    remedy: {
      en: 'Either it was removed, or the recipe keeps records in PostgreSQL (storage.record-backend: postgres). Those are read from the service while it runs, never from the database. Releases and commits do not need them.',
      zh: '可能已被删除，或配方将记录存放在 PostgreSQL 中（storage.record-backend: postgres）。后者只在服务运行时向服务读取，从不读取数据库。release 与提交不受影响。'
    }
  })
}

/** The lines of the commit log, as they stand there. */
export async function commitLog(place: KeptPlace): Promise<Record<string, unknown>[]> {
  const { files, folder, scenario } = place
  const text = await textOf(files, `${folder}/${commitLogName(scenario)}`)
  return parseJsonLines(text).values.flatMap((value) => {
    const line = Line.safeParse(value)
    return line.success ? [line.data] : []
  })
}

/** The commit log, whole: records are matched with it by id. */
async function commitsOf(place: KeptPlace): Promise<BookCommit[]> {
  return (await commitLog(place)).flatMap((value) => {
    const commit = parseBookCommit(value)
    if (commit === null) return []
    const progress = Progress.safeParse(value).data?.record_progress
    return [{ ...commit, consumed: progress?.consumed_ids ?? commit.consumed }]
  })
}

async function textOf(files: FileAccess, path: string): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for (let offset = 0; ;) {
    const bytes = await files.read(path, offset, PIECE)
    if (bytes === null || bytes.length === 0) return text + decoder.decode()
    text += decoder.decode(bytes, { stream: true })
    offset += bytes.length
  }
}

interface PlacedRow {
  row: BookRow
  offset: number
  length: number
}

const NEWLINE = 0x0a

/** Records as JSON lines, which the practice stack writes. Only rows are kept; a content is read where its line stands. */
function lineStore(files: FileAccess, path: string): RowStore {
  let lines: Promise<PlacedRow[]> | null = null
  const all = (): Promise<PlacedRow[]> => (lines ??= readLines(files, path))
  return {
    async rows(after) {
      const left = (await all()).filter(({ row }) => row.sequence > after)
      return { rows: left.slice(0, PAGE).map(({ row }) => row), done: left.length <= PAGE }
    },
    async content({ id }) {
      const line = (await all()).find(({ row }) => row.id === id)
      if (line === undefined) return null
      const bytes = await files.read(path, line.offset, line.length)
      const value = bytes === null ? null : parsed(new TextDecoder().decode(bytes))
      return z.looseObject({ payload: z.unknown() }).safeParse(value).data?.payload ?? null
    }
  }
}

async function readLines(files: FileAccess, path: string): Promise<PlacedRow[]> {
  const lines: PlacedRow[] = []
  const decoder = new TextDecoder()
  let rest = new Uint8Array()
  let start = 0
  for (;;) {
    const bytes = await files.read(path, start + rest.length, PIECE)
    if (bytes === null || bytes.length === 0) return lines
    const buffer = new Uint8Array(rest.length + bytes.length)
    buffer.set(rest)
    buffer.set(bytes, rest.length)
    let from = 0
    for (let end = buffer.indexOf(NEWLINE); end >= 0; end = buffer.indexOf(NEWLINE, from)) {
      const row = parseRow(parsed(decoder.decode(buffer.subarray(from, end))))
      if (row !== null) lines.push({ row, offset: start + from, length: end - from })
      from = end + 1
    }
    rest = buffer.slice(from)
    start += from
  }
}

/** The value of a line; null for one that is no JSON: a write that was cut off. */
function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}
