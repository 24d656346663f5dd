import type { Series } from './series'

/** A stretch of rows in which x never goes back. */
export interface Pass {
  from: number
  to: number
  /** Rows of the pass with x at or beyond this were gone over again later. Infinity: none were. */
  supersededFrom: number
}

/** With more backward jumps than this the lines are out of order rather than resumed. */
const MOST_PASSES = 64

/** A series whose lines came out of order is drawn by x, not by arrival. */
export function isScattered(series: Series): boolean {
  return series.breaksLost || series.breaks.length > MOST_PASSES
}

/**
 * The passes of a series: it begins anew wherever x went back (a resume or a rollback inside one attempt).
 * @param laterFrom least x that any later attempt has for the same key.
 */
export function passesOf(series: Series, laterFrom: number): Pass[] {
  const starts = [0, ...series.breaks.map(([row]) => row)]
  const passes: Pass[] = []
  let superseded = laterFrom
  for (let i = starts.length - 1; i >= 0; i--) {
    const from = starts[i] ?? 0
    const to = starts[i + 1] ?? series.count
    passes.unshift({ from, to, supersededFrom: superseded })
    const startX = i === 0 ? (series.first?.x ?? Infinity) : (series.breaks[i - 1]?.[1] ?? Infinity)
    superseded = Math.min(superseded, startX)
  }
  return passes.filter((pass) => pass.to > pass.from)
}

/**
 * The series to draw for a key: one for each attempt and axis. When several sources of an attempt have the key
 * (standard output and an event file, say), the one that says most.
 */
export function seriesToDraw(all: readonly Series[], key: string): Series[] {
  const chosen = new Map<string, Series>()
  for (const series of all) {
    if (series.key !== key || series.count === 0) continue
    const name = `${String(series.attempt)} ${series.axis}`
    const before = chosen.get(name)
    if (before === undefined || series.count > before.count) chosen.set(name, series)
  }
  return [...chosen.values()].sort((a, b) => a.attempt - b.attempt)
}

/** Least x among the later attempts' series of the same key and axis. */
export function laterStart(drawn: readonly Series[], series: Series): number {
  return drawn
    .filter((other) => other.attempt > series.attempt && other.axis === series.axis)
    .reduce((least, other) => Math.min(least, other.xMin), Infinity)
}
