import { z } from 'zod'
import { Failure } from '../../contract/failure'
import { Override } from '../../contract/launch'
import { Standing } from '../../contract/releases'
import { FromIteration } from './run-record'

const Who = z.object({ run: z.string() })
/** An act that moves what is served: whose chain, why, and how the run has to stand still. */
const Moving = Who.extend({ scenario: z.string(), why: z.string(), expect: Standing })

/** What may be asked of a run's writer by another engine on the same machine. */
export const Act = z.discriminatedUnion('kind', [
  Who.extend({ kind: z.literal('stop'), force: z.boolean() }),
  Who.extend({ kind: z.literal('restart') }),
  Who.extend({
    kind: z.literal('update'),
    change: z.object({
      name: z.string().optional(),
      tags: z.array(z.string()).optional(),
      starred: z.boolean().optional(),
      archived: z.boolean().optional(),
      notes: z.string().optional(),
      extendEvery: z.number().int().min(0).optional()
    })
  }),
  Moving.extend({
    kind: z.literal('rollback'),
    releaseId: z.string(),
    step: z.number().int(),
    operation: z.enum(['rollback', 'promote'])
  }),
  Moving.extend({
    kind: z.literal('redeploy'),
    checkpoint: z.string(),
    step: z.number().int(),
    overrides: z.array(Override),
    iteration: FromIteration.optional()
  }),
  Moving.extend({
    kind: z.literal('reopen'),
    /** Attempt whose storage is started again as it is. */
    storage: z.number().int(),
    /** What is served now and what will be, as people say it. */
    from: z.string().nullable(),
    to: z.string().nullable()
  })
])
export type Act = z.infer<typeof Act>
export type UpdateChange = Extract<Act, { kind: 'update' }>['change']

/** What an act gives back. */
export const ActResult = z.object({ releaseId: z.string().nullable() })
export type ActResult = z.infer<typeof ActResult>

/** One line to the writer. `key` is the one in the run's lock file. */
export const ActRequest = z.object({ id: z.string(), key: z.string(), act: Act })
/** One line back. */
export const ActReply = z.discriminatedUnion('ok', [
  z.object({ id: z.string(), ok: z.literal(true), result: ActResult }),
  z.object({ id: z.string(), ok: z.literal(false), failure: Failure })
])
export type ActReply = z.infer<typeof ActReply>
