import { oc } from '@orpc/contract'
import { z } from 'zod'
import { Text } from './text'

/** Why a call was refused or failed: what, where, and what to do about it. */
export const Failure = z.object({
  /** Stable kebab-case name, for tests and for scripts. */
  code: z.string(),
  what: Text,
  /** File, field, route or command the failure is about. */
  where: z.string().optional(),
  remedy: Text.optional(),
  /** The other side's own words (a Docker error, an HTTP body), redacted. */
  detail: z.string().optional()
})
export type Failure = z.infer<typeof Failure>

/** Every procedure of the contract may fail with FAILED carrying a Failure. */
export const procedure = oc.errors({ FAILED: { data: Failure } })
