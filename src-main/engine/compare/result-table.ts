import type { ResultRow } from '../../contract/compare'
import { fail } from '../lib'
import { wilson } from './statistics'

/** Other names people give the columns, lower case. */
const columnNames: Readonly<Record<keyof Omit<ResultRow, 'interval'>, readonly string[]>> = {
  release: ['release', 'r', 'version'],
  step: ['step', 'steps', 'optimizer_step'],
  task: ['task', 'benchmark', 'dataset', 'eval', 'metric'],
  n: ['n', 'count', 'total', 'samples', 'num_samples'],
  correct: ['correct', 'passed', 'hits', 'solved'],
  score: ['score', 'accuracy', 'acc', 'value', 'pass@1', 'pass_rate']
}

/** Fields of delimited text: RFC 4180 quoting, any of the line ends, the delimiter the first line uses most. */
export function parseDelimited(text: string): string[][] {
  return delimitedRows(text).map(({ cells }) => cells)
}

/** The same with the line each row begins on, from 1. */
function delimitedRows(text: string): { line: number; cells: string[] }[] {
  const firstLine = text.slice(0, (text + '\n').indexOf('\n'))
  const delimiter = ['\t', ';', ','].reduce((best, candidate) =>
    firstLine.split(candidate).length > firstLine.split(best).length ? candidate : best
  )
  const rows: { line: number; cells: string[] }[] = []
  let row: string[] = []
  let field = ''
  /** Where the piece that is not yet part of the field starts. */
  let from = 0
  let quoted = false
  let blank = true
  let line = 1
  let begun = 1
  const take = (end: number): void => {
    const piece = text.slice(from, end)
    field += quoted ? piece : piece.replaceAll('\r', '')
  }
  const endField = (end: number): void => {
    take(end)
    row.push(field)
    field = ''
    from = end + 1
    blank = true
  }
  const endRow = (end: number): void => {
    endField(end)
    if (row.some((value) => value.trim() !== '')) rows.push({ line: begun, cells: row })
    row = []
    begun = line
  }
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index)
    if (character === '\n') line += 1
    if (quoted) {
      if (character !== '"') continue
      take(index)
      const doubled = text.charAt(index + 1) === '"'
      if (doubled) index += 1
      else quoted = false
      // Of two quotes the second is kept.
      from = doubled ? index : index + 1
      blank = false
    } else if (character === '"' && blank) {
      field = ''
      from = index + 1
      quoted = true
    } else if (character === delimiter) endField(index)
    else if (character === '\n') endRow(index)
    else if (blank) blank = character.trim() === ''
  }
  endRow(text.length)
  return rows
}

/** Largest table that is read; results of a thousand releases are a few hundred kB. Bytes, or characters of a text. */
const LARGEST_TABLE = 16 * 1024 * 1024

/** @throws FailureError `results-unreadable` */
export function refuseLargeTable(size: number, where?: string): void {
  if (size <= LARGEST_TABLE) return
  fail({
    code: 'results-unreadable',
    what: {
      en: 'The table is too large: at most 16 MB are read.',
      zh: '表格过大：最多读取 16 MB。'
    },
    ...(where === undefined ? {} : { where }),
    detail: `${size} > ${LARGEST_TABLE}`,
    remedy: {
      en: 'Give one row for each release and task, not one for each sample.',
      zh: '请每个版本、每个任务给出一行，而不是每个样本一行。'
    }
  })
}

function bad(line: number, en: string, zh: string): never {
  return fail({
    code: 'results-unreadable',
    what: { en: `Row ${line}: ${en}`, zh: `第 ${line} 行：${zh}` },
    remedy: {
      en: 'Give a header and rows with release or step, task, n, and correct or score, as CSV, tab-separated text or a JSON list. No other columns are taken.',
      zh: '请提供表头及各行：release 或 step、task、n，以及 correct 或 score；格式可为 CSV、制表符分隔文本或 JSON 列表。不接受其他列。'
    }
  })
}

/** A number as people write it: 0.829, 82.9%, r57, or nothing. */
function numberOf(cell: unknown, line: number, column: string): number | null {
  if (cell === null || cell === undefined || cell === '') return null
  if (typeof cell === 'number' && Number.isFinite(cell)) return cell
  const text = typeof cell === 'string' ? cell.trim() : ''
  if (text === '' || text === '-' || text.toLowerCase() === 'base') return null
  const found = /^r?([+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?)\s*(%)?$/i.exec(text)
  if (found?.[1] === undefined)
    return bad(
      line,
      `${column} is not a number: ${text.slice(0, 40)}`,
      `${column} 不是数字：${text.slice(0, 40)}`
    )
  const value = Number(found[1])
  return found[2] === undefined ? value : value / 100
}

function wholeOf(cell: unknown, line: number, column: string): number | null {
  const value = numberOf(cell, line, column)
  if (value === null || Number.isSafeInteger(value)) return value
  return bad(line, `${column} is not a whole number: ${value}`, `${column} 不是整数：${value}`)
}

type Cells = Readonly<Record<string, unknown>>

const knownColumns = new Set(Object.values(columnNames).flat())

/** A column that is left out may be the one that says which task or release a row is of. */
function refuseUnknown(names: Iterable<string>, line: number): void {
  const foreign = [...new Set(names)].filter((name) => name !== '' && !knownColumns.has(name))
  if (foreign.length === 0) return
  const said = foreign.slice(0, 5).map((name) => `“${name.slice(0, 40)}”`)
  bad(
    line,
    `it has columns that are none of a table of results: ${said.join(', ')}`,
    `有不属于结果表格的列：${said.join('、')}`
  )
}

function pick(record: Cells, column: keyof typeof columnNames): unknown {
  for (const name of columnNames[column]) if (name in record) return record[name]
  return undefined
}

/** Steps count from 0; a release is one the run has, where it is known which it has. */
function place(
  record: Cells,
  line: number,
  known: ReadonlySet<number> | null
): Pick<ResultRow, 'release' | 'step'> {
  const release = wholeOf(pick(record, 'release'), line, 'release')
  const step = numberOf(pick(record, 'step'), line, 'step')
  if (step !== null && step < 0) return bad(line, `there is no step ${step}`, `没有第 ${step} 步`)
  if (release !== null && (release < 0 || known?.has(release) === false)) {
    const newest = known === null ? null : [...known].reduce((a, b) => Math.max(a, b), 0)
    return bad(
      line,
      `the run has no release r${release}${newest === null ? '' : `; its newest is r${newest}`}`,
      `该运行没有版本 r${release}${newest === null ? '' : `，最新为 r${newest}`}`
    )
  }
  return { release, step }
}

function rowOf(record: Cells, line: number, known: ReadonlySet<number> | null): ResultRow {
  const taskCell = pick(record, 'task')
  const task = typeof taskCell === 'string' && taskCell.trim() !== '' ? taskCell.trim() : 'score'
  const n = wholeOf(pick(record, 'n'), line, 'n')
  const correct = wholeOf(pick(record, 'correct'), line, 'correct')
  const given = numberOf(pick(record, 'score'), line, 'score')
  if (correct === null && given === null)
    return bad(line, 'it has neither correct nor score', '既没有 correct 也没有 score')
  if (correct !== null && (n === null || correct < 0 || correct > n))
    return bad(line, 'correct must lie between 0 and n', 'correct 必须在 0 到 n 之间')
  const score = given ?? (correct !== null && n !== null && n > 0 ? correct / n : null)
  return {
    ...place(record, line, known),
    task,
    n,
    correct,
    score,
    interval: correct !== null && n !== null ? wilson(correct, n) : null
  }
}

function recordsOfJson(text: string): Cells[] | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  const list: unknown =
    typeof value === 'object' && value !== null && 'rows' in value ? value.rows : value
  if (!Array.isArray(list)) return null
  return list.map((entry: unknown, index) =>
    typeof entry === 'object' && entry !== null && !Array.isArray(entry)
      ? Object.fromEntries(Object.entries(entry).map(([key, cell]) => [key.toLowerCase(), cell]))
      : bad(index + 1, 'it is not an object', '不是对象')
  )
}

/**
 * Reads a table of results from CSV, tab- or semicolon-separated text (as pasted from a spreadsheet) or a JSON list.
 * A row with `correct` and `n` gets its Wilson interval; a bare score stays as it is.
 * `known`: numbers of the releases the run has; null where that is not known.
 * @throws FailureError `results-unreadable` naming the row by its line, and the column
 */
export function parseResults(text: string, known: ReadonlySet<number> | null = null): ResultRow[] {
  refuseLargeTable(text.length)
  const json = recordsOfJson(text)
  if (json !== null)
    return json.map((record, index) => {
      refuseUnknown(Object.keys(record), index + 1)
      return rowOf(record, index + 1, known)
    })
  const [header, ...rows] = delimitedRows(text.replace(/^\uFEFF/, ''))
  const names = (header?.cells ?? []).map((name) => name.trim().toLowerCase())
  const scored = (['correct', 'score'] as const).some((column) =>
    columnNames[column].some((name) => names.includes(name))
  )
  if (!scored)
    return bad(1, 'the header names neither correct nor score', '表头既没有 correct 也没有 score')
  refuseUnknown(names, 1)
  return rows.map(({ line, cells }) =>
    rowOf(Object.fromEntries(names.map((name, column) => [name, cells[column] ?? ''])), line, known)
  )
}
