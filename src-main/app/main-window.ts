import { BrowserWindow, nativeTheme, session, shell } from 'electron'
import { isOwnPage, navigationVerdict, PAGE_URL, permissionVerdict } from './policy'
import { recallWindow, rememberWindow } from './window-memory'

// The page's canvas colours, so that nothing flashes before its first paint.
const CANVAS = { dark: '#0F1115', light: '#F3F4F6' }

interface Options {
  preload: string
  memoryFile: string
  icon: string
  /** Address of the dev server, or null to load the built page. */
  devServer: string | null
}

/** Denies by default what a page could ask of Chromium. Once per process. */
export function denyByDefault(): void {
  session.defaultSession.setPermissionRequestHandler((contents, permission, answer) => {
    answer(permissionVerdict(permission, contents.getURL()) === 'allow')
  })
  session.defaultSession.setPermissionCheckHandler(
    (contents, permission) => permissionVerdict(permission, contents?.getURL() ?? '') === 'allow'
  )
}

function guardNavigation(window: BrowserWindow, devServer: string | null): void {
  const go = (url: string): void => {
    if (navigationVerdict(url) === 'browser') void shell.openExternal(url)
  }
  window.webContents.setWindowOpenHandler(({ url }) => {
    go(url)
    return { action: 'deny' }
  })
  window.webContents.on('will-navigate', (event, url) => {
    if (isOwnPage(url) || (devServer !== null && url.startsWith(devServer))) return
    event.preventDefault()
    go(url)
  })
  window.webContents.on('will-attach-webview', (event) => {
    event.preventDefault()
  })
}

/** Opens the one window. It stands there at once, in the page's own colour: a window shown late has its picture later. */
export function openMainWindow(options: Options): BrowserWindow {
  const remembered = recallWindow(options.memoryFile)
  const position =
    remembered.x === undefined || remembered.y === undefined
      ? {}
      : { x: remembered.x, y: remembered.y }
  const window = new BrowserWindow({
    width: remembered.width,
    height: remembered.height,
    ...position,
    minWidth: 900,
    minHeight: 600,
    frame: false,
    titleBarStyle: 'hidden',
    icon: options.icon,
    backgroundColor: remembered.dark ? CANVAS.dark : CANVAS.light,
    webPreferences: {
      preload: options.preload,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webviewTag: false,
      spellcheck: false
    }
  })
  if (remembered.maximized) window.maximize()
  guardNavigation(window, options.devServer)
  window.on('close', () => {
    rememberWindow(options.memoryFile, {
      ...window.getNormalBounds(),
      maximized: window.isMaximized(),
      dark: nativeTheme.shouldUseDarkColors
    })
  })
  void window.loadURL(options.devServer ?? PAGE_URL)
  return window
}
