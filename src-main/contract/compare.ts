import { eventIterator } from '@orpc/contract'
import { z } from 'zod'
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
        window: z.number().int().min(1).max(1000).default(4)
      })
    )
    .output(z.array(MetricDifference)),
  results: procedure.input(z.object({ run: z.string() })).output(z.array(ResultTable)),
  /** Attaches a table given as CSV, tab-separated text or JSON. */
  attachResults: procedure
    .input(z.object({ run: z.string(), source: z.string(), text: z.string() }))
    .output(ResultTable)
}
