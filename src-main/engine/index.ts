import type { Text } from '../contract/text'
import { AlertWatch } from './alerts'
import { systemClock } from './lib'
import type { Host } from './host'
import { notifyOf } from './router/notify-alerts'
import { announceSettings } from './router/announce-settings'
import { LogReaders } from './router/log-readers'
import { zoneOf } from './metrics'
import { MetricReaders } from './router/metric-readers'
import { createRouter, type EngineRouter } from './router'
import { libraryOf } from './router/recipe-handlers'
import { defaultHome, installationId, makeHome } from './runs'
import { SettingsStore } from './settings'
import { RunService } from './stacks'
import { TalkService } from './talk'
import { TargetRegistry } from './targets'
import { WeaverService } from './weaver'

export interface EngineOptions {
  /** Folder that holds the runs; undefined: `SLIPWAY_HOME`, else `~/slipway`. */
  home: string | undefined
  /** Folder with the practice stack and the process wrapper. */
  resources: string
  /** Folder with the recipes that come with the app. */
  recipes: string
  version: string
  host: Host | null
  /** `all`: take over every unfinished run nobody writes. `asked`: only what a call needs. */
  watch: 'all' | 'asked'
}

export interface Engine {
  router: EngineRouter
  /** What was wrong with the settings at start, though nothing stopped for it; null when nothing was. */
  problem: Text | null
  /** Lets go of runs, ports and files. Stacks go on. */
  dispose(): Promise<void>
}

/** The engine of one process: the window's and the command line's are the same. */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  const home = options.home ?? defaultHome(process.env)
  await makeHome(home)
  const settings = await SettingsStore.open(home)
  const metrics = new MetricReaders()
  const targets = new TargetRegistry({
    installation: await installationId(home),
    resources: options.resources,
    home
  })
  const secret = (name: string): Promise<string | null> => secretByName(options.host, name)
  const weaver = weaverOf(options.host, secret)
  const runs = await RunService.open({
    home,
    resources: options.resources,
    appVersion: options.version,
    target: (id) => targets.get(id),
    secret,
    weaver: async () => ((await weaver.status()).key === 'missing' ? null : await weaver.client()),
    watch: options.watch
  })
  const leaveHost = announceSettings(options.host, settings)
  const logs = new LogReaders({
    runs,
    clock: systemClock,
    secret,
    zones: async (run) => {
      const store = await metrics.of(runs.paths(run).metrics)
      return (source) => zoneOf(store, source)
    }
  })
  const talk = new TalkService({ runs, clock: systemClock, logOf: (run) => logs.of(run) })
  const { host } = options
  const alerts = await AlertWatch.open({
    home,
    // A command that passes looks at what it was asked for; hearing of the rest is the window's.
    runs: options.watch === 'all' ? runs : null,
    clock: systemClock,
    notify: (alert) => (host === null ? Promise.resolve() : notifyOf(host, settings, alert))
  })
  const router = createRouter({
    runs,
    alerts,
    settings,
    metrics,
    logs,
    talk,
    host: options.host,
    clock: systemClock,
    targets,
    weaver,
    home,
    library: libraryOf(home, options.recipes)
  })
  return {
    router,
    problem: settings.problem,
    async dispose() {
      leaveHost()
      await alerts.dispose()
      await talk.dispose()
      await runs.dispose()
      await metrics.dispose()
      await targets.dispose()
    }
  }
}

/** A secret from the environment first, as on the command line, else from the person's own store. */
async function secretByName(host: Host | null, name: string): Promise<string | null> {
  const set = process.env[name]
  if (set !== undefined && set !== '') return set
  return host === null ? null : (await host.secret({ name })).value
}

function weaverOf(
  host: Host | null,
  secret: (name: string) => Promise<string | null>
): WeaverService {
  return new WeaverService({
    clock: systemClock,
    secret,
    store:
      host === null
        ? null
        : async (name, value) => {
            await host.storeSecret({ name, value })
          },
    cannotStore: async () =>
      host === null
        ? { en: 'Only the window can keep a key.', zh: '只有窗口程序可以保存密钥。' }
        : (await host.info()).secretsUnavailable,
    environment: process.env
  })
}
