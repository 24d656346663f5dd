import { z } from 'zod'
import { procedure } from './failure'
import { Text } from './text'

export const Gpu = z.object({
  index: z.number().int(),
  name: z.string(),
  memoryBytes: z.number(),
  usedBytes: z.number(),
  /** Percent, null when the tool does not say. */
  utilisation: z.number().nullable()
})
export type Gpu = z.infer<typeof Gpu>

/** How to reach a place where a stack can run. Secrets by name, never by value. */
export const TargetSpec = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('process'),
    id: z.string(),
    name: z.string(),
    /** Folder of the Python environment, or null for the practice stack. */ python: z
      .string()
      .nullable()
  }),
  z.object({
    kind: z.literal('docker'),
    id: z.string(),
    name: z.string(),
    via: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('socket'), path: z.string() }),
      z.object({ kind: z.literal('context'), context: z.string() }),
      z.object({
        kind: z.literal('tcp'),
        host: z.string(),
        port: z.number().int(),
        tlsFolder: z.string().nullable()
      }),
      z.object({ kind: z.literal('ssh'), destination: z.string() })
    ])
  }),
  z.object({
    kind: z.literal('attach'),
    id: z.string(),
    name: z.string(),
    address: z.string(),
    tokenName: z.string().nullable()
  })
])
export type TargetSpec = z.infer<typeof TargetSpec>

/** What a container engine says about itself. */
export const EngineFacts = z.object({
  /** Docker, Docker Desktop or Podman. */
  engine: z.string(),
  version: z.string(),
  /** Newest version of the API it speaks; Slipway never pins one. */
  api: z.string(),
  /** `linux`, `windows` */
  system: z.string().nullable(),
  /** `x86_64`, `aarch64` */
  architecture: z.string().nullable(),
  /** Name of the machine it runs on. */
  host: z.string().nullable(),
  cgroup: z.union([z.literal(1), z.literal(2)]),
  storage: z.string().nullable(),
  logDriver: z.string().nullable(),
  rootFolder: z.string().nullable(),
  /** `nvidia` among them means that containers can have GPUs. */
  runtimes: z.array(z.string()),
  rootless: z.boolean()
})
export type EngineFacts = z.infer<typeof EngineFacts>

export const TargetStatus = z.object({
  spec: TargetSpec,
  /** Found on this machine by Slipway, or added by the person. */
  found: z.boolean(),
  reachable: z.enum(['yes', 'no', 'checking', 'unknown']),
  /** Why not. */
  why: Text.nullable(),
  /** What to do about it, in words. */
  advice: Text.optional(),
  /** Command to copy that mends it, where there is one. */
  remedy: z.string().nullable(),
  /** The other side's own words (ssh, the engine, an HTTP answer). */
  said: z.string().optional(),
  /** Milliseconds that asking took. */
  took: z.number().optional(),
  engineFacts: EngineFacts.optional(),
  engine: z.string().nullable(),
  version: z.string().nullable(),
  gpus: z.array(Gpu),
  freeBytes: z.number().nullable()
})
export type TargetStatus = z.infer<typeof TargetStatus>

/** A named image of a container engine. */
export const NamedImage = z.object({
  /** `name:tag` */
  reference: z.string(),
  id: z.string(),
  bytes: z.number(),
  /** Unix milliseconds. */
  created: z.number()
})
export type NamedImage = z.infer<typeof NamedImage>

export const targets = {
  list: procedure.output(z.array(TargetStatus)),
  probe: procedure.input(z.object({ id: z.string() })).output(TargetStatus),
  add: procedure.input(TargetSpec).output(TargetStatus),
  /** Images the target's engine has, newest first; none where nothing runs from images. */
  images: procedure.input(z.object({ id: z.string() })).output(z.array(NamedImage)),
  remove: procedure.input(z.object({ id: z.string() })).output(z.object({}))
}
