import { eventIterator } from '@orpc/contract'
import { z } from 'zod'
import { procedure } from './failure'
import { Text } from './text'

/** Something about a run that a person should hear of though they are not looking. */
export const Alert = z.object({
  /** The same thing has the same id, whoever finds it and however often. */
  id: z.string(),
  /** Unix milliseconds. */
  at: z.number(),
  run: z.string(),
  runName: z.string(),
  kind: z.enum(['crash', 'quiet', 'disk', 'not-finite', 'reward-collapse']),
  text: Text,
  /** Step to look at; null when it belongs to none. */
  step: z.number().int().nullable()
})
export type Alert = z.infer<typeof Alert>

export const alerts = {
  /** Alerts so far, newest first, now and after each new one. */
  watch: procedure.output(eventIterator(z.object({ alerts: z.array(Alert) })))
}
