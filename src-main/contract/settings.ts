import { eventIterator } from '@orpc/contract'
import { z } from 'zod'
import { procedure } from './failure'

/** Where a panel of the curves stands, by its place in the list. */
export const PanelPlace = z.object({
  id: z.string(),
  wide: z.boolean().optional(),
  hidden: z.boolean().optional()
})
export type PanelPlace = z.infer<typeof PanelPlace>

export const Settings = z.object({
  version: z.literal(1),
  language: z.enum(['system', 'en', 'zh']),
  theme: z.enum(['system', 'dark', 'light']),
  /** Closing the window leaves a tray icon and goes on watching. Off: closing quits. Runs go on either way. */
  keepWatching: z.boolean(),
  /** Experimental: a redeploy may go on from an older iteration with its optimizer. */
  redeployWithOptimizer: z.boolean().optional(),
  /** Long lines of logs are broken at the edge of the page. Off: one scrolls to their end. */
  wrapLog: z.boolean().optional(),
  /** Arrangement of the default panels, by recipe family. */
  curveLayouts: z.record(z.string(), z.array(PanelPlace)).optional()
})
export type Settings = z.infer<typeof Settings>

export const settings = {
  get: procedure.output(Settings),
  set: procedure.input(Settings.omit({ version: true }).partial()).output(Settings),
  watch: procedure.output(eventIterator(Settings))
}
