import { z } from 'zod'
import type { CatalogueModel, WeaverCheckpoint, WeaverModel } from '../../contract/weaver'

const Price = z.object({ unit: z.string(), unit_price_micros: z.coerce.number() })

const Item = z.looseObject({
  id: z.string().default(''),
  name: z.string().default(''),
  status: z.string().default('available'),
  training_modes: z.array(z.string()).nullish(),
  metadata: z.looseObject({ context_length: z.number().nullish() }).nullish(),
  prices: z.record(z.string(), z.unknown()).nullish()
})

/** Usage a mode is billed for; a mode that lacks the price of one is not supported (`weaver/types/supported_model.py`). */
const KINDS = [
  'training_tokens',
  'sampling_prefill_tokens',
  'sampling_cached_prefill_tokens',
  'sampling_output_tokens'
] as const

/** One entry of `GET /model-catalog`; null when it offers no mode with all its prices. */
export function catalogueModel(payload: unknown): CatalogueModel | null {
  const item = Item.safeParse(payload).data
  if (item === undefined) return null
  const prices = item.prices ?? {}
  const declared = item.training_modes?.map((mode) => mode.trim().toLowerCase().replace('-', '_'))
  const modes = ['lora', 'full_ft'].flatMap((mode) => {
    if (declared !== undefined && !declared.includes(mode)) return []
    const found = KINDS.flatMap((kind) => {
      const general = kind === 'training_tokens' ? undefined : prices[kind]
      const price = Price.safeParse(prices[`${kind}:${mode}`] ?? general).data
      return price === undefined
        ? []
        : [{ kind, unit: price.unit, micros: price.unit_price_micros }]
    })
    return found.length === KINDS.length ? [{ mode, prices: found }] : []
  })
  if (modes.length === 0) return null
  const { id, name, status } = item
  return { id, name, status, contextLength: item.metadata?.context_length ?? null, modes }
}

const text = z.string().nullish()

const Model = z.looseObject({
  id: z.string(),
  session_id: text,
  base_model: z.string().default(''),
  training_mode: text,
  status: text,
  created_at: text
})

export function modelOf(payload: unknown): WeaverModel | null {
  const model = Model.safeParse(payload).data
  if (model === undefined) return null
  return {
    id: model.id,
    session: model.session_id ?? null,
    baseModel: model.base_model,
    mode: model.training_mode ?? null,
    status: model.status ?? null,
    createdAt: time(model.created_at)
  }
}

const Checkpoint = z.looseObject({
  id: z.string().default(''),
  path: z.string(),
  name: text,
  checkpoint_type: text,
  type: text,
  status: text,
  created_at: text,
  expires_at: text,
  ttl_seconds: z.number().nullish()
})

/** One of `GET /models/{id}/checkpoints` (`weaver/types/checkpoint.py`). */
export function checkpointOf(payload: unknown): WeaverCheckpoint | null {
  const found = Checkpoint.safeParse(payload).data
  if (found === undefined) return null
  const createdAt = time(found.created_at)
  const life = found.ttl_seconds ?? null
  const counted = createdAt === null || life === null ? null : createdAt + life * 1000
  return {
    id: found.id,
    path: found.path,
    name: found.name ?? null,
    type: found.checkpoint_type ?? found.type ?? 'weight',
    status: found.status ?? null,
    createdAt,
    expiresAt: time(found.expires_at) ?? counted
  }
}

/** ISO 8601 as Unix milliseconds; a stamp without a zone is UTC. */
function time(stamp: string | null | undefined): number | null {
  if (stamp === null || stamp === undefined || stamp === '') return null
  const zoned = /(?:Z|[+-]\d\d:?\d\d)$/.test(stamp) ? stamp : `${stamp}Z`
  const at = Date.parse(zoned)
  return Number.isNaN(at) ? null : at
}

export const Items = z.looseObject({
  items: z.array(z.unknown()),
  pagination: z.looseObject({ total_count: z.number() }).nullish()
})

export const Operation = z.looseObject({
  id: z.union([z.string(), z.number()]).nullish(),
  operation_id: z.union([z.string(), z.number()]).nullish(),
  status: text,
  response: z.unknown().optional(),
  error_code: text,
  error: text,
  error_message: text
})

/** A finished export, or one of a checkpoint's (`weaver/types/weights_artifact.py`). */
export const Artifact = z.looseObject({
  id: z.string(),
  kind: z.string(),
  status: text,
  uri: text
})

/** Answer of `GET /artifacts/{id}/download`. */
export const Descriptor = z.looseObject({
  files: z
    .array(
      z.looseObject({
        name: z.string(),
        size: z.number(),
        sha256: z.string(),
        url: z.string()
      })
    )
    .min(1)
})
export type Descriptor = z.infer<typeof Descriptor>
