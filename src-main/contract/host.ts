import { eventIterator } from '@orpc/contract'
import { z } from 'zod'
import { procedure } from './failure'
import { Text } from './text'

/** Facts about the window's side that the page shows. */
export const HostInfo = z.object({
  version: z.string(),
  platform: z.string(),
  /** Language of the system, for the `system` setting. */
  systemLanguage: z.enum(['en', 'zh']),
  /** True when running on the old stand-in runtime: the page shows a banner that stays. */
  oldRuntime: z.boolean(),
  /** True when running as root without the operating system's sandbox. */
  noSandbox: z.boolean(),
  /** Folder that holds the runs. */
  home: z.string(),
  /** Why secrets cannot be kept encrypted on this system; null when they can. */
  secretsUnavailable: Text.nullable()
})
export type HostInfo = z.infer<typeof HostInfo>

/** Something the person asked for outside the page: a file opened with the app, a notification clicked, a tray entry. */
export const OpenRequest = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('recipe'), path: z.string() }),
  /** `step`: where to look in its curves. */
  z.object({ kind: z.literal('run'), run: z.string(), step: z.number().int().optional() }),
  z.object({ kind: z.literal('queue') }),
  z.object({ kind: z.literal('settings') })
])
export type OpenRequest = z.infer<typeof OpenRequest>

/** What only the window's side can do for the page. The engine passes these calls on to the app. */
export const host = {
  info: procedure.output(HostInfo),
  /** A file or folder the person picks; null when they cancel. */
  pick: procedure
    .input(z.object({ what: z.enum(['file', 'folder', 'save']), suggested: z.string().optional() }))
    .output(z.object({ path: z.string().nullable() })),
  reveal: procedure.input(z.object({ path: z.string() })).output(z.object({})),
  /** Opens an http or https address in the person's browser. */
  openExternal: procedure.input(z.object({ url: z.string() })).output(z.object({})),
  window: procedure
    .input(z.object({ act: z.enum(['minimize', 'maximize', 'close']) }))
    .output(z.object({})),
  /** What was asked for before the page listened comes first. */
  requests: procedure.output(eventIterator(OpenRequest))
}

/** What the engine asks of the app for itself. The page never sees these. */
export const hostForEngine = {
  ...host,
  settingsChanged: procedure
    .input(
      z.object({
        language: z.enum(['en', 'zh']),
        theme: z.enum(['system', 'dark', 'light']),
        keepWatching: z.boolean()
      })
    )
    .output(z.object({})),
  notify: procedure
    .input(z.object({ title: z.string(), body: z.string(), open: OpenRequest }))
    .output(z.object({})),
  /** Value of a secret the person stored, by name; null when there is none. */
  secret: procedure
    .input(z.object({ name: z.string() }))
    .output(z.object({ value: z.string().nullable() })),
  storeSecret: procedure
    .input(z.object({ name: z.string(), value: z.string().nullable() }))
    .output(z.object({}))
}
