import { eventIterator } from '@orpc/contract'
import { z } from 'zod'
import { procedure } from './failure'
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
  readAt: z.number()
})
export type Chain = z.infer<typeof Chain>

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
  planDiff: z.array(z.object({ path: z.string(), now: z.string(), after: z.string() }))
})
export type RollbackPlan = z.infer<typeof RollbackPlan>

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
  verdict: z.enum(['better', 'worse', 'not-proven', 'no-direction', 'missing'])
})
export type MetricDifference = z.infer<typeof MetricDifference>

export const releases = {
  chain: procedure.input(Which).output(Chain),
  watch: procedure.input(Which).output(eventIterator(Chain)),
  compare: procedure
    .input(Which.extend({ a: z.number().int(), b: z.number().int() }))
    .output(z.array(MetricDifference)),
  rollbackPlan: procedure.input(Which.extend({ step: z.number().int() })).output(RollbackPlan),
  /** Goes back the way `rollbackPlan` says. Ends when the act is under way (redeploy) or done (api). */
  rollback: procedure
    .input(Which.extend({ step: z.number().int(), why: z.string().default('') }))
    .output(z.object({ releaseId: z.string().nullable() })),
  promotePlan: procedure.input(Which.extend({ step: z.number().int() })).output(RollbackPlan),
  /** What taking the newest way back back would do; refused when there is none. */
  undoPlan: procedure.input(Which).output(RollbackPlan),
  /** Takes the newest rollback, promotion or redeploy back. Ends as `rollback` does. */
  undo: procedure
    .input(Which.extend({ why: z.string().default('') }))
    .output(z.object({ releaseId: z.string().nullable() })),
  promote: procedure
    .input(Which.extend({ step: z.number().int(), why: z.string().default('') }))
    .output(z.object({ releaseId: z.string().nullable() }))
}
