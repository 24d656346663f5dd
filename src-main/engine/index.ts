import type { Text } from '../contract/text'
import { AlertWatch, Webhook } from './alerts'
import { TrialService } from './behaviour'
import { belowOf, ClusterService } from './cluster'
import { ErrandService } from './errands'
import { systemClock } from './lib'
import type { Host } from './host'
import { notifyOf } from './router/notify-alerts'
import { announceSettings } from './router/announce-settings'
import { LogReaders } from './router/log-readers'
import { zoneOf } from './metrics'
import { MetricReaders } from './router/metric-readers'
import { createRouter, type EngineRouter } from './router'
import { queueOf } from './router/queue-handlers'
import { launchNow } from './router/run-handlers'
import type { Services } from './router/services'
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
  const keeping = secretKeeping(options.host, secret)
  const weaver = new WeaverService(keeping)
  const webhook = new Webhook(keeping)
  const runs = await RunService.open({
    home,
    resources: options.resources,
    appVersion: options.version,
    target: (id) => targets.get(id),
    secret,
    weaver: async () => ((await weaver.status()).key === 'missing' ? null : await weaver.client()),
    below: async (run) => belowOf(await cluster.look(run)),
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
  const trials = new TrialService({
    home,
    talk,
    runs,
    secret,
    clock: systemClock,
    nameOf: async (run) => (await runs.store.read(run)).name
  })
  const { host } = options
  const alerts = await AlertWatch.open({
    home,
    // A command that passes looks at what it was asked for; hearing of the rest is the window's.
    runs: options.watch === 'all' ? runs : null,
    clock: systemClock,
    notify: (alert) => {
      // Beside the desktop, not before it: a slow address must not hold a notification up.
      void webhook.send(alert)
      return host === null ? Promise.resolve() : notifyOf(host, settings, alert)
    }
  })
  const errands = new ErrandService({
    home,
    clock: systemClock,
    environment: process.env,
    target: (id) => targets.get(id)
  })
  const cluster = new ClusterService({
    clock: systemClock,
    store: runs.store,
    target: (run) => runs.targetOf(run)
  })
  const queue = await queueOf(
    { home, runs, targets, alerts, active: options.watch === 'all' },
    (request) => launchNow(services, request)
  )
  const services: Services = {
    runs,
    alerts,
    webhook,
    cluster,
    errands,
    queue,
    settings,
    metrics,
    logs,
    talk,
    trials,
    host: options.host,
    clock: systemClock,
    targets,
    weaver,
    home,
    library: libraryOf(home, options.recipes)
  }
  queue.begin()
  if (options.watch === 'all') await errands.recall()
  const router = createRouter(services)
  return {
    router,
    problem: settings.problem,
    async dispose() {
      leaveHost()
      await queue.dispose()
      await errands.dispose()
      await alerts.dispose()
      await webhook.dispose()
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

/** How parts that use a secret of the person's find it, and have it kept. */
function secretKeeping(
  host: Host | null,
  secret: (name: string) => Promise<string | null>
): ConstructorParameters<typeof WeaverService>[0] {
  return {
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
        ? { en: 'Only the window can keep a secret.', zh: '只有窗口程序可以保存机密。' }
        : (await host.info()).secretsUnavailable,
    environment: process.env
  }
}
