import { createHash } from 'node:crypto'
import { parseCommit } from './reef-rows'
import type { ChainRow } from './chain-row'

/** File name of a scenario's commit log within the record folder. Public source: `reef/scenario/store.py`. */
export function commitLogName(scenario: string): string {
  return `${createHash('sha256').update(scenario, 'utf8').digest('hex')}.commits.jsonl`
}

/** A line of the log that could not be read, and why. Lines count from 1. */
export interface DamagedLine {
  line: number
  why: string
}

export interface CommitLog {
  /** As the log itself names it; null for an empty log. */
  scenario: string | null
  /** By step, oldest first. */
  rows: ChainRow[]
  /** True when the last line was cut off: that commit never happened. */
  torn: boolean
  damaged: DamagedLine[]
}

type LineParse =
  { ok: true; row: ChainRow; scenario: string | null } | { ok: false; why: string; syntax: boolean }

function parseLine(line: string): LineParse {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch (cause) {
    return { ok: false, why: cause instanceof Error ? cause.message : 'not JSON', syntax: true }
  }
  const record =
    typeof value === 'object' && value !== null && 'record' in value ? value.record : null
  if (typeof record !== 'string' || !record.startsWith('reef-commit/'))
    return { ok: false, why: 'not a commit record', syntax: false }
  const parsed = parseCommit(value)
  if (!parsed.ok) return { ok: false, why: parsed.problem, syntax: false }
  const scenario =
    typeof value === 'object' && value !== null && 'scenario' in value ? value.scenario : null
  return { ok: true, row: parsed.row, scenario: typeof scenario === 'string' ? scenario : null }
}

/**
 * Reads a commit log (`reef-commit/4` and `/5`, one JSON object a line) piece by piece, keeping rows and no text.
 * A torn last line is a crash in the middle of an append and is left out; any other unreadable line is reported and
 * the rest still read, so that one damaged line does not hide a history.
 */
export class CommitLogReader {
  private readonly decoder = new TextDecoder()
  private readonly bySteps = new Map<number, ChainRow>()
  private readonly damaged: DamagedLine[] = []
  private rest = ''
  private lines = 0
  private scenario: string | null = null
  /** The last unreadable line, kept until it is known whether another follows. */
  private suspect: DamagedLine | null = null

  push(bytes: Uint8Array): void {
    this.take(this.decoder.decode(bytes, { stream: true }))
  }

  /** What was read. The reader is used up. */
  end(): CommitLog {
    this.take(this.decoder.decode())
    if (this.rest.trim() !== '') this.line(this.rest)
    const rows = [...this.bySteps.values()].sort((a, b) => (a.step ?? 0) - (b.step ?? 0))
    return {
      scenario: this.scenario,
      rows,
      torn: this.suspect !== null,
      damaged: this.damaged
    }
  }

  private take(text: string): void {
    const lines = (this.rest + text).split('\n')
    this.rest = lines.pop() ?? ''
    for (const line of lines) this.line(line)
  }

  private line(line: string): void {
    this.lines += 1
    if (line.trim() === '') return
    if (this.suspect !== null) this.damaged.push(this.suspect)
    this.suspect = null
    const parsed = parseLine(line)
    if (!parsed.ok) {
      const damage = { line: this.lines, why: parsed.why }
      if (parsed.syntax) this.suspect = damage
      else this.damaged.push(damage)
      return
    }
    const step = parsed.row.step ?? 0
    if (this.bySteps.has(step))
      this.damaged.push({
        line: this.lines,
        why: `step ${step} stands twice; the first counts`
      })
    else this.bySteps.set(step, parsed.row)
    this.scenario ??= parsed.scenario
  }
}
