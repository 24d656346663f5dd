import { eventIterator } from '@orpc/contract'
import { z } from 'zod'
import { procedure } from './failure'

export const Settings = z.object({
  version: z.literal(1),
  language: z.enum(['system', 'en', 'zh']),
  theme: z.enum(['system', 'dark', 'light']),
  /** Closing the window leaves a tray icon and goes on watching. Off: closing quits. Runs go on either way. */
  keepWatching: z.boolean()
})
export type Settings = z.infer<typeof Settings>

export const settings = {
  get: procedure.output(Settings),
  set: procedure.input(Settings.omit({ version: true }).partial()).output(Settings),
  watch: procedure.output(eventIterator(Settings))
}
