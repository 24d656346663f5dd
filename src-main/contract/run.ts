import { eventIterator } from '@orpc/contract'
import { z } from 'zod'
import { procedure } from './failure'
import { NexrlPipeline } from './nexrl'
import { Text } from './text'

/** How a process or container ended. `unknown` is a legal answer: nobody saw it. */
export const Exit = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('code'), code: z.number().int() }),
  z.object({ kind: z.literal('signal'), signal: z.string() }),
  z.object({ kind: z.literal('oom') }),
  z.object({ kind: z.literal('unknown') })
])
export type Exit = z.infer<typeof Exit>

const Millis = z.number()

/** What one attempt of a run is doing. All times are Unix milliseconds. */
export const AttemptState = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('planned') }),
  z.object({ kind: z.literal('checking'), since: Millis }),
  z.object({ kind: z.literal('preparing'), since: Millis, image: z.string() }),
  z.object({ kind: z.literal('starting'), since: Millis, service: z.string() }),
  z.object({ kind: z.literal('serving'), since: Millis }),
  z.object({ kind: z.literal('training'), since: Millis, step: z.number().int() }),
  z.object({ kind: z.literal('quiet'), since: Millis, why: Text }),
  /** `what` did not answer: the target itself, or only the stack on it. Absent in records of before it was told. */
  z.object({
    kind: z.literal('unreachable'),
    since: Millis,
    why: Text,
    what: z.enum(['target', 'stack']).optional()
  }),
  z.object({ kind: z.literal('stopping'), since: Millis, deadline: Millis, awaiting: Text }),
  /**
   * `why`: what its log says of the end, where the exit alone proves nothing. `asked`: somebody had it stopped, so that
   * an exit of 0 does not mean that it had nothing left to do. `unsure`: it ended well and something else may have ended
   * it, as `why` says; a person looks.
   */
  z.object({
    kind: z.literal('stopped'),
    at: Millis,
    exit: Exit,
    why: Text.optional(),
    asked: z.literal(true).optional(),
    unsure: z.literal(true).optional()
  }),
  z.object({
    kind: z.literal('failed'),
    at: Millis,
    cause: Text,
    /** The log lines that prove it, redacted. */
    evidence: z.array(z.string()),
    remedy: Text.optional(),
    exit: Exit.optional()
  })
])
export type AttemptState = z.infer<typeof AttemptState>

/** What a record is: what its newest attempt is doing, or that it was imported and never ran here. */
export const RunState = z.discriminatedUnion('kind', [
  ...AttemptState.options,
  z.object({
    kind: z.literal('imported'),
    at: Millis,
    /** Milliseconds between the first and the last time in its files; null when these have none. */
    lasted: z.number().nullable()
  })
])
export type RunState = z.infer<typeof RunState>

export const TargetRef = z.object({
  id: z.string(),
  name: z.string(),
  kind: z.enum(['process', 'docker', 'attach', 'import'])
})
export type TargetRef = z.infer<typeof TargetRef>

/** The four stages of continual learning, as counts since the run began. */
export const Stages = z.object({
  /** Answers given. */
  served: z.number().int(),
  /** Reports received. */
  reported: z.number().int(),
  /** Reports in the batch being filled, and how many make one optimizer step. Null: not known. */
  batchHave: z.number().int().nullable(),
  batchNeed: z.number().int().nullable(),
  /** Releases published. */
  released: z.number().int()
})
export type Stages = z.infer<typeof Stages>

export const RecipeRef = z.object({
  /** Shown name, e.g. "Practice: SAO". */
  name: z.string(),
  /** Where the text came from; the run folder keeps its own byte-for-byte copy. */
  path: z.string(),
  dialect: z.enum(['reef-unversioned', 'reef-v2', 'nexrl', 'unknown']),
  /** Loss family: sao, tttd, openclawrl, sdft, …; null when the recipe trains nothing or it is not known. */
  family: z.string().nullable(),
  /** True for the CPU-sized stand-in. Everything about it must say so on screen. */
  practice: z.boolean(),
  model: z.string().nullable()
})
export type RecipeRef = z.infer<typeof RecipeRef>

export const RunSummary = z.object({
  id: z.string(),
  folder: z.string(),
  name: z.string(),
  tags: z.array(z.string()),
  starred: z.boolean(),
  archived: z.boolean(),
  recipe: RecipeRef,
  target: TargetRef,
  /** 1-based number of the newest attempt. */
  attempt: z.number().int(),
  state: RunState,
  /** Newest step of the release chain, of a NexRL driver the completed steps; 0 before the first. */
  step: z.number().int(),
  /**
   * Optimizer step the trainer of the newest attempt told last, as on the axis of its curves; null before it told one. After
   * a rollback or on a new attempt it is that trainer's own, and has nothing to do with the numbers of the chain.
   */
  trainStep: z.number().int().nullable(),
  /** Served release as people say it (`r57`), null before serving. */
  served: z.string().nullable(),
  /** Start of the newest attempt, or when it was imported. */
  startedAt: Millis,
  endedAt: Millis.nullable(),
  lastSampleAt: Millis.nullable(),
  reward: z
    .object({
      key: z.string(),
      last: z.number().nullable(),
      first: z.number().nullable(),
      /** At most 64 points, oldest first, for a sparkline. */
      spark: z.array(z.number())
    })
    .nullable(),
  stages: Stages,
  /** One sentence: what happens now. */
  now: Text
})
export type RunSummary = z.infer<typeof RunSummary>

/** A folder under the runs home that could not be read. Shown, never hidden, never touched. */
export const DamagedRun = z.object({
  id: z.string(),
  folder: z.string(),
  why: Text,
  remedy: Text
})
export type DamagedRun = z.infer<typeof DamagedRun>

export const RunList = z.object({ runs: z.array(RunSummary), damaged: z.array(DamagedRun) })
export type RunList = z.infer<typeof RunList>

/** A run that could not be looked at just now: what is known of it is from `seenAt`. */
export const UnseenRun = z.object({ run: z.string(), why: Text, seenAt: Millis })
export type UnseenRun = z.infer<typeof UnseenRun>

export const ServiceStatus = z.object({
  name: z.string(),
  state: z.enum(['waiting', 'starting', 'ready', 'exited', 'unknown']),
  since: Millis.nullable(),
  /** How readiness is judged, and while waiting what is awaited. */
  readiness: Text,
  url: z.string().nullable()
})
export type ServiceStatus = z.infer<typeof ServiceStatus>

/** Where a companion runs. */
export const CompanionWhere = z.enum(['process', 'stack-container', 'own-container'])

/** A command of the newest attempt that makes its traffic. */
export const CompanionStatus = z.object({
  name: z.string(),
  where: CompanionWhere,
  state: z.discriminatedUnion('kind', [
    /** For the stack to serve. */
    z.object({ kind: z.literal('waiting') }),
    z.object({ kind: z.literal('starting') }),
    z.object({ kind: z.literal('running') }),
    /** It ended and is started again after a pause. */
    z.object({ kind: z.literal('restarting'), exit: Exit }),
    z.object({ kind: z.literal('ended'), exit: Exit }),
    /** Its last start failed; `again`: it is tried anew. */
    z.object({ kind: z.literal('not-started'), again: z.boolean() }),
    /** The attempt ended before it. */
    z.object({ kind: z.literal('left') }),
    /** The attempt ended and it was never started. */
    z.object({ kind: z.literal('unused') })
  ]),
  /** How often it was started again. */
  restarts: z.number().int(),
  /** Id of the log source with what it says; null before it was started. */
  log: z.string().nullable()
})
export type CompanionStatus = z.infer<typeof CompanionStatus>

export const RunEvent = z.object({
  at: Millis,
  attempt: z.number().int(),
  /** Stable kebab-case kind: attempt-started, service-ready, release, rollback, stop-asked, exited, gap, … */
  kind: z.string(),
  text: Text,
  /** Optimizer or commit step the event belongs to, where it has one. */
  step: z.number().optional(),
  data: z.record(z.string(), z.unknown()).optional()
})
export type RunEvent = z.infer<typeof RunEvent>

/** What a container attempt was started from. */
export const ImageFacts = z.object({
  reference: z.string(),
  /** Content digest the engine knows it by, `sha256:…`. */
  id: z.string(),
  /** Docker, Docker Desktop or Podman; null when it does not say. */
  engine: z.string().nullable(),
  version: z.string().nullable()
})
export type ImageFacts = z.infer<typeof ImageFacts>

export const AttemptSummary = z.object({
  number: z.number().int(),
  startedAt: Millis,
  endedAt: Millis.nullable(),
  state: AttemptState,
  /** The command line as a person would type it; secrets by name. */
  command: z.string(),
  image: ImageFacts.optional()
})
export type AttemptSummary = z.infer<typeof AttemptSummary>

export const ImportedFile = z.object({
  path: z.string(),
  format: z.enum(['log', 'tfevents', 'wandb', 'csv', 'jsonl', 'json', 'run']),
  samples: z.number().int()
})
export type ImportedFile = z.infer<typeof ImportedFile>

/** What a record was made of that no launch of Slipway left. Times of the first and the last sample, where known. */
export const Imported = z.object({
  files: z.array(ImportedFile),
  samples: z.number().int(),
  keys: z.number().int(),
  from: Millis.nullable(),
  to: Millis.nullable()
})
export type Imported = z.infer<typeof Imported>

export const RunDetail = z.object({
  summary: RunSummary,
  attempts: z.array(AttemptSummary),
  services: z.array(ServiceStatus),
  companions: z.array(CompanionStatus),
  /** Base address of the HTTP service; null when none is up. */
  address: z.string().nullable(),
  scenarios: z.array(z.string()),
  /** How this stack goes back: its API, a redeploy from a saved checkpoint, or not at all. */
  rollback: z.enum(['api', 'redeploy', 'none']),
  events: z.array(RunEvent),
  notes: z.string(),
  /** Which engine writes this run: this one, another one on this machine, another machine, or nobody. */
  writer: z.enum(['me', 'other-process', 'other-host', 'nobody']),
  /** What stopping at this moment would cost; null when nothing, or when this engine is not the one that watches. */
  stopCost: Text.nullable(),
  /** The pipeline of a NexRL driver, which has no HTTP service and no releases of its own. */
  nexrl: NexrlPipeline.optional()
})
export type RunDetail = z.infer<typeof RunDetail>

const ById = z.object({ run: z.string() })

export const runs = {
  list: procedure.output(RunList),
  get: procedure.input(ById).output(RunDetail),
  /**
   * Looks at unfinished runs, or at one, which nobody may have watched for a while; returns when all that happened is
   * read, with the runs that could not be looked at.
   */
  look: procedure
    .input(z.object({ run: z.string().optional() }))
    .output(z.object({ unseen: z.array(UnseenRun) })),
  /** The whole list again whenever something in it changed; at most about four a second. */
  watch: procedure.output(eventIterator(RunList)),
  /** Detail of one run whenever it changed. */
  follow: procedure.input(ById).output(eventIterator(RunDetail)),
  update: procedure
    .input(
      z.object({
        run: z.string(),
        name: z.string().optional(),
        tags: z.array(z.string()).optional(),
        starred: z.boolean().optional(),
        archived: z.boolean().optional(),
        notes: z.string().optional(),
        /** Keep the weights of every Nth step of a NexRL run with Weaver; 0: none. */
        extendEvery: z.number().int().min(0).optional()
      })
    )
    .output(z.object({})),
  /**
   * Makes a record of files: TensorBoard, W&B, CSV, JSONL, logs, or folders of these. They are read and left where they
   * are. `problems` says what of them could not be read; `damaged`: something is lost, more than the unfinished end of a
   * file that is still being written.
   */
  import: procedure
    .input(z.object({ paths: z.array(z.string()).min(1), name: z.string().optional() }))
    .output(
      z.object({
        run: z.string(),
        imported: Imported,
        problems: z.array(Text),
        damaged: z.boolean()
      })
    ),
  /**
   * Asks the stack to end. `force` is the separate second step and skips the grace period. `note`: it was asked and
   * that could not be written down, so that the run does not show it.
   */
  stop: procedure
    .input(z.object({ run: z.string(), force: z.boolean().default(false) }))
    .output(z.object({ note: Text.optional() })),
  /** A new attempt of the same run, from what its storage allows. */
  restart: procedure.input(ById).output(z.object({})),
  /** Why it is not certain what a restart would go on from; null when nothing speaks against it. Changes nothing. */
  restartDoubt: procedure.input(ById).output(z.object({ doubt: Text.nullable() }))
}
