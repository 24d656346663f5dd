import type { Axis } from '../../../contract/metrics'
import type { Text } from '../../../contract/text'
import { pythonNumber } from '../python-literal'
import { axisOfKey, rowsByAxis, type ChunkParser, type Problem, type Sink } from './parser'

const KEY_COLUMNS = ['key', 'tag', 'metric', 'name']
const STEP_COLUMNS = [
  'step',
  '_step',
  'train/step',
  'rollout/step',
  'eval/step',
  'reef/step',
  'iteration',
  'global_step',
  'epoch'
]
const LINE_FEED = 10
const CARRIAGE_RETURN = 13
const TIME_COLUMNS = ['_timestamp', 'wall_time', 'wall time', 'timestamp', 'time', 'at']

/**
 * CSV with a head line, wide (a column a metric) or long (`key,step,value`). Quoting as in RFC 4180;
 * tabs and semicolons count as separators too, and between semicolons 0,5 is a half. Without a step column rows are
 * numbered, and without a head line so are columns. Lines may end as those of old spreadsheets do, with CR alone.
 */
export class DelimitedParser implements ChunkParser {
  private columns: Columns | null = null
  private separator = ','
  /** The byte that ends a line; null until one was seen. */
  private lineEnd: number | null = null
  private headless = false
  private row = 0
  /** Columns by their place in which a number was found, and those in which something else was. */
  private readonly numeric = new Set<number>()
  private readonly wordy = new Set<number>()
  /** Rows with fewer or more cells than the head, and the number of the first. */
  private ragged = { rows: 0, first: 0 }
  /** Bytes done with. */
  private done = 0

  push(chunk: Buffer, sink: Sink): number {
    let used = 0
    this.lineEnd ??= lineEndOf(chunk)
    for (;;) {
      const end = recordEnd(chunk, used, this.lineEnd ?? LINE_FEED)
      if (end === -1) break
      this.line(chunk.toString('utf8', used, end), sink)
      used = end + 1
    }
    this.done += used
    return used
  }

  passOver(bytes: number): void {
    this.done += bytes
  }

  end(rest: Buffer, sink: Sink): void {
    // A quote that nobody closes would take all that follows for one cell.
    const lineEnd = this.lineEnd ?? LINE_FEED
    if (rest.includes(lineEnd)) sink.problem(openQuote(this.done))
    const left = rest.toString('utf8').split(String.fromCharCode(lineEnd))
    // The last line may be on its way still: its cells are not counted.
    left.forEach((line, i) => this.line(line, sink, i === left.length - 1))
    if (this.headless) sink.problem(noHead(this.columns?.names ?? []))
    if (this.columns !== null && this.row === 0) sink.problem(noRows(this.columns.names))
    const doubled = repeated(this.columns?.names ?? [])
    if (doubled.length > 0) sink.problem(doubledColumns(doubled))
    if (this.ragged.rows > 0) sink.problem(raggedRows(this.ragged, this.columns?.names.length ?? 0))
    const wordy = [...this.wordy].filter((i) => !this.numeric.has(i)).sort((a, b) => a - b)
    const names = wordy.map((i) => this.columns?.names[i] ?? '').filter((name) => name !== '')
    if (names.length > 0) sink.problem(textColumns(names))
  }

  private line(raw: string, sink: Sink, last = false): void {
    const text = raw.replace(/\r$/, '').replace(/^\ufeff/, '')
    if (text.trim() === '') return
    if (this.columns === null) {
      this.separator = separatorOf(text)
      const head = splitRecord(text, this.separator)
      this.headless = this.isNumbers(head)
      this.columns = columnsOf(this.headless ? head.map((_, i) => `column-${i + 1}`) : head)
      if (!this.headless) return
    }
    const cells = splitRecord(text, this.separator)
    const index = this.row++
    if (!last && cells.length !== this.columns.names.length) {
      const { rows, first } = this.ragged
      this.ragged = { rows: rows + 1, first: rows === 0 ? index + 1 : first }
    }
    if (this.columns.long) this.long(this.columns, cells, index, sink)
    else this.wide(this.columns, cells, index, sink)
  }

  /** Whether a first line is no head: names of columns are no fractions, and not all of them numbers. */
  private isNumbers(cells: readonly string[]): boolean {
    const filled = cells.filter((cell) => cell.trim() !== '')
    const numbers = filled.map((cell) => this.number(cell))
    return numbers.length > 0 && (numbers.every((x) => x !== null) || numbers.some(isFraction))
  }

  private long(columns: Columns, cells: readonly string[], index: number, sink: Sink): void {
    const value = this.number(cells[columns.value])
    const key = cells[columns.key] ?? 'value'
    if (value === null) return
    const x = this.number(cells[columns.step]) ?? index
    sink.row({
      axis: axisOfKey(key),
      x,
      at: timeOf(cells[columns.time]),
      keys: [key],
      values: [value]
    })
  }

  private wide(columns: Columns, cells: readonly string[], index: number, sink: Sink): void {
    const at = timeOf(cells[columns.time])
    const numbers = columns.names.flatMap((key, i): [string, number][] => {
      if (columns.times.has(i)) return []
      const cell = cells[i]?.trim() ?? ''
      const value = this.number(cell)
      if (value !== null) this.numeric.add(i)
      else if (cell !== '') this.wordy.add(i)
      return value === null ? [] : [[key, value]]
    })
    const named = new Map(numbers)
    const shared =
      columns.steps.map((name) => named.get(name)).find((x) => x !== undefined) ?? index
    const place = (key: string): { axis: Axis; x: number } => {
      const axis = axisOfKey(key)
      return { axis, x: named.get(axis === 'step' ? 'train/step' : `${axis}/step`) ?? shared }
    }
    const metrics = numbers.filter(([key]) => !['step', '_step'].includes(key.toLowerCase()))
    for (const row of rowsByAxis(metrics, at, place)) sink.row(row)
  }

  /** A cell as a number: null when it is none. Where semicolons part the cells, a comma can be the decimal one. */
  private number(cell = ''): number | null {
    const text = cell.trim()
    const comma = this.separator === ';' && /^[+-]?\d*,\d+(?:e[+-]?\d+)?$/i.test(text)
    return pythonNumber(comma ? text.replace(',', '.') : text)
  }
}

function isFraction(x: number | null): boolean {
  return x !== null && Number.isFinite(x) && !Number.isInteger(x)
}

function repeated(names: readonly string[]): string[] {
  return [...new Set(names.filter((name, i) => name !== '' && names.indexOf(name) !== i))]
}

/** Columns named when text was left out; a table may have any number of them. */
const MOST_NAMED = 8

function textColumns(names: readonly string[]): Problem {
  const named = listed(names)
  return {
    code: 'text-columns',
    offset: 0,
    what: {
      en: `Text is no metric and was left out: ${named.en}.`,
      zh: `文本不是指标，已略去这些列：${named.zh}。`
    }
  }
}

function doubledColumns(names: readonly string[]): Problem {
  const named = listed(names)
  return {
    code: 'doubled-columns',
    offset: 0,
    what: {
      en: `More than one column has the same name, and all their values are kept under it: ${named.en}.`,
      zh: `有多列同名，其值都保留在同一名称下：${named.zh}。`
    }
  }
}

function noHead(names: readonly string[]): Problem {
  const [first = '', last = ''] = [names[0], names.at(-1)]
  return {
    code: 'no-head',
    offset: 0,
    what: {
      en: `The first line has numbers and no names, so that columns are called ${first} to ${last} and rows are numbered. Write names into the first line, such as step,loss.`,
      zh: `首行是数值而不是列名，因此各列命名为 ${first} 至 ${last}，行按顺序编号。请在首行写上列名，例如 step,loss。`
    }
  }
}

function noRows(names: readonly string[]): Problem {
  const named = listed(names)
  return {
    code: 'no-rows',
    offset: 0,
    what: {
      en: `The table has a head line and no rows: ${named.en}. If a run is to write them, look again when it has begun.`,
      zh: `该表只有标题行，没有数据行：${named.zh}。如果数据由某个运行写入，请在运行开始后再看。`
    }
  }
}

function listed(names: readonly string[]): Text {
  const named = names.slice(0, MOST_NAMED)
  const more = names.length - named.length
  return {
    en: `${names.length === 1 ? 'column' : 'columns'} ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`,
    zh: `${named.join('、')}${more > 0 ? `，另有 ${more} 列` : ''}`
  }
}

function raggedRows({ rows, first }: { rows: number; first: number }, columns: number): Problem {
  return {
    code: 'ragged-rows',
    offset: 0,
    what: {
      en: `${rows} ${rows === 1 ? 'row has' : 'rows have'} more or fewer cells than the ${columns} of the head line, the first of them row ${first}. Cells without a column were left out.`,
      zh: `有 ${rows} 行的单元格数与标题行的 ${columns} 列不符，首个是第 ${first} 行。没有对应列的单元格已略去。`
    }
  }
}

function openQuote(offset: number): Problem {
  return {
    code: 'bad-line',
    offset,
    what: {
      en: `A quote in the line at byte ${offset} is never closed; what follows it in that line was taken for one cell.`,
      zh: `第 ${offset} 字节处的行中有未闭合的引号，该行引号之后的内容被当作一个单元格。`
    }
  }
}

/** The head line, understood once; -1 stands for a column that is not there. */
interface Columns {
  names: readonly string[]
  /** Names of the columns that say the step, the surest first. */
  steps: readonly string[]
  /** A key, a step and a value in each row, rather than a column for each key. */
  long: boolean
  key: number
  step: number
  value: number
  time: number
  /** Every column that says when. */
  times: ReadonlySet<number>
}

function columnsOf(names: readonly string[]): Columns {
  const lower = names.map((name) => name.trim().toLowerCase())
  const find = (wanted: readonly string[]): number =>
    lower.findIndex((name) => wanted.includes(name))
  const [key, value] = [find(KEY_COLUMNS), find(['value'])]
  return {
    names,
    // Tables that people download write `Step`.
    steps: STEP_COLUMNS.flatMap((wanted) => names.filter((_, i) => lower[i] === wanted)),
    long: value !== -1 && (key !== -1 || names.length <= 3),
    key,
    step: find(STEP_COLUMNS),
    value,
    time: find(TIME_COLUMNS),
    times: new Set(
      names.flatMap((name, i) => (TIME_COLUMNS.includes(name.toLowerCase()) ? [i] : []))
    )
  }
}

/** Seconds or milliseconds since 1970, or a date as text → Unix milliseconds; 0 when it says nothing. */
export function timeOf(text: string | undefined): number {
  if (text === undefined || text.trim() === '') return 0
  const number = Number(text)
  if (Number.isFinite(number)) return number > 1e11 ? number : number * 1000
  const parsed = Date.parse(text)
  return Number.isNaN(parsed) ? 0 : parsed
}

function separatorOf(head: string): string {
  const counts = [',', '\t', ';'].map((separator) => splitRecord(head, separator).length)
  const most = counts.indexOf(Math.max(...counts))
  return [',', '\t', ';'][most] ?? ','
}

/** What ends the lines of a table: a line feed where there is one, else a CR. Null: no line ends in the chunk. */
function lineEndOf(chunk: Buffer): number | null {
  if (chunk.includes(LINE_FEED)) return LINE_FEED
  const carriage = chunk.indexOf(CARRIAGE_RETURN)
  // One at the very end may belong to a line feed that is still to come.
  return carriage === -1 || carriage === chunk.length - 1 ? null : CARRIAGE_RETURN
}

/** Index of the byte that ends the record at `from`; one inside quotes does not. -1: not in the chunk. */
function recordEnd(chunk: Buffer, from: number, lineEnd: number): number {
  let quoted = false
  for (let i = from; i < chunk.length; i++) {
    const byte = chunk[i]
    if (byte === 34) quoted = !quoted
    else if (byte === lineEnd && !quoted) return i
  }
  return -1
}

function splitRecord(text: string, separator: string): string[] {
  if (!text.includes('"')) return text.split(separator)
  const cells: string[] = []
  let cell = ''
  let quoted = false
  for (let i = 0; i < text.length; i++) {
    const char = text.charAt(i)
    if (quoted) {
      if (char !== '"') cell += char
      else if (text.charAt(i + 1) === '"') cell += text.charAt(i++)
      else quoted = false
    } else if (char === '"' && cell === '') quoted = true
    else if (char === separator) {
      cells.push(cell)
      cell = ''
    } else cell += char
  }
  cells.push(cell)
  return cells
}
