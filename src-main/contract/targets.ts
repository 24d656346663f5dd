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

export const TargetStatus = z.object({
  spec: TargetSpec,
  /** Found on this machine by Slipway, or added by the person. */
  found: z.boolean(),
  reachable: z.enum(['yes', 'no', 'checking', 'unknown']),
  /** Why not, and what to do. */
  why: Text.nullable(),
  remedy: z.string().nullable(),
  engine: z.string().nullable(),
  version: z.string().nullable(),
  gpus: z.array(Gpu),
  freeBytes: z.number().nullable()
})
export type TargetStatus = z.infer<typeof TargetStatus>

export const targets = {
  list: procedure.output(z.array(TargetStatus)),
  probe: procedure.input(z.object({ id: z.string() })).output(TargetStatus),
  add: procedure.input(TargetSpec).output(TargetStatus),
  remove: procedure.input(z.object({ id: z.string() })).output(z.object({}))
}
