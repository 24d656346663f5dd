import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import {
  app,
  dialog,
  ipcMain,
  Menu,
  nativeTheme,
  type BrowserWindow,
  type MessagePortMain,
  type Tray
} from 'electron'
import type { HostInfo, OpenRequest } from '../contract/host'
import { openRequestFrom } from './arguments'
import { EngineProcess } from './engine-process'
import { gaveUpWords, unusableWords } from './engine-words'
import type { AppliedSettings } from './host-router'
import { Inbox } from './inbox'
import { denyByDefault, openMainWindow } from './main-window'
import { registerPageScheme, servePage } from './page-protocol'
import { isOwnPage } from './policy'
import { showTray } from './tray'
import { recallWindow } from './window-memory'

// Oldest Electron that is still a sensible place for real keys; below it the page shows a banner that stays.
const SUPPORTED_ELECTRON_MAJOR = 40
const ENGINE_QUIT_MS = 4_000
/** A page whose picture is never announced, as where no display shows it, gets its engine after so long. */
const PICTURE_MS = 1_000

const out = join(__dirname, '..')
const resources = app.isPackaged ? process.resourcesPath : join(out, '..', 'resources')
const recipes = app.isPackaged ? join(process.resourcesPath, 'recipes') : join(out, '..', 'recipes')
const icon = join(resources, 'icons', 'slipway.png')
const home = process.env['SLIPWAY_HOME'] ?? join(homedir(), 'slipway')
const devServer = app.isPackaged ? null : (process.env['ELECTRON_RENDERER_URL'] ?? null)

let window: BrowserWindow | null = null
let tray: Tray | null = null
let quitting = false
/** The page has asked for its engine, so it listens for every later one too. */
let asked = false
/** Until the engine tells the person's own. The system's language is known once the app is ready. */
let applied: AppliedSettings = { language: 'en', theme: 'system', keepWatching: false }
const inbox = new Inbox<OpenRequest>()

function systemLanguage(): 'en' | 'zh' {
  return app.getLocale().toLowerCase().startsWith('zh') ? 'zh' : 'en'
}

function hostInfo(secretsUnavailable: HostInfo['secretsUnavailable']): HostInfo {
  return {
    version: app.getVersion(),
    platform: process.platform,
    systemLanguage: systemLanguage(),
    oldRuntime: Number.parseInt(process.versions.electron, 10) < SUPPORTED_ELECTRON_MAJOR,
    noSandbox: app.commandLine.hasSwitch('no-sandbox'),
    home,
    secretsUnavailable
  }
}

function engineEnvironment(): Record<string, string> {
  const inherited = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined
  )
  return {
    ...Object.fromEntries(inherited),
    SLIPWAY_HOME: home,
    SLIPWAY_RESOURCES: resources,
    SLIPWAY_RECIPES: recipes,
    SLIPWAY_VERSION: app.getVersion()
  }
}

const engine = new EngineProcess({
  module: join(__dirname, 'engine.js'),
  environment: engineEnvironment(),
  started: (hostPort) => {
    void serveEngine(hostPort)
    connectPage()
  },
  lost: () => {
    window?.webContents.send('engine-lost')
  },
  gaveUp: (code) => {
    dialog.showErrorBox('Slipway', gaveUpWords(code, applied.language))
  },
  unusable: (failure) => {
    dialog.showErrorBox('Slipway', unusableWords(failure, applied.language))
    app.quit()
  }
})

/** What the engine asks waits in the port until what answers, which a first picture does not need, is loaded. */
async function serveEngine(hostPort: MessagePortMain): Promise<void> {
  const [{ serveHost }, { SecretStore, secretsUnavailable }] = await Promise.all([
    import('./host-router'),
    import('./secret-store')
  ])
  serveHost(hostPort, {
    info: () => hostInfo(secretsUnavailable()),
    inbox,
    secrets: new SecretStore(join(app.getPath('userData'), 'secrets.json')),
    window: () => window,
    open: openFor,
    settingsChanged: (settings) => {
      applied = settings
      nativeTheme.themeSource = settings.theme
    }
  })
}

function connectPage(): void {
  if (window === null || !asked) return
  const port = engine.connect()
  if (port !== null) window.webContents.postMessage('engine-port', null, [port])
}

function showWindow(): void {
  if (window !== null) {
    if (window.isMinimized()) window.restore()
    window.show()
    window.focus()
    return
  }
  tray?.destroy()
  tray = null
  window = openMainWindow({
    preload: join(out, 'preload', 'index.js'),
    memoryFile: windowMemory(),
    icon,
    devServer
  })
  window.on('closed', () => {
    window = null
    asked = false
  })
}

function windowMemory(): string {
  return join(app.getPath('userData'), 'window.json')
}

function openFor(request: OpenRequest): void {
  inbox.put(request)
  showWindow()
}

function closeOrStay(): void {
  if (quitting || !applied.keepWatching) {
    app.quit()
    return
  }
  tray = showTray({
    icon,
    language: applied.language,
    open: showWindow,
    quit: () => {
      app.quit()
    }
  })
}

function listen(): void {
  ipcMain.on('engine-port-please', (event) => {
    const frame = event.senderFrame
    const trusted =
      frame !== null &&
      frame === event.sender.mainFrame &&
      (isOwnPage(frame.url) || (devServer !== null && frame.url.startsWith(devServer)))
    if (!trusted) return
    asked = true
    const port = engine.connect()
    if (port !== null) event.sender.postMessage('engine-port', null, [port])
  })
  app.on('second-instance', (_event, argv, cwd) => {
    const request = openRequestFrom(argv.slice(1), cwd)
    if (request === null) showWindow()
    else openFor(request)
  })
  app.on('window-all-closed', closeOrStay)
  app.on('activate', showWindow)
  app.on('before-quit', (event) => {
    if (quitting) return
    quitting = true
    event.preventDefault()
    void engine.quit(ENGINE_QUIT_MS).then(() => {
      app.quit()
    })
  })
}

function begin(): void {
  if (!app.requestSingleInstanceLock()) {
    app.quit()
    return
  }
  registerPageScheme()
  listen()
  const first = openRequestFrom(process.argv.slice(1), process.cwd())
  if (first !== null) inbox.put(first)
  void app.whenReady().then(() => {
    applied = { ...applied, language: systemLanguage() }
    Menu.setApplicationMenu(Menu.buildFromTemplate([{ role: 'editMenu' }]))
    denyByDefault()
    servePage(join(out, 'renderer'), () => recallWindow(windowMemory()).dark)
    showWindow()
    startEngineAfterPicture()
  })
}

/** The frame is drawn without the engine. Starting it when that is done leaves the first picture undisturbed. */
function startEngineAfterPicture(): void {
  let started = false
  const start = (): void => {
    if (!started && !quitting) engine.start()
    started = true
  }
  window?.once('ready-to-show', start)
  window?.webContents.once('dom-ready', () => setTimeout(start, PICTURE_MS))
}

if (!existsSync(join(__dirname, 'engine.js'))) {
  throw new Error('The engine is not built: run `npm run build` first.')
}
begin()
