import { z } from 'zod'
import { Companion, Override, Plan } from '../../contract/launch'
import { NexrlPipeline } from '../../contract/nexrl'
import {
  AttemptState,
  Exit,
  ImageFacts,
  Imported,
  RecipeRef,
  RunSummary,
  ServiceStatus,
  Stages,
  TargetRef
} from '../../contract/run'
import { Text } from '../../contract/text'

/** Version of `run.json` this code writes. A file with a higher one is shown and left alone. */
export const RUN_SCHEMA = 1

/** How to find what was started again and prove that it is ours; the shape of a target's handle. */
export const HandleRecord = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('process'),
    pid: z.number().int(),
    startTime: z.string(),
    exitFile: z.string(),
    stdout: z.string(),
    stderr: z.string()
  }),
  z.object({
    kind: z.literal('container'),
    id: z.string(),
    name: z.string(),
    engine: z.string()
  }),
  z.object({ kind: z.literal('attached'), address: z.string() })
])
export type HandleRecord = z.infer<typeof HandleRecord>

/** A command in the stack's container. */
const InsideRecord = z.object({
  kind: z.literal('inside'),
  container: z.string(),
  exec: z.string().nullable(),
  folder: z.string()
})

/** Records counted so far, and how far the list was read: one value, so that neither is ever ahead of the other. */
export const TrafficCount = z.object({
  served: z.number().int(),
  reported: z.number().int(),
  /** Sequence number of the newest counted record, by scenario. */
  after: z.record(z.string(), z.number())
})
export type TrafficCount = z.infer<typeof TrafficCount>

/** One companion of an attempt, over all its starts. */
export const CompanionRecord = z.object({
  name: z.string(),
  starts: z.number().int(),
  /** Null between deciding to start it and knowing what was started. */
  handle: z.discriminatedUnion('kind', [...HandleRecord.options, InsideRecord]).nullable(),
  /** How its newest start ended; null while it runs. */
  exit: Exit.nullable(),
  /** When it was started the last time, Unix milliseconds. */
  startedAt: z.number().optional(),
  /** Failures in a row, each soon after its start. */
  failures: z.number().int().optional()
})
export type CompanionRecord = z.infer<typeof CompanionRecord>

/** One start of a run. Paths as the target sees them. Times in Unix milliseconds. */
export const AttemptRecord = z.object({
  number: z.number().int(),
  startedAt: z.number(),
  endedAt: z.number().nullable(),
  state: AttemptState,
  plan: Plan,
  /** As a person would type it; secrets by name. */
  command: z.string(),
  handle: HandleRecord.nullable(),
  /** Image and engine, of an attempt in a container once it was started. */
  image: ImageFacts.optional(),
  companions: z.array(CompanionRecord).optional(),
  /** Attempt whose storage this one works in: itself, or an earlier one after a restart. */
  storage: z.number().int(),
  address: z.string().nullable(),
  /** Folder the stack was started in. */
  cwd: z.string(),
  /** Where the services write their logs and marks. */
  runDir: z.string(),
  checkpointDir: z.string().nullable(),
  recordDir: z.string().nullable(),
  /** Why the attempt began: the launch, a restart, going back to a release, taking that back. */
  reason: z.enum(['launch', 'restart', 'redeploy', 'undo']),
  /** Shown step of the release a redeploy began from. */
  redeployedFrom: z.number().int().nullable(),
  /** Whether it was ever ready, and when it first was. */
  reached: z.boolean(),
  readyAt: z.number().nullable(),
  traffic: TrafficCount,
  /** A stop a person asked for; an engine that dies meanwhile goes on with it. */
  stopAsked: z
    .object({
      at: z.number(),
      deadline: z.number(),
      force: z.boolean(),
      /** The target was out of reach: the stack itself has yet to be asked. */
      owed: z.boolean().optional()
    })
    .nullable()
})
export type AttemptRecord = z.infer<typeof AttemptRecord>

/** What was last seen of the running stack. A cache: everything in it can be found again from the other files. */
export const Seen = z.object({
  /** When it was seen; what happened after it happened while nobody watched. */
  at: z.number(),
  step: z.number().int(),
  /** Optimizer step the newest attempt's trainer told last; null before it told one, absent where nobody looked for it. */
  trained: z.number().int().nullable().optional(),
  served: z.string().nullable(),
  lastSampleAt: z.number().nullable(),
  reward: RunSummary.shape.reward,
  stages: Stages,
  scenarios: z.array(z.string()),
  services: z.array(ServiceStatus),
  /** What keeps us (not the stack) from looking: a full disk, a file that cannot be read; null when nothing does. */
  trouble: Text.nullable(),
  /** What the log of a NexRL driver says. */
  nexrl: NexrlPipeline.optional()
})
export type Seen = z.infer<typeof Seen>

/** A checkpoint root and the iteration in it that training is to go on from, on a copy. */
export const FromIteration = z.object({ root: z.string(), rollout: z.number().int() })
export type FromIteration = z.infer<typeof FromIteration>

/** An attempt that is to follow. */
export const NextAttempt = z.object({
  reason: z.enum(['restart', 'redeploy', 'undo']),
  overrides: z.array(Override),
  redeployedFrom: z.number().int().nullable(),
  /** Storage to start again as it is, where that is not what the reason implies. */
  storage: z.number().int().optional(),
  /** Its checkpoint root is made as a copy first, so that its optimizer goes on. */
  iteration: FromIteration.optional()
})
export type NextAttempt = z.infer<typeof NextAttempt>

/** `run.json`. */
export const RunRecord = z.object({
  schema: z.literal(RUN_SCHEMA),
  id: z.string(),
  name: z.string(),
  tags: z.array(z.string()),
  starred: z.boolean(),
  archived: z.boolean(),
  createdAt: z.number(),
  recipe: RecipeRef,
  /** sha256 of `recipe.yaml`. */
  recipeHash: z.string(),
  target: TargetRef,
  appVersion: z.string(),
  /** Commit and dirty state of the checkout the recipe came from, where there is one. */
  checkout: z.object({ commit: z.string(), dirty: z.boolean() }).nullable(),
  rollback: z.enum(['api', 'redeploy', 'none']),
  overrides: z.array(Override),
  companions: z.array(Companion),
  attempts: z.array(AttemptRecord),
  /** What follows when the present attempt has ended: survives an engine that dies in between. */
  next: NextAttempt.nullable(),
  seen: Seen,
  /** What an imported record was made of; absent for a run. */
  imported: Imported.optional(),
  /** The rule “keep the weights of every Nth step”, where it was changed after the launch. */
  extendEvery: z.number().int().optional()
})
export type RunRecord = z.infer<typeof RunRecord>

/** What a run looks like before anything was seen of it. */
export const nothingSeen: Seen = {
  at: 0,
  step: 0,
  trained: null,
  served: null,
  lastSampleAt: null,
  reward: null,
  stages: { served: 0, reported: 0, batchHave: null, batchNeed: null, released: 0 },
  scenarios: [],
  services: [],
  trouble: null
}

/** One release row as it was read, in `releases.jsonl`. Rows are kept raw: their meaning is the reader's business. */
export const ReleaseRow = z.object({
  at: z.number(),
  /** Attempt during which the row was first seen. */
  attempt: z.number().int(),
  /** Attempt whose storage holds the chain; the key of a row is storage, scenario and step. */
  storage: z.number().int(),
  scenario: z.string(),
  step: z.number().int(),
  from: z.enum(['service', 'commit-log']),
  row: z.record(z.string(), z.unknown()),
  /** The same step as `/commits` gives it, where it was read. */
  commit: z.record(z.string(), z.unknown()).nullable()
})
export type ReleaseRow = z.infer<typeof ReleaseRow>
