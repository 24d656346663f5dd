import type { Host } from '../host'
import { fail } from '../lib'
import { os } from './guard'
import type { Services } from './services'

/** Passes the page's calls for the window's side on to the app. */
export function hostHandlers({ host }: Services) {
  const app = (): Host =>
    host ??
    fail({
      code: 'no-window',
      what: { en: 'There is no window here.', zh: '此处没有窗口。' }
    })
  return {
    info: os.host.info.handler(() => app().info()),
    pick: os.host.pick.handler(({ input }) => app().pick(input)),
    reveal: os.host.reveal.handler(({ input }) => app().reveal(input)),
    openExternal: os.host.openExternal.handler(({ input }) => app().openExternal(input)),
    window: os.host.window.handler(({ input }) => app().window(input)),
    requests: os.host.requests.handler(({ signal }) =>
      app().requests(undefined, signal === undefined ? {} : { signal })
    )
  }
}
