import { eventIterator } from '@orpc/contract'
import { z } from 'zod'
import { procedure } from './failure'
import { HarnessDiff, ReleaseDetail } from './release-detail'
import { Text } from './text'

export const Operation = z.enum(['creation', 'training', 'rollback', 'promote', 'recovery'])
export type Operation = z.infer<typeof Operation>

/** What came of a row, in Reef's own sense. */
export const ReleaseResult = z.enum([
  'published',
  'pending',
  'promoted',
  'selected',
  'rejected',
  'skipped',
  'failed'
])
export type ReleaseResult = z.infer<typeof ReleaseResult>

/** One row of a scenario's chain. Steps identify rows; `releaseId` is not unique. */
export const Release = z.object({
  /**
   * Place in the run's whole chain, creation 0. Shown as `r<step>`, and what every procedure takes.
   * A redeployed attempt continues the count where the chain before it ended.
   */
  step: z.number().int(),
  /** The stack's own commit step; equals `step` until an attempt was redeployed into new storage. */
  commitStep: z.number().int(),
  /** Step of the row this one was made from: what was served then, or the target of a rollback. Null for the first. */
  baseStep: z.number().int().nullable(),
  releaseId: z.string(),
  parentReleaseId: z.string().nullable(),
  contentId: z.string(),
  contentKind: z.enum(['live_weights', 'saved_artifact']),
  operation: Operation,
  result: ReleaseResult,
  /** Computed by the rule for the served row, never taken from `current`. */
  served: z.boolean(),
  restorable: z.boolean(),
  /** Why not, when not. */
  notRestorable: Text.nullable(),
  /** Unix milliseconds; null for creation and recovery rows. */
  recordedAt: z.number().nullable(),
  rollbackTarget: z.string().nullable(),
  /** Step of the row whose content a rollback or promote row republishes, when it is in the chain. */
  rollbackTargetStep: z.number().int().nullable(),
  /** Rows that a later rollback left behind. */
  leftBehind: z.boolean(),
  attempt: z.number().int(),
  metrics: z.record(z.string(), z.unknown()),
  /** Receipts the step consumed; only a count where the ids are not kept. */
  consumed: z.number().int().nullable(),
  /** Milliseconds since the row before it. */
  took: z.number().nullable(),
  /** Path of the saved weights, where known. */
  checkpoint: z.string().nullable()
})
export type Release = z.infer<typeof Release>

export const Chain = z.object({
  run: z.string(),
  scenario: z.string(),
  scenarios: z.array(z.string()),
  /** Newest first. */
  releases: z.array(Release),
  from: z.enum(['service', 'disk']),
  readAt: z.number(),
  /** What is missing of it, or was read elsewhere than where it is kept. Absent: nothing. */
  note: Text.optional()
})
export type Chain = z.infer<typeof Chain>

/**
 * A piece of a chain that is watched: long chains come in several, and afterwards only rows that are new or differ come.
 */
export const ChainPart = Chain.extend({
  /** Begins anew: what came before is no more. */
  fresh: z.boolean(),
  /** Rows of the whole chain. */
  total: z.number().int(),
  /** The chain is whole with this part. */
  done: z.boolean()
})
export type ChainPart = z.infer<typeof ChainPart>

const Which = z.object({ run: z.string(), scenario: z.string().optional() })

/** What going back would do, said before it is done. */
export const RollbackPlan = z.object({
  /** `reopen` starts the folders of before a redeploy again; only an undo does that. */
  way: z.enum(['api', 'redeploy', 'reopen', 'refused']),
  /** Why it is refused, or why it is a redeploy and not an API call. */
  reason: Text,
  title: Text,
  changes: z.array(z.object({ what: Text, now: Text, after: Text })),
  lost: z.array(Text),
  kept: z.array(Text),
  waitsFor: Text.nullable(),
  undo: Text,
  planDiff: z.array(z.object({ path: z.string(), now: z.string(), after: z.string() })),
  /** What it rests on was read a while ago, and why it could not be read since. Absent: it is so now. */
  stale: Text.optional()
})
export type RollbackPlan = z.infer<typeof RollbackPlan>

/** How a run stood when a plan was made. An act carries it, and is refused when another act came between. */
export const Standing = z.object({
  attempt: z.number().int(),
  /** An attempt that was about to follow. */
  next: z.enum(['restart', 'redeploy', 'undo']).nullable(),
  /** Step of the newest rollback or promotion. */
  act: z.number().int().nullable(),
  /** Step of the served row. */
  served: z.number().int().nullable()
})
export type Standing = z.infer<typeof Standing>

/** A plan to be confirmed: its act takes `expect` along. */
export const AskedPlan = RollbackPlan.extend({ expect: Standing })
export type AskedPlan = z.infer<typeof AskedPlan>

/** Why an act is wanted, and how the run stood when it was planned; without it, as it stands when it is asked for. */
const Acting = Which.extend({ why: z.string().default(''), expect: Standing.optional() })

/**
 * A redeploy that goes on from the release's own iteration with its optimizer, on a copy of the checkpoint root.
 * Experimental: fails with `experimental-off` unless the settings allow it.
 */
const WithOptimizer = z.boolean().optional()

/** A metric of two rows side by side. */
export const MetricDifference = z.object({
  key: z.string(),
  a: z.number().nullable(),
  b: z.number().nullable(),
  difference: z.number().nullable(),
  /** 95 % interval of the difference where the data allow one. */
  interval: z.tuple([z.number(), z.number()]).nullable(),
  n: z.tuple([z.number().int(), z.number().int()]).nullable(),
  direction: z.enum(['up', 'down', 'none']),
  /** `same`: both sides have one value, and it is the same. `counter`: it only counts on, so that it differs says nothing. */
  verdict: z.enum(['better', 'worse', 'not-proven', 'no-direction', 'same', 'counter', 'missing'])
})
export type MetricDifference = z.infer<typeof MetricDifference>

export const releases = {
  chain: procedure.input(Which).output(Chain),
  /** The chain now and whenever it changed, in parts that are put together by their steps. */
  watch: procedure.input(Which).output(eventIterator(ChainPart)),
  /** One release in full: what it cost, what it learnt from, and what its harness is. */
  detail: procedure.input(Which.extend({ step: z.number().int() })).output(ReleaseDetail),
  /** A file of a harness release against the release it was made from. */
  harnessDiff: procedure
    .input(Which.extend({ step: z.number().int(), path: z.string() }))
    .output(HarnessDiff),
  compare: procedure
    .input(Which.extend({ a: z.number().int(), b: z.number().int() }))
    .output(z.array(MetricDifference)),
  rollbackPlan: procedure
    .input(Which.extend({ step: z.number().int(), withOptimizer: WithOptimizer }))
    .output(AskedPlan),
  /**
   * Goes back the way `rollbackPlan` says. Ends when the act is under way (redeploy) or done (api). Fails with
   * `act-overtaken` when another act came between; so do `promote` and `undo`.
   */
  rollback: procedure
    .input(Acting.extend({ step: z.number().int(), withOptimizer: WithOptimizer }))
    .output(z.object({ releaseId: z.string().nullable() })),
  promotePlan: procedure.input(Which.extend({ step: z.number().int() })).output(AskedPlan),
  /** What taking the newest way back back would do; refused when there is none. */
  undoPlan: procedure.input(Which).output(AskedPlan),
  /** Takes the newest rollback, promotion or redeploy back. Ends as `rollback` does. */
  undo: procedure.input(Acting).output(z.object({ releaseId: z.string().nullable() })),
  promote: procedure
    .input(Acting.extend({ step: z.number().int() }))
    .output(z.object({ releaseId: z.string().nullable() }))
}
