import { z } from 'zod'
import { Text } from './text'

/** `training-service`: the GPUs are Weaver's or Tinker's. `self-hosted`: GPU workers of one's own (`cli/run.py`). */
export const NexrlMode = z.enum(['training-service', 'self-hosted'])
export type NexrlMode = z.infer<typeof NexrlMode>

/**
 * `driver`: `python -m nexrl.main` is started directly, as a process or in a container. `kubernetes`: NexRL's own
 * launcher, which applies a Volcano job with kubectl and returns while training goes on.
 */
export const NexrlWay = z.enum(['driver', 'kubernetes'])
export type NexrlWay = z.infer<typeof NexrlWay>

/** What a person may choose for a launch of NexRL; absent parts take the defaults the plan shows. */
export const NexrlChoices = z.object({
  way: NexrlWay.optional(),
  /** Absent: what the recipe's services ask for. */
  mode: NexrlMode.optional(),
  /** Off launches an idle pod that trains nothing until someone starts it by hand. Only for `kubernetes`. */
  runNexrl: z.boolean().optional(),
  /** Goes into the names of jobs. */
  tag: z.string().optional(),
  /** Folder of a NexRL checkout on the target. */
  checkout: z.string().optional(),
  /** Folder of a Python environment on the target; absent: the target's own. */
  python: z.string().optional(),
  /** `host:port` of an inference service that runs already. Only for `self-hosted`. */
  inferenceUrl: z.string().optional(),
  /** Remove the expiry of every Nth step's sampler weights while the run is followed; 0 or absent: never. */
  extendEvery: z.number().int().min(0).optional()
})
export type NexrlChoices = z.infer<typeof NexrlChoices>

/** A variable a launch needs, by name only. */
export const NexrlVariable = z.object({
  name: z.string(),
  /** `required`: the driver stops at start without it. */
  need: z.enum(['required', 'optional']),
  /** `launch`: Slipway sets it. `person`: from the environment or the secret store. */
  from: z.enum(['launch', 'person']),
  why: Text
})
export type NexrlVariable = z.infer<typeof NexrlVariable>

/** The part of a plan that only NexRL has. */
export const NexrlPlan = z.object({
  way: NexrlWay,
  mode: NexrlMode,
  runNexrl: z.boolean(),
  tag: z.string(),
  checkout: z.string().nullable(),
  /** Kubernetes namespace of the jobs; null without a cluster. */
  namespace: z.string().nullable(),
  /** Where the weights live between steps. */
  service: z.enum(['weaver', 'tinker', 'own']),
  syncMode: z.string(),
  totalSteps: z.number().int().nullable(),
  /** Prompts, samples of each, and their product: trajectories of one step. */
  prompts: z.number().int().nullable(),
  repeats: z.number().int().nullable(),
  workers: z.number().int().nullable(),
  /** Seconds between two liveness lines. */
  heartbeat: z.number(),
  extendEvery: z.number().int(),
  variables: z.array(NexrlVariable)
})
export type NexrlPlan = z.infer<typeof NexrlPlan>

/**
 * How a driver stands, judged from its log alone: an exit code or a pod's status proves nothing, because the pod's
 * script ends with the status of `tee` (`cli/common/run_nexrl.sh`).
 */
export const NexrlVerdict = z.enum([
  'starting',
  'running',
  'done',
  'ended-early',
  'failed',
  'crashed',
  'unknown'
])
export type NexrlVerdict = z.infer<typeof NexrlVerdict>

export const ExportedWeights = z.object({
  /** Training step the weights come after; null for the first ones. */
  step: z.number().int().nullable(),
  path: z.string(),
  /** Unix milliseconds. */
  at: z.number(),
  /** When the service drops them, as well as it is known; null: never. */
  expiresAt: z.number().nullable()
})
export type ExportedWeights = z.infer<typeof ExportedWeights>

/** The driver's pipeline as its log tells it. All times in Unix milliseconds. */
export const NexrlPipeline = z.object({
  plan: NexrlPlan,
  verdict: NexrlVerdict,
  /** The verdict in words. */
  said: Text,
  loader: z.object({
    /** Trajectories of the batch that are done, and how many make it; null before the first progress line. */
    done: z.number().int().nullable(),
    of: z.number().int().nullable(),
    exhausted: z.boolean()
  }),
  workers: z.object({ active: z.number().int().nullable(), of: z.number().int().nullable() }),
  rewards: z.object({
    /** Mean of the newest step; null before the first. */
    mean: z.number().nullable(),
    groups: z.number().int(),
    /** Groups whose rewards are all equal: they teach nothing. */
    equalGroups: z.number().int()
  }),
  pool: z.object({ finished: z.number().int().nullable() }),
  trainer: z.object({
    /** Steps completed. */
    steps: z.number().int(),
    of: z.number().int().nullable(),
    /** Steps that had nothing to learn from. */
    skipped: z.number().int(),
    lastAt: z.number().nullable()
  }),
  sync: z.object({
    mode: z.string(),
    version: z.number().int().nullable(),
    /** Trained steps that the rollouts do not have yet. */
    lag: z.number().int(),
    lastAt: z.number().nullable(),
    failures: z.number().int()
  }),
  /** Newest last, at most fifty. */
  exported: z.array(ExportedWeights),
  exportedCount: z.number().int(),
  /** Weaver's id of the model being trained. */
  model: z.string().nullable(),
  heartbeatAt: z.number().nullable(),
  errors: z.number().int()
})
export type NexrlPipeline = z.infer<typeof NexrlPipeline>
