import { eventIterator } from '@orpc/contract'
import { z } from 'zod'
import { procedure } from './failure'
import { Text } from './text'

/** Something about a run, or a launch that waits, that a person should hear of though they are not looking. */
export const Alert = z.object({
  /** The same thing has the same id, whoever finds it and however often. */
  id: z.string(),
  /** Unix milliseconds. */
  at: z.number(),
  /** Null: of a launch in the queue, which is no run yet. */
  run: z.string().nullable(),
  /** Name of the run, or of the launch. */
  runName: z.string(),
  kind: z.enum([
    'crash',
    'unsure-end',
    'companion',
    'queue',
    'quiet',
    'disk',
    'not-finite',
    'reward-collapse',
    'unhealthy'
  ]),
  text: Text,
  /** Step to look at; null when it belongs to none. */
  step: z.number().int().nullable()
})
export type Alert = z.infer<typeof Alert>

/** Where alerts are posted to besides the desktop. The address itself is a secret and crosses only inwards. */
export const WebhookStatus = z.object({
  /** `environment`: named by SLIPWAY_WEBHOOK_URL. */
  address: z.enum(['environment', 'stored', 'missing']),
  /** Why the system keeps no secrets; null when it does. */
  cannotStore: Text.nullable(),
  /** The newest try: Unix milliseconds, and why it failed; null when none was made since the start. */
  last: z.object({ at: z.number(), why: Text.nullable() }).nullable()
})
export type WebhookStatus = z.infer<typeof WebhookStatus>

export const alerts = {
  /** Alerts so far, newest first, now and after each new one; `unseen`: how many nobody has looked at. */
  watch: procedure.output(
    eventIterator(z.object({ alerts: z.array(Alert), unseen: z.number().int() }))
  ),
  /** A person has looked at all there are. */
  see: procedure.output(z.object({})),
  webhook: procedure.output(WebhookStatus),
  /** Keeps an address, or with null forgets it. */
  setWebhook: procedure.input(z.object({ address: z.string().nullable() })).output(WebhookStatus),
  /** Posts a sample and says how it went. */
  tryWebhook: procedure.output(WebhookStatus)
}
