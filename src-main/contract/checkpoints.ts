import { z } from 'zod'
import { procedure } from './failure'
import { Text } from './text'

/** One half of a checkpoint on disk. */
export const CheckpointPart = z.object({
  path: z.string(),
  /** Bytes really allocated. */
  bytes: z.number(),
  files: z.number().int(),
  /** Unix milliseconds of its newest file. */
  modified: z.number()
})
export type CheckpointPart = z.infer<typeof CheckpointPart>

/** What the stack's own retention will do with a checkpoint. */
export const RetentionFate = z.enum([
  'protected',
  'while-space-lasts',
  'being-deleted',
  'unrecorded'
])

/** What one rollout saved: the export a server can load, and what training goes on from. */
export const Checkpoint = z.object({
  rolloutId: z.number().int(),
  export: CheckpointPart.nullable(),
  trainer: CheckpointPart.nullable(),
  critic: CheckpointPart.nullable(),
  /** False when the tracker has not reached it: the save was cut off. */
  trainerWhole: z.boolean().nullable(),
  jobId: z.string().nullable(),
  reward: z.number().nullable(),
  fate: RetentionFate,
  fateWhy: Text,
  /** Where Slipway keeps its files out of the reach of the stack's own clean-up; null when it does not. */
  kept: CheckpointPart.nullable()
})
export type Checkpoint = z.infer<typeof Checkpoint>

export const CheckpointCatalogue = z.object({
  root: z.string(),
  /** Highest rollout first. */
  checkpoints: z.array(Checkpoint),
  /** Number in the tracker, null when there is none. */
  tracker: z.number().int().nullable(),
  marker: z
    .object({
      status: z.string(),
      jobId: z.string().nullable(),
      rolloutId: z.number().int().nullable()
    })
    .nullable(),
  /** Files that a stack would not start beside. */
  strays: z.array(z.string()),
  bytes: z.number(),
  /** Whether the newest checkpoint can be started from where it lies, and if not, why. */
  restart: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('offered'), rolloutId: z.number().int(), jobId: z.string() }),
    z.object({ kind: z.literal('not-offered'), why: Text })
  ])
})
export type CheckpointCatalogue = z.infer<typeof CheckpointCatalogue>

export const CheckpointCheck = z.object({
  path: z.string(),
  shards: z.number().int(),
  tensors: z.number().int(),
  bytes: z.number(),
  /** Empty when all is well. */
  problems: z.array(z.object({ file: z.string(), why: Text }))
})
export type CheckpointCheck = z.infer<typeof CheckpointCheck>

export const checkpoints = {
  list: procedure.input(z.object({ run: z.string() })).output(CheckpointCatalogue),
  /** Shards against their index, and digests where the checkpoint carries them. */
  verify: procedure
    .input(z.object({ run: z.string(), rolloutId: z.number().int() }))
    .output(CheckpointCheck),
  /**
   * Keeps a checkpoint whatever the stack cleans up: a second name for its files in the run folder, without taking space
   * on the same disk, else a copy. Fails with `checkpoint-unsafe` while the stack may still write it.
   */
  keep: procedure
    .input(z.object({ run: z.string(), rolloutId: z.number().int() }))
    .output(z.object({ path: z.string(), linked: z.number(), copied: z.number() })),
  /** Ends that: removes what `keep` made, and nothing else. */
  letGo: procedure
    .input(z.object({ run: z.string(), rolloutId: z.number().int() }))
    .output(z.object({})),
  /** Copies the export to a new folder on this machine; an adapter gets a note on its use. */
  export: procedure
    .input(z.object({ run: z.string(), rolloutId: z.number().int(), to: z.string() }))
    .output(
      z.object({
        path: z.string(),
        files: z.number().int(),
        bytes: z.number(),
        adapter: z.boolean()
      })
    )
}
