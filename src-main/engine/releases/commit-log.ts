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
 * Reads a commit log (`reef-commit/4` and `/5`, one JSON object a line).
 * A torn last line is a crash in the middle of an append and is left out; any other unreadable line is reported and
 * the rest still read, so that one damaged line does not hide a history.
 */
export function parseCommitLog(text: string): CommitLog {
  const lines = text.split('\n')
  let lastLine = lines.length - 1
  while (lastLine > 0 && lines[lastLine]?.trim() === '') lastLine -= 1
  const bySteps = new Map<number, ChainRow>()
  const log: CommitLog = { scenario: null, rows: [], torn: false, damaged: [] }
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue
    const parsed = parseLine(line)
    if (parsed.ok) {
      const step = parsed.row.step ?? 0
      if (bySteps.has(step))
        log.damaged.push({ line: index + 1, why: `step ${step} stands twice; the first counts` })
      else bySteps.set(step, parsed.row)
      log.scenario ??= parsed.scenario
    } else if (index === lastLine && parsed.syntax) log.torn = true
    else log.damaged.push({ line: index + 1, why: parsed.why })
  }
  log.rows = [...bySteps.values()].sort((a, b) => (a.step ?? 0) - (b.step ?? 0))
  return log
}
