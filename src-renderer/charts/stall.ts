/** Whether a chart still gets samples. Silence alone is not trouble: it depends on the usual pace. */
export type StallVerdict =
  | { readonly kind: 'fresh' }
  | { readonly kind: 'stalled'; readonly forMilliseconds: number }
  | { readonly kind: 'unknown' }

/** A chart is stalled after this many of its usual intervals, and never before the least silence. */
const INTERVALS = 6
const LEAST_SILENCE = 20_000

/**
 * @param at When samples came, oldest first, Unix milliseconds; the last ten are enough.
 * @param running Whether more samples are to be expected at all.
 */
export function stallVerdict(at: readonly number[], now: number, running: boolean): StallVerdict {
  const last = at.at(-1)
  if (!running) return { kind: 'fresh' }
  if (last === undefined || at.length < 3) return { kind: 'unknown' }
  const gaps = at.slice(1).map((time, index) => time - (at[index] ?? time))
  const sorted = [...gaps].sort((a, b) => a - b)
  const usual = sorted[Math.floor(sorted.length / 2)] ?? 0
  const silence = now - last
  return silence > Math.max(LEAST_SILENCE, usual * INTERVALS)
    ? { kind: 'stalled', forMilliseconds: silence }
    : { kind: 'fresh' }
}
