import type Docker from 'dockerode'
import type { OutputGap, Span } from '../target'
import type { OutputEntry } from './frames'
import type { Position } from './output-cursor'

type LogConfig = NonNullable<Docker.HostConfig['LogConfig']>

/** What the engine still has of a container's output, counted while it was read through. */
export class KeptOutput {
  lines = 0
  bytes = 0
  private first = Number.NaN
  private last = Number.NaN

  took({ stamp, bytes }: OutputEntry): void {
    this.lines++
    this.bytes += bytes.length
    const at = Date.parse(stamp)
    if (Number.isNaN(this.first)) this.first = at
    this.last = at
  }

  /** Lines a second; null where they span less than `least` seconds: a burst of lines has the pace of no process. */
  pace(least: number): number | null {
    const seconds = (this.last - this.first) / 1000
    return seconds > 0 && seconds >= least ? (this.lines - 1) / seconds : null
  }
}

/**
 * Lines a second before the gap: those counted exactly at the end of what was copied. Both ends are whole seconds, so that
 * two of them apart may be one or three; null for less, which may be a moment.
 */
function paceBefore({ since, first, newest, skip }: Position): number | null {
  const from = Math.max(since, first)
  return from > 0 && newest - from >= 2 ? skip / (newest - from) : null
}

/** Seconds that what is left must span to say something of a gap of so many: a tenth of it, and never more than one. */
function leastSpan(gap: number): number {
  return Math.min(1, gap / 10)
}

/**
 * How much there would be between two stamps at the pace before and at the pace after; null where neither is known.
 * Never more exact than that: no engine counts what it drops. Pure.
 */
export function expectedBetween(
  { after, before }: Pick<OutputGap, 'after' | 'before'>,
  position: Position,
  kept: KeptOutput
): OutputGap['expected'] {
  const seconds = (Date.parse(before) - Date.parse(after)) / 1000
  const paces = [paceBefore(position), kept.pace(leastSpan(seconds))].filter(
    (pace) => pace !== null
  )
  if (paces.length === 0 || kept.lines === 0 || !(seconds > 0)) return null
  const lines = paces.map((pace) => Math.round(pace * seconds)).sort((a, b) => a - b)
  const span: Span = [lines[0] ?? 0, lines.at(-1) ?? 0]
  const each = kept.bytes / kept.lines
  return { lines: span, bytes: [Math.round(span[0] * each), Math.round(span[1] * each)] }
}

/** Podman's form has the limit in a field of its own, `0B` for none. */
function limits(log: LogConfig): [string, string][] {
  const told: unknown = log.Config ?? {}
  const named = Object.entries(told as Record<string, string>).filter(([name]) =>
    name.startsWith('max-')
  )
  const size: unknown = 'Size' in log ? log.Size : undefined
  return typeof size === 'string' && size !== '0B' ? [...named, ['max-size', size]] : named
}

/**
 * Whether the engine drops the oldest output of a container while it runs: `local` always does, the others with a limit
 * (Docker's “Configure logging drivers”). Pure.
 */
export function drops(log: LogConfig): boolean {
  return log.Type === 'local' || limits(log).some(([name]) => name === 'max-size')
}

/** How much of a container's output an engine keeps, in the engine's own words. Pure. */
export function keepsOf(log: LogConfig): string {
  return [log.Type, ...limits(log).map(([name, value]) => `${name}=${value}`)].join(', ')
}
