import { z } from 'zod'
import { procedure } from './failure'

/** What only the window's side can do. The engine passes these calls on to the app; the CLI has no host. */
export const HostInfo = z.object({
  version: z.string(),
  platform: z.string(),
  /** Language of the system, for the `system` setting. */
  systemLanguage: z.enum(['en', 'zh']),
  /** True when running on the old stand-in runtime: the page shows a banner that stays. */
  oldRuntime: z.boolean(),
  /** True when running as root without the operating system's sandbox. */
  noSandbox: z.boolean(),
  home: z.string()
})
export type HostInfo = z.infer<typeof HostInfo>

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
    .output(z.object({}))
}
