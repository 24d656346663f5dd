import type { LogSource } from '@contract/logs'
import { engine } from '../../api/client'
import { go } from '../../state'
import { firstSource } from './level'
import { logView } from './log-store'

/** Opens the log of one source. */
export function openLogOf(run: string, source: string): void {
  logView.getState().setSource(run, source)
  go({ page: 'run', id: run, tab: 'log' })
}

/**
 * Opens the log at the line that carries a step's numbers. False when no log of the run has such a line.
 * @throws what the engine says when it cannot read.
 */
export async function openLogAtStep(run: string, step: number): Promise<boolean> {
  const sources = await engine.logs.sources({ run })
  const first = firstSource(sources)
  const order = [...new Set([...(first === undefined ? [] : [first]), ...sources])]
  for (const source of order) {
    const line = await lineOf(run, source, step)
    if (line === null) continue
    logView.getState().show(run, source.id, line)
    go({ page: 'run', id: run, tab: 'log' })
    return true
  }
  return false
}

async function lineOf(run: string, source: LogSource, step: number): Promise<number | null> {
  let after = -1
  for (;;) {
    const { lines, done, scanned } = await engine.logs.search({
      run,
      source: source.id,
      filter: {
        text: `step.?${String(step)}\\b|\\brollout ${String(step)}:`,
        regex: true,
        levels: ['metric']
      },
      after,
      limit: 1
    })
    const found = lines[0]
    if (found !== undefined && found.step === step) return found.line
    const next = found === undefined ? scanned - 1 : found.line
    if (done || next <= after) return null
    after = next
  }
}
