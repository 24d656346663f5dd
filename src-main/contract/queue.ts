import { eventIterator } from '@orpc/contract'
import { z } from 'zod'
import { Failure, procedure } from './failure'
import { LaunchRequest } from './launch'
import { Text } from './text'

/** A launch that waits until the GPUs and ports it needs are free on its target. */
export const QueuedLaunch = z.object({
  id: z.string(),
  request: LaunchRequest.extend({ because: z.string().optional() }),
  /** Name the run will have, or of its recipe. */
  name: z.string(),
  /** Unix milliseconds. */
  queuedAt: z.number(),
  state: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('waiting'), why: Text }),
    z.object({ kind: z.literal('starting') }),
    /**
     * It will not start by itself: a person looks at why, and lets it be tried again or takes it out. `at`: when that
     * was found, Unix milliseconds; 0 in a queue of before it was kept.
     */
    z.object({ kind: z.literal('refused'), failure: Failure, at: z.number().default(0) })
  ])
})
export type QueuedLaunch = z.infer<typeof QueuedLaunch>

export const queue = {
  /** Waits behind what waits for the same target already. `done` false: nobody keeps the queue now, and it waits from when Slipway is opened next. */
  add: procedure
    .input(LaunchRequest.extend({ because: z.string().optional() }))
    .output(z.object({ id: z.string(), done: z.boolean() })),
  /** In the order they will start, now and after each change. */
  watch: procedure.output(eventIterator(z.object({ queue: z.array(QueuedLaunch) }))),
  /** Takes it out. `done` false: nobody keeps the queue now, and it is done when Slipway is opened next. */
  remove: procedure.input(z.object({ id: z.string() })).output(z.object({ done: z.boolean() })),
  /** Lets it be looked at before all others of its target; `done` as above. */
  first: procedure.input(z.object({ id: z.string() })).output(z.object({ done: z.boolean() })),
  /** Lets one that could not start wait again, in its place; `done` as above. Fails with `queue-not-refused`. */
  again: procedure.input(z.object({ id: z.string() })).output(z.object({ done: z.boolean() }))
}
