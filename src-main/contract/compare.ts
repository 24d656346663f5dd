import { eventIterator } from '@orpc/contract'
import { z } from 'zod'
import { ALIGNMENTS, COMPARED_WINDOW } from './comparing'
import { procedure } from './failure'
import { MetricDifference } from './releases'
import { Text } from './text'

const Pair = z.tuple([z.number(), z.number()])

/** One tensor of both sides, or one adapted matrix (its effective update B·A·scale). */
export const TensorDifference = z.object({
  name: z.string(),
  /** Transformer layer, null outside of them. */
  layer: z.number().int().nullable(),
  /** Short name of the module within its layer: `q_proj`, `down_proj`, `embed_tokens`, … */
  module: z.string(),
  shape: z.array(z.number().int()),
  dtype: z.tuple([z.string(), z.string()]),
  /** ‖B − A‖ / ‖A‖; null when A is all zero. */
  relative: z.number().nullable(),
  /** Null when a side is all zero. */
  cosine: z.number().nullable(),
  norm: Pair,
  differenceNorm: z.number(),
  /** Largest |b − a|; null where entries are not formed one by one (adapters). */
  largest: z.number().nullable(),
  /** Part of the entries that differ, 0 to 1; null for adapters. */
  changed: z.number().nullable(),
  nan: Pair,
  infinite: Pair,
  /** Rows that are all zero; null for tensors without rows. */
  deadRows: Pair.nullable()
})
export type TensorDifference = z.infer<typeof TensorDifference>

/** A tensor that could not be compared, and why. */
export const TensorProblem = z.object({ name: z.string(), why: Text })
export type TensorProblem = z.infer<typeof TensorProblem>

/** A value of a JSON file that differs. Values are JSON text, null where the side has none. */
export const FileDifference = z.object({
  file: z.string(),
  path: z.string(),
  a: z.string().nullable(),
  b: z.string().nullable()
})
export type FileDifference = z.infer<typeof FileDifference>

/** Whether the digests written beside an adapter hold for its files. */
export const SidecarCheck = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('none') }),
  z.object({ kind: z.literal('match'), files: z.number().int() }),
  z.object({ kind: z.literal('mismatch'), files: z.array(z.string()) }),
  z.object({ kind: z.literal('unreadable'), why: Text })
])
export type SidecarCheck = z.infer<typeof SidecarCheck>

export const WeightComparison = z.object({
  kind: z.enum(['full', 'adapter']),
  a: z.string(),
  b: z.string(),
  /** Reasons why these two do not belong together; what can be compared still is. */
  warnings: z.array(Text),
  tensors: z.array(TensorDifference),
  onlyA: z.array(z.string()),
  onlyB: z.array(z.string()),
  problems: z.array(TensorProblem),
  /** Over all compared tensors together. */
  total: z.object({
    relative: z.number().nullable(),
    cosine: z.number().nullable(),
    norm: Pair,
    changed: z.number().nullable(),
    elements: z.number(),
    nan: Pair,
    /** Comparisons kept before this was counted do not have it. */
    infinite: Pair.default([0, 0]),
    deadRows: Pair
  }),
  files: z.array(FileDifference),
  sidecar: z.tuple([SidecarCheck, SidecarCheck]),
  bytesRead: z.number(),
  /** Milliseconds. */
  took: z.number()
})
export type WeightComparison = z.infer<typeof WeightComparison>

export const WeightEvent = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('progress'),
    done: z.number(),
    total: z.number(),
    tensor: z.string()
  }),
  z.object({ kind: z.literal('done'), comparison: WeightComparison })
])
export type WeightEvent = z.infer<typeof WeightEvent>

/** Relative change over the rows of one tensor, at most `buckets` numbers of neighbouring rows together. */
export const RowProfile = z.object({
  name: z.string(),
  rows: z.number().int(),
  perBucket: z.number().int(),
  relative: z.array(z.number().nullable())
})
export type RowProfile = z.infer<typeof RowProfile>

/** One line of a table of results made outside the stack. */
export const ResultRow = z.object({
  /** Step of the release it belongs to, null for the base model. */
  release: z.number().int().nullable(),
  /** Optimizer step, where the table counts in steps. */
  step: z.number().nullable(),
  task: z.string(),
  n: z.number().int().nullable(),
  correct: z.number().int().nullable(),
  /** As a fraction where the table gives a percentage. */
  score: z.number().nullable(),
  /** 95 % Wilson interval, where the row is a proportion of n. */
  interval: Pair.nullable()
})
export type ResultRow = z.infer<typeof ResultRow>

export const ResultTable = z.object({
  id: z.string(),
  /** File name or what the person called it. */
  source: z.string(),
  attachedAt: z.number(),
  rows: z.array(ResultRow)
})
export type ResultTable = z.infer<typeof ResultTable>

/** Something to compare. A run stands for the release it serves. */
export const ComparedSide = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('release'),
    run: z.string(),
    scenario: z.string().optional(),
    step: z.number().int()
  }),
  z.object({ kind: z.literal('run'), run: z.string(), scenario: z.string().optional() }),
  z.object({ kind: z.literal('recipe'), path: z.string() }),
  z.object({ kind: z.literal('files'), target: z.string().default('local'), path: z.string() })
])
export type ComparedSide = z.infer<typeof ComparedSide>

export const SideFacts = z.object({
  side: ComparedSide,
  /** Column head: `r12`, with the run's name where the sides are of several runs; a file's name. */
  label: z.string(),
  run: z.object({ id: z.string(), name: z.string() }).nullable(),
  step: z.number().int().nullable(),
  attempt: z.number().int().nullable(),
  recordedAt: z.number().nullable(),
  /** Where its weights lie, if anywhere. */
  weights: z.object({ target: z.string(), path: z.string() }).nullable(),
  hasRecipe: z.boolean()
})
export type SideFacts = z.infer<typeof SideFacts>

/** A value of each side, and each side's difference from the baseline (null for the baseline itself). */
export const SideMetric = z.object({
  key: z.string(),
  direction: MetricDifference.shape.direction,
  cells: z.array(z.object({ value: z.number().nullable(), n: z.number().int() })),
  against: z.array(MetricDifference.nullable())
})
export type SideMetric = z.infer<typeof SideMetric>

/** A result measured outside the stack, of each side that has one. */
export const SideResult = z.object({
  task: z.string(),
  cells: z.array(ResultRow.nullable()),
  against: z.array(MetricDifference.nullable())
})
export type SideResult = z.infer<typeof SideResult>

/** A setting that differs by meaning. A side without a recipe has null everywhere. */
export const SideSetting = z.object({
  path: z.string(),
  values: z.array(z.string().nullable()),
  /** True when no side writes it: it follows from a default or from other fields. */
  derived: z.boolean()
})
export type SideSetting = z.infer<typeof SideSetting>

export const SideComparison = z.object({
  sides: z.array(SideFacts),
  baseline: z.number().int(),
  /** Releases up to each side whose numbers are averaged. */
  window: z.number().int(),
  /** Rewards first. */
  metrics: z.array(SideMetric),
  results: z.array(SideResult),
  settings: z.array(SideSetting)
})
export type SideComparison = z.infer<typeof SideComparison>

const Asked = z.object({
  sides: z.array(ComparedSide).min(2).max(8),
  baseline: z.number().int().min(0).max(7).optional(),
  window: z.number().int().min(1).max(1000).default(COMPARED_WINDOW)
})

/** A comparison that was given a name. */
export const SavedComparison = z.object({
  id: z.string(),
  name: z.string(),
  savedAt: z.number(),
  sides: z.array(ComparedSide),
  baseline: z.number().int().nullable(),
  window: z.number().int(),
  /** What it came to when it was saved: shown where a side is gone since. */
  then: SideComparison
})
export type SavedComparison = z.infer<typeof SavedComparison>

export const SavedSummary = SavedComparison.omit({ then: true }).extend({
  labels: z.array(z.string())
})
export type SavedSummary = z.infer<typeof SavedSummary>

const Sides = z.object({ target: z.string().default('local'), a: z.string(), b: z.string() })

export const compare = {
  /** Two checkpoint folders, adapters or safetensors files of one target. Ends early when the caller stops listening. */
  weights: procedure.input(Sides).output(eventIterator(WeightEvent)),
  rows: procedure
    .input(Sides.extend({ tensor: z.string(), buckets: z.number().int().min(1).max(4096) }))
    .output(RowProfile),
  /** Numbers of two releases of one run, over the `window` releases up to each. */
  metrics: procedure
    .input(
      z.object({
        run: z.string(),
        scenario: z.string().optional(),
        a: z.number().int(),
        b: z.number().int(),
        window: z.number().int().min(1).max(1000).default(COMPARED_WINDOW)
      })
    )
    .output(z.array(MetricDifference)),
  /** Two to eight things in any mix. The baseline is the earliest release unless one is named. */
  sides: procedure.input(Asked).output(SideComparison),
  /** Keeps a comparison under a name; one of that name is replaced. */
  save: procedure.input(Asked.extend({ name: z.string() })).output(SavedComparison),
  /** Newest first; `unreadable` names files that hold no comparison any more. */
  saved: procedure.output(
    z.object({ comparisons: z.array(SavedSummary), unreadable: z.array(z.string()) })
  ),
  savedOne: procedure.input(z.object({ id: z.string() })).output(SavedComparison),
  removeSaved: procedure.input(z.object({ id: z.string() })).output(z.object({})),
  /** A comparison as one HTML page that needs nothing beside it. */
  exportPage: procedure
    .input(
      Asked.extend({
        name: z.string(),
        language: z.enum(['en', 'zh']),
        /** Reads the weights of every side that has some against those of the baseline. */
        weights: z.boolean().default(false),
        /** By what its curves are laid over each other; those that lack what it counts are laid by step. */
        alignment: z.enum(ALIGNMENTS).default('step'),
        /** Ids of trials to add. */
        trials: z.array(z.string()).default([])
      })
    )
    .output(z.object({ html: z.string() })),
  results: procedure.input(z.object({ run: z.string() })).output(z.array(ResultTable)),
  /** Attaches a table given as CSV, tab-separated text or JSON. */
  attachResults: procedure
    .input(z.object({ run: z.string(), source: z.string(), text: z.string() }))
    .output(ResultTable),
  /** Takes back what was attached of a task; what is attached of it later counts again. */
  removeResults: procedure
    .input(z.object({ run: z.string(), task: z.string() }))
    .output(z.object({ rows: z.number().int() }))
}
