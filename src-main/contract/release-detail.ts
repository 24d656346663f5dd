import { z } from 'zod'
import { TalkRecord } from './talk'
import { Text } from './text'

/** What making a release took. Null: not known. */
export const ReleaseCost = z.object({
  /** Milliseconds from the release before it, or from when its attempt was ready, to its commit. */
  took: z.number().nullable(),
  /** GPUs its attempt was planned with. */
  gpus: z.number().int().nullable(),
  gpuHours: z.number().nullable(),
  /** Receipts the step consumed. */
  samples: z.number().int().nullable(),
  /** Rollouts that were dropped instead. */
  dropped: z.number().int().nullable()
})
export type ReleaseCost = z.infer<typeof ReleaseCost>

/**
 * A record a step learnt from, and what a report said in words. `said`: the first lines of the question and the answer,
 * read for the first few only; null where they were not, or are kept no more.
 */
export const LearntRecord = TalkRecord.extend({
  words: z.string().nullable(),
  said: z.object({ question: z.string(), answer: z.string() }).nullable()
})
export type LearntRecord = z.infer<typeof LearntRecord>

/** What a step learnt from. */
export const LearntFrom = z.object({
  /** Receipts by id, as the commit lists them; at most 200. */
  receipts: z.array(z.string()),
  /** Reports and answers behind them, newest first; null where nobody can be asked. */
  records: z.array(LearntRecord).nullable(),
  /** Why there are no records. */
  why: Text.nullable(),
  /** Scores of all its reports, also of those not listed. */
  scores: z
    .object({ n: z.number().int(), mean: z.number(), least: z.number(), most: z.number() })
    .nullable()
})
export type LearntFrom = z.infer<typeof LearntFrom>

/** One thing a harness needs of the machine it is installed on. */
export const SetupItem = z.object({
  name: z.string(),
  kind: z.string().nullable(),
  check: z.string().nullable()
})
export type SetupItem = z.infer<typeof SetupItem>

/** How a candidate harness was judged. Numbers as the row carries them. */
export const HarnessVerdict = z.object({
  selected: z.boolean().nullable(),
  reason: z.string().nullable(),
  policy: z.string().nullable(),
  wins: z.number().nullable(),
  losses: z.number().nullable(),
  ties: z.number().nullable(),
  candidate: z.number().nullable(),
  current: z.number().nullable(),
  /** 95 % or other interval of the paired difference, where the selection computes one. */
  interval: z.tuple([z.number(), z.number()]).nullable()
})
export type HarnessVerdict = z.infer<typeof HarnessVerdict>

/** A file of a harness, against the release it was made from. Lines; null for what is no text. */
export const HarnessFile = z.object({
  path: z.string(),
  bytes: z.number().int(),
  change: z.enum(['same', 'added', 'changed', 'removed']),
  added: z.number().int().nullable(),
  removed: z.number().int().nullable()
})
export type HarnessFile = z.infer<typeof HarnessFile>

/** What a harness release is: the files, how they changed, who asked, and how it was judged. */
export const HarnessRelease = z.object({
  verdict: HarnessVerdict.nullable(),
  proposal: z.object({ id: z.string().nullable(), reason: z.string().nullable() }).nullable(),
  /** A person's request in plain language. */
  request: z
    .object({ id: z.string().nullable(), text: z.string(), client: z.string().nullable() })
    .nullable(),
  mutations: z.array(z.object({ op: z.string(), id: z.string().nullable() })),
  /** What the proposer noted, by name. */
  notes: z.array(z.object({ name: z.string(), text: z.string() })),
  setup: z.array(SetupItem),
  /** Null: there is no tree to read, and `noFiles` says why. */
  files: z.array(HarnessFile).nullable(),
  noFiles: Text.nullable(),
  /** Step of the release the files are compared with; null where there is none. */
  against: z.number().int().nullable(),
  from: z.enum(['service', 'disk']).nullable()
})
export type HarnessRelease = z.infer<typeof HarnessRelease>

/** One release in full, beside its row in the chain. */
export const ReleaseDetail = z.object({
  step: z.number().int(),
  cost: ReleaseCost,
  learnt: LearntFrom,
  /** Null where the scenario releases weights. */
  harness: HarnessRelease.nullable()
})
export type ReleaseDetail = z.infer<typeof ReleaseDetail>

/** A file of two harness releases as a unified difference. */
export const HarnessDiff = z.object({
  path: z.string(),
  against: z.number().int().nullable(),
  /** Lines with their sign: space, `+`, `-`; `@` begins a part. Null: not both are text. */
  lines: z.array(z.object({ sign: z.enum([' ', '+', '-', '@']), text: z.string() })).nullable(),
  /** True when the difference is longer than what is given. */
  cut: z.boolean()
})
export type HarnessDiff = z.infer<typeof HarnessDiff>
