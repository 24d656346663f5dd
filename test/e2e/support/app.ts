import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { _electron, type ElectronApplication, type Page } from '@playwright/test'

const root = process.cwd()

/** The built app in a real Electron, in a home and a profile of its own. */
export interface Slipway {
  app: ElectronApplication
  page: Page
  /** What the page printed as errors, and policy violations. A test that expects none says so with `quiet`. */
  complaints: string[]
}

/** A home and a profile that are gone when the test is. */
export interface Place {
  home: string
  profile: string
  remove(): void
}

export function makePlace(): Place {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-e2e-'))
  return {
    home: join(folder, 'home'),
    profile: join(folder, 'profile'),
    remove() {
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

export interface OpenOptions {
  language?: 'en' | 'zh'
  args?: string[]
}

/** How the built app is started on a place, by Playwright or by hand. */
export function startOf(
  place: Place,
  options: OpenOptions = {}
): { executablePath: string; args: string[]; env: Record<string, string> } {
  const { ELECTRON_RUN_AS_NODE: _, ...inherited } = process.env
  void _
  return {
    executablePath: electronBinary(),
    args: [
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      '--disable-gpu',
      `--user-data-dir=${place.profile}`,
      `--lang=${options.language === 'zh' ? 'zh-CN' : 'en-US'}`,
      root,
      ...(options.args ?? [])
    ],
    env: { ...(inherited as Record<string, string>), SLIPWAY_HOME: place.home }
  }
}

export async function openSlipway(place: Place, options: OpenOptions = {}): Promise<Slipway> {
  const app = await _electron.launch({ ...startOf(place, options), timeout: 60_000 })
  const page = await app.firstWindow()
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  await page.getByTestId('status-bar').waitFor()
  return { app, page, complaints }
}

function electronBinary(): string {
  const names: Partial<Record<NodeJS.Platform, string>> = {
    darwin: 'Electron.app/Contents/MacOS/Electron',
    win32: 'electron.exe'
  }
  return join(root, 'node_modules/electron/dist', names[process.platform] ?? 'electron')
}

/** Gives the window's inside this size, in CSS pixels. */
export async function resize(slipway: Slipway, width: number, height: number): Promise<void> {
  await slipway.app.evaluate(
    ({ BrowserWindow }, size) => {
      // From the corner: a window as large as the screen fits nowhere else.
      BrowserWindow.getAllWindows()[0]?.setContentBounds({ x: 0, y: 0, ...size })
    },
    { width, height }
  )
  await slipway.page.waitForFunction(
    (size) => window.innerWidth === size.width && window.innerHeight === size.height,
    { width, height }
  )
}

/** Closes the window as a person does, and waits until the app is gone. */
export async function closeWindow(slipway: Slipway): Promise<void> {
  const gone = slipway.app.waitForEvent('close')
  await slipway.app.evaluate(({ BrowserWindow }) => {
    BrowserWindow.getAllWindows()[0]?.close()
  })
  await gone
}
