import { implement } from '@orpc/server'
import { RPCHandler } from '@orpc/server/message-port'
import { type BrowserWindow, dialog, Notification, shell, type MessagePortMain } from 'electron'
import { hostForEngine, type HostInfo, type OpenRequest } from '../contract/host'
import type { Inbox } from './inbox'
import { navigationVerdict } from './policy'
import type { SecretStore } from './secret-store'

export interface AppliedSettings {
  language: 'en' | 'zh'
  theme: 'system' | 'dark' | 'light'
  keepWatching: boolean
}

interface Options {
  info: () => HostInfo
  inbox: Inbox<OpenRequest>
  secrets: SecretStore
  window: () => BrowserWindow | null
  open: (request: OpenRequest) => void
  settingsChanged: (settings: AppliedSettings) => void
}

async function pick(
  window: BrowserWindow | null,
  what: 'file' | 'folder' | 'save',
  suggested: string | undefined
): Promise<string | null> {
  const defaultPath = suggested === undefined ? {} : { defaultPath: suggested }
  if (what === 'save') {
    const answer = await (window === null
      ? dialog.showSaveDialog(defaultPath)
      : dialog.showSaveDialog(window, defaultPath))
    return answer.canceled ? null : (answer.filePath ?? null)
  }
  const wanted = {
    ...defaultPath,
    properties: [what === 'file' ? ('openFile' as const) : ('openDirectory' as const)]
  }
  const answer = await (window === null
    ? dialog.showOpenDialog(wanted)
    : dialog.showOpenDialog(window, wanted))
  return answer.canceled ? null : (answer.filePaths[0] ?? null)
}

function actOnWindow(window: BrowserWindow | null, act: 'minimize' | 'maximize' | 'close'): void {
  if (window === null) return
  if (act === 'minimize') window.minimize()
  else if (act === 'close') window.close()
  else if (window.isMaximized()) window.unmaximize()
  else window.maximize()
}

/** Serves the window's side of the contract to the engine over `port`. */
export function serveHost(port: MessagePortMain, options: Options): void {
  const os = implement(hostForEngine)
  const router = os.router({
    info: os.info.handler(() => options.info()),
    pick: os.pick.handler(async ({ input }) => ({
      path: await pick(options.window(), input.what, input.suggested)
    })),
    reveal: os.reveal.handler(({ input }) => {
      shell.showItemInFolder(input.path)
      return {}
    }),
    openExternal: os.openExternal.handler(async ({ input, errors }) => {
      if (navigationVerdict(input.url) !== 'browser')
        throw errors.FAILED({
          data: {
            code: 'address-refused',
            what: {
              en: 'Only http and https addresses are opened in the browser.',
              zh: '只能在浏览器中打开 http 和 https 地址。'
            },
            where: input.url
          }
        })
      await shell.openExternal(input.url)
      return {}
    }),
    window: os.window.handler(({ input }) => {
      actOnWindow(options.window(), input.act)
      return {}
    }),
    requests: os.requests.handler(({ signal }) => options.inbox.read(signal)),
    settingsChanged: os.settingsChanged.handler(({ input }) => {
      options.settingsChanged(input)
      return {}
    }),
    notify: os.notify.handler(({ input }) => {
      const notification = new Notification({ title: input.title, body: input.body })
      notification.on('click', () => {
        options.open(input.open)
      })
      notification.show()
      return {}
    }),
    secret: os.secret.handler(async ({ input }) => ({
      value: await options.secrets.get(input.name)
    })),
    storeSecret: os.storeSecret.handler(async ({ input }) => {
      await options.secrets.set(input.name, input.value)
      return {}
    })
  })
  new RPCHandler(router).upgrade(port)
  port.start()
}
