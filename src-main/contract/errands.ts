import { eventIterator } from '@orpc/contract'
import { z } from 'zod'
import { Failure, procedure } from './failure'
import { Text } from './text'

/** A variable of a Dockerfile (`ARG`), by name and value. No place for a secret: an image keeps them. */
export const BuildArgument = z.object({ name: z.string(), value: z.string() })
export type BuildArgument = z.infer<typeof BuildArgument>

/** What Slipway does outside of a run because a person asked for it, and what takes long enough to be watched. */
export const ErrandRequest = z.discriminatedUnion('kind', [
  z.object({
    /** Reef's image, from `docker/Dockerfile.reef` of a checkout on this machine, for the engine of a target. */
    kind: z.literal('build'),
    target: z.string(),
    checkout: z.string(),
    /** `name:tag` the image gets. */
    reference: z.string(),
    /** A named stage of the Dockerfile, e.g. `tttd`; absent: the last one. */
    stage: z.string().optional(),
    arguments: z.array(BuildArgument).default([])
  }),
  z.object({
    /** A clone of a repository, by the system's git. */
    kind: z.literal('clone'),
    address: z.string(),
    /** Folder it becomes: new, or empty. */
    folder: z.string(),
    /** Fetch what git-lfs keeps elsewhere. */
    largeFiles: z.boolean().default(true)
  })
])
export type ErrandRequest = z.infer<typeof ErrandRequest>

export const ErrandState = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('running') }),
  /** `note`: what is to know about the result. */
  z.object({ kind: z.literal('done'), note: Text }),
  z.object({ kind: z.literal('failed'), failure: Failure }),
  z.object({ kind: z.literal('cancelled') })
])

export const Errand = z.object({
  id: z.string(),
  request: ErrandRequest,
  /** The command as one shell line a person could run. */
  command: z.string(),
  state: ErrandState,
  /** Unix milliseconds. */
  startedAt: z.number(),
  endedAt: z.number().nullable(),
  /** Steps of a build, as its log counts them. */
  step: z.object({ done: z.number().int(), total: z.number().int() }).nullable(),
  /** File with everything that was said. */
  log: z.string()
})
export type Errand = z.infer<typeof Errand>

/** An errand with the end of its log. */
export const ErrandView = Errand.extend({
  lines: z.array(z.string()),
  /** Lines before those: only in the file. */
  earlier: z.number().int()
})
export type ErrandView = z.infer<typeof ErrandView>

/** What a folder of this machine says about being a Reef checkout. */
export const CheckoutFacts = z.object({
  folder: z.string(),
  /** Has `docker/Dockerfile.reef`. */
  buildable: z.boolean(),
  /** Commit that is checked out, as far as the folder says. */
  commit: z.string().nullable(),
  branch: z.string().nullable(),
  /** Named stages of the Dockerfile that can be built. */
  stages: z.array(z.string()),
  /** Its build arguments and what they are without being given. */
  arguments: z.array(z.object({ name: z.string(), value: z.string().nullable() })),
  /** Base images. What is not on the engine is pulled. */
  bases: z.array(z.string())
})
export type CheckoutFacts = z.infer<typeof CheckoutFacts>

export const errands = {
  checkout: procedure.input(z.object({ folder: z.string() })).output(CheckoutFacts),
  /** Returns when it is under way. Ends with the engine: Slipway must stay open. */
  start: procedure.input(ErrandRequest).output(z.object({ id: z.string() })),
  /** All of this session, newest first, now and after each change. */
  watch: procedure.output(eventIterator(z.object({ errands: z.array(Errand) }))),
  follow: procedure.input(z.object({ id: z.string() })).output(eventIterator(ErrandView)),
  cancel: procedure.input(z.object({ id: z.string() })).output(z.object({}))
}
