import { eventIterator } from '@orpc/contract'
import { z } from 'zod'
import { procedure } from './failure'
import { Gpu } from './targets'
import { Text } from './text'

export const RayJob = z.object({
  id: z.string(),
  /** PENDING, RUNNING, STOPPED, SUCCEEDED, FAILED */
  status: z.string(),
  entrypoint: z.string(),
  message: z.string().nullable(),
  /** Unix milliseconds. */
  startedAt: z.number().nullable(),
  endedAt: z.number().nullable()
})
export type RayJob = z.infer<typeof RayJob>

/** What a Ray cluster says of itself through its dashboard's API. */
export const RaySeen = z.object({
  kind: z.literal('seen'),
  version: z.string().nullable(),
  session: z.string().nullable(),
  /** Address of the dashboard as it is reached from here. */
  dashboard: z.string(),
  nodes: z.number().int(),
  /** CPU and GPU; Ray counts parts of a GPU. */
  resources: z.array(z.object({ name: z.string(), used: z.number(), total: z.number() })),
  /** What is waited for, e.g. a placement group of 16 bundles with a GPU each. */
  pending: z.array(z.object({ demand: z.string(), gpus: z.number().nullable(), what: z.string() })),
  /** Living and waiting actors by class and state, most first; null where this Ray does not tell. */
  actors: z
    .array(z.object({ className: z.string(), state: z.string(), count: z.number().int() }))
    .nullable(),
  jobs: z.array(RayJob)
})
export type RaySeen = z.infer<typeof RaySeen>

/** One SGLang engine, or all behind a router where they are told together. A number it does not tell is null. */
export const SglangEngine = z.object({
  name: z.string(),
  running: z.number().nullable(),
  queued: z.number().nullable(),
  /** Generated tokens a second. */
  throughput: z.number().nullable(),
  /** Share of the KV cache in use, 0–1. */
  cacheUse: z.number().nullable(),
  /** Share of prompt tokens found in the cache, 0–1. */
  cacheHits: z.number().nullable(),
  /** Why nothing is known of it just now; an engine that has lent its memory to training sleeps. */
  why: Text.nullable()
})
export type SglangEngine = z.infer<typeof SglangEngine>

/** What stands below a stack, at one moment. Nothing of it is kept. */
export const ClusterLook = z.object({
  /** Unix milliseconds. */
  at: z.number(),
  ray: z.discriminatedUnion('kind', [RaySeen, z.object({ kind: z.literal('unseen'), why: Text })]),
  sglang: z.array(SglangEngine),
  gpus: z.array(Gpu)
})
export type ClusterLook = z.infer<typeof ClusterLook>

export const cluster = {
  /** One look. FailureError `not-live` when the run's stack does not run. */
  look: procedure.input(z.object({ run: z.string() })).output(ClusterLook),
  /** A look every few seconds, as long as somebody watches. */
  watch: procedure.input(z.object({ run: z.string() })).output(eventIterator(ClusterLook))
}
