import { eventIterator } from '@orpc/contract'
import { z } from 'zod'
import { procedure } from './failure'
import { Text } from './text'

export const Axis = z.enum(['step', 'rollout', 'eval', 'commit', 'relative', 'wall'])
export type Axis = z.infer<typeof Axis>

export const Smoothing = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('none') }),
  /** Time-weighted exponential average with bias correction; `weight` in [0, 1). Causal. */
  z.object({ kind: z.literal('ema'), weight: z.number() }),
  /** `sigma` in samples. Not causal. */
  z.object({ kind: z.literal('gaussian'), sigma: z.number() }),
  /** `window` in samples, trailing. Causal. */
  z.object({ kind: z.literal('mean'), window: z.number().int() }),
  z.object({ kind: z.literal('median'), window: z.number().int() })
])
export type Smoothing = z.infer<typeof Smoothing>

/** What is known about a metric key. Unknown keys have only their name. */
export const KeyInfo = z.object({
  key: z.string(),
  /** Axis the stack logs it against. */
  axis: Axis,
  unit: Text.optional(),
  description: Text.optional(),
  healthy: Text.optional(),
  failure: Text.optional(),
  /** Whether more is better, less is better, or neither. */
  direction: z.enum(['up', 'down', 'none']),
  count: z.number().int(),
  nonFinite: z.number().int(),
  /** Newest finite sample of the newest attempt. */
  last: z.object({ x: z.number(), value: z.number(), at: z.number() }).nullable(),
  source: z.string()
})
export type KeyInfo = z.infer<typeof KeyInfo>

export const SeriesQuery = z.object({
  run: z.string(),
  /** Keys; `best(KEY)` gives the best value of a key up to each point, over what was not left behind. */
  keys: z.array(z.string()).min(1),
  /**
   * `native`: the axis each key was logged against. `rollout`: the rollout at which it was logged. `relative`: seconds
   * since the first sample of the attempt. `wall`: Unix milliseconds. `metric`: the value that the key `by` had then.
   */
  axis: z.enum(['native', 'rollout', 'relative', 'wall', 'metric']),
  by: z.string().optional(),
  /** Visible x range; absent means everything. */
  range: z.tuple([z.number(), z.number()]).optional(),
  /** Pixel columns of the plot. The answer has at most about two points per column and series. */
  columns: z.number().int().min(1).max(8192),
  smoothing: Smoothing
})
export type SeriesQuery = z.infer<typeof SeriesQuery>

/**
 * One curve of the answer: a key within one attempt.
 * Its numbers stand in the answer's `numbers` as little-endian float64, five columns of `count` values in this order:
 * x, min, max, raw (last value of the column), smooth; they begin at element `offset` (not byte).
 * NaN in `smooth` means no smoothing was asked for; a point whose `raw` is NaN is a gap.
 * A column that stands for several samples gives two points (its first and its last), both with its min and max.
 */
export const SeriesPart = z.object({
  key: z.string(),
  attempt: z.number().int(),
  /** Which of the run's sources it came from. */
  source: z.string(),
  offset: z.number().int(),
  count: z.number().int(),
  /** Raw samples behind the visible points. */
  total: z.number().int(),
  /** Part that a later attempt or a rollback overlapped: drawn faint. */
  superseded: z.boolean(),
  nonFinite: z.array(z.object({ x: z.number(), kind: z.enum(['nan', '+inf', '-inf']) })),
  nonFiniteCount: z.number().int()
})
export type SeriesPart = z.infer<typeof SeriesPart>

export const SeriesAnswer = z.object({
  revision: z.number(),
  /** Whole x extent of the asked keys. */
  extent: z.tuple([z.number(), z.number()]).nullable(),
  parts: z.array(SeriesPart),
  /** Base64: what the page can turn into numbers at once, where a blob is fetched from the browser's process. */
  numbers: z.string()
})
export type SeriesAnswer = z.infer<typeof SeriesAnswer>

export const ByRun = z.object({ run: z.string() })

export const Panel = z.object({
  id: z.string(),
  title: Text.optional(),
  /** What the first key is, where that needs saying: which number stands for the reward. */
  note: Text.optional(),
  /** `best(KEY)` is the best value of a key so far; see `series`. */
  keys: z.array(z.string()).min(1)
})
export type Panel = z.infer<typeof Panel>

/** How fast steps come. */
export const Pace = z.object({
  /** When the last steps of the newest attempt came, at most eleven, oldest first; Unix milliseconds. */
  times: z.array(z.number()),
  /** Steps until the stack ends by itself; null: it goes on, or that is not known. */
  left: z.number().int().nullable(),
  /** When the first sample of each attempt came: the zero of its relative time. Unix milliseconds. */
  starts: z.array(z.object({ attempt: z.number().int(), at: z.number() })).default([])
})
export type Pace = z.infer<typeof Pace>

export const metrics = {
  keys: procedure.input(ByRun).output(z.array(KeyInfo)),
  series: procedure.input(SeriesQuery).output(SeriesAnswer),
  /** Default panels for the run's recipe family, only those with data or expected to get it. */
  panels: procedure.input(ByRun).output(z.array(Panel)),
  pace: procedure.input(ByRun).output(Pace),
  /** Emits the new revision whenever samples were added; at most about thirty a second. */
  watch: procedure.input(ByRun).output(eventIterator(z.object({ revision: z.number() })))
}
