import { z } from 'zod'
import { procedure } from './failure'
import { Text } from './text'

/** Where the key comes from. Its value never crosses. */
export const WeaverStatus = z.object({
  server: z.string(),
  key: z.enum(['environment', 'stored', 'missing']),
  /** Why a key cannot be kept on this system; null when it can. */
  cannotStore: Text.nullable()
})
export type WeaverStatus = z.infer<typeof WeaverStatus>

export const WeaverPrice = z.object({
  /** `training_tokens`, `sampling_prefill_tokens`, … */
  kind: z.string(),
  unit: z.string(),
  /** Millionths of a US dollar for one unit. */
  micros: z.number()
})

/** A model of the catalogue. A mode without a price is not supported and not listed. */
export const CatalogueModel = z.object({
  id: z.string(),
  name: z.string(),
  status: z.string(),
  contextLength: z.number().nullable(),
  modes: z.array(z.object({ mode: z.string(), prices: z.array(WeaverPrice) }))
})
export type CatalogueModel = z.infer<typeof CatalogueModel>

/** A model a session made. Times in Unix milliseconds. */
export const WeaverModel = z.object({
  id: z.string(),
  session: z.string().nullable(),
  baseModel: z.string(),
  mode: z.string().nullable(),
  status: z.string().nullable(),
  createdAt: z.number().nullable()
})
export type WeaverModel = z.infer<typeof WeaverModel>

/** One checkpoint of a model. Times in Unix milliseconds. */
export const WeaverCheckpoint = z.object({
  id: z.string(),
  /** `weaver://<model>/checkpoints/<name>`. */
  path: z.string(),
  name: z.string().nullable(),
  /** `weight`, `weight_and_optimizer` or `sampling`. */
  type: z.string(),
  status: z.string().nullable(),
  createdAt: z.number().nullable(),
  /** Null: it is kept for good. */
  expiresAt: z.number().nullable()
})
export type WeaverCheckpoint = z.infer<typeof WeaverCheckpoint>

/** Whoever asks has shown the person what it does and got a yes; without it nothing is sent. */
const confirmed = z.literal(true)

const OfModel = z.object({ model: z.string() })

export const SavedFile = z.object({
  name: z.string(),
  bytes: z.number(),
  /** As computed here from the bytes on disk, equal to what the service said. */
  sha256: z.string()
})

export const weaver = {
  status: procedure.output(WeaverStatus),
  /** Keeps the key in the system's keyring; null forgets it. */
  setKey: procedure.input(z.object({ key: z.string().nullable() })).output(WeaverStatus),
  catalogue: procedure.output(z.object({ models: z.array(CatalogueModel) })),
  /** The person's models, newest first; of one session where it is named. */
  models: procedure
    .input(z.object({ session: z.string().optional() }))
    .output(z.object({ models: z.array(WeaverModel) })),
  checkpoints: procedure
    .input(OfModel)
    .output(z.object({ checkpoints: z.array(WeaverCheckpoint), now: z.number() })),
  /** Act 1: another life for a checkpoint; null seconds: for good. */
  extend: procedure
    .input(
      OfModel.extend({
        path: z.string(),
        seconds: z.number().int().positive().nullable(),
        /** Asked for by name, for it loses something: a shorter life than the checkpoint has. */
        shorten: z.boolean().optional(),
        confirmed
      })
    )
    .output(z.object({})),
  /** Act 2: a durable checkpoint of the model as it is now, which NexRL never makes. */
  save: procedure
    .input(
      OfModel.extend({
        name: z.string().optional(),
        type: z.enum(['weight', 'weight_and_optimizer']),
        confirmed
      })
    )
    .output(z.object({ path: z.string() })),
  /** Act 3: a Hugging Face artifact of a checkpoint. */
  export: procedure
    .input(OfModel.extend({ path: z.string(), merge: z.boolean().default(false), confirmed }))
    .output(z.object({ artifact: z.string() })),
  /** Act 4: an exported artifact into a folder of this machine, each file checked by sha256. */
  download: procedure
    .input(
      OfModel.extend({
        path: z.string(),
        folder: z.string(),
        /** Needed where a checkpoint was exported both ways. */
        kind: z.enum(['hf_adapter', 'hf_model']).optional(),
        confirmed
      })
    )
    .output(z.object({ folder: z.string(), files: z.array(SavedFile) }))
}
