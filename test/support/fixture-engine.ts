import { implement } from '@orpc/server'
import { contract } from '@contract/index'
import type { OpenRequest } from '@contract/host'
import type { PreflightReport } from '@contract/preflight'
import type { QueuedLaunch } from '@contract/queue'
import type { RunDetail, RunSummary } from '@contract/run'
import type { Release } from '@contract/releases'
import type { Settings } from '@contract/settings'
import type { TargetSpec, TargetStatus } from '@contract/targets'
import type { Text } from '@contract/text'
import { noWebhook, sampleAlerts, sampleCluster } from './fixture/cluster'
import { Changes } from './fixture/emitter'
import { matchesFilter, sampleLine, sampleSources } from './fixture/logs'
import { sampleKeys, samplePanels, sampleSeries } from './fixture/metrics'
import {
  sampleCheck,
  samplePlan,
  sampleRecipes,
  sampleRecipeText,
  sampleTargets
} from './fixture/recipes'
import {
  sampleChain,
  sampleReleaseDetail,
  sampleDifferences,
  sampleDiff,
  sampleRollbackPlan
} from './fixture/releases'
import { sampleDetail, sampleRuns, sketchRun } from './fixture/runs'

export interface FixtureOptions {
  /** No run at all, as on the first start. */
  empty?: boolean
  language?: Settings['language']
  theme?: Settings['theme']
  /** A folder that cannot be read is among the runs. */
  damaged?: boolean
  oldRuntime?: boolean
  /** The moment everything is dated from, Unix milliseconds. */
  now?: number
}

// The window's tests stand on these topics; the others have tests of their own against the real engine.
const {
  alerts,
  cluster,
  host,
  launch,
  logs,
  metrics,
  preflight,
  queue,
  recipes,
  releases,
  runs,
  settings,
  targets
} = contract
const os = implement({
  alerts,
  cluster,
  host,
  launch,
  logs,
  metrics,
  preflight,
  queue,
  recipes,
  releases,
  runs,
  settings,
  targets
})

/**
 * An engine in memory with realistic data, for tests and for looking at the window. It keeps the contract and
 * remembers what it is told, and does nothing else: no file, no process, no network.
 */
export class FixtureEngine {
  /** Why it is not certain what a restart would go on from. */
  restartDoubt: Text | null = null
  /** Plans and what goes into the queue are answered only when this has come; for looking at the time before. */
  held: Promise<void> = Promise.resolve()
  private readonly queueChanged = new Changes()
  private queued: QueuedLaunch[] = []
  private readonly now: number
  private runs: RunSummary[]
  private readonly notes = new Map<string, string>([
    ['r-0412', '# Seed 0\nBaseline of the paper.\n']
  ])
  private readonly rolledBack = new Map<string, number>()
  private settings: Settings
  private targets: TargetStatus[] = [...sampleTargets]
  private readonly changed = new Changes()
  private readonly settingsChanged = new Changes()
  private readonly alertsChanged = new Changes()
  private unseen = 1
  private readonly asked = new Changes()
  private readonly asks: OpenRequest[] = []
  /** Calls that change something, in order, for tests to read. */
  /** Has these launches wait. */
  queue(items: QueuedLaunch[]): void {
    this.queued = items
    this.queueChanged.emit()
  }

  readonly acts: { call: string; input: unknown }[] = []
  /** Streams of chains that were opened. */
  chainStreams = 0
  private lines = 41_208
  private revision = 1

  constructor(private readonly options: FixtureOptions = {}) {
    this.now = options.now ?? Date.now()
    this.runs = options.empty === true ? [] : sampleRuns(this.now)
    this.settings = {
      version: 1,
      language: options.language ?? 'en',
      theme: options.theme ?? 'dark',
      keepWatching: false
    }
  }

  private done(call: string, input: unknown): Record<never, never> {
    this.acts.push({ call, input })
    this.changed.emit()
    return {}
  }

  private list() {
    const damaged =
      this.options.damaged === true
        ? [
            {
              id: 'r-0377',
              folder: '/home/user/slipway/runs/r-0377',
              why: {
                en: 'run.json ends in the middle of a line (byte 812).',
                zh: 'run.json 在一行中间结束（第 812 字节）。'
              },
              remedy: { en: 'Put run.json back from a backup.', zh: '请从备份恢复 run.json。' }
            }
          ]
        : []
    return { runs: this.runs, damaged }
  }

  /** A run by id, as the engine fails for one that is not there. */
  private run(id: string): RunSummary {
    const run = this.runs.find((each) => each.id === id)
    if (run === undefined) throw new Error(`No run ${id}`)
    return run
  }

  private detail(id: string): RunDetail {
    return sampleDetail(this.run(id), this.notes.get(id) ?? '')
  }

  private change(id: string, part: Partial<RunSummary>): void {
    this.runs = this.runs.map((run) => (run.id === id ? { ...run, ...part } : run))
    this.changed.emit()
  }

  /** The newest run trained `steps` further: log, curves and list grow. */
  advance(steps: number): void {
    const first = this.runs[0]
    this.lines += steps * 3
    this.revision += 1
    if (first === undefined) return
    const trained = first.trainStep === null ? null : first.trainStep + steps
    this.change(first.id, { step: first.step + steps, trainStep: trained })
  }

  private chain(id: string) {
    return sampleChain(this.run(id), this.rolledBack.get(id) ?? null, this.now)
  }

  private row(id: string, step: number): Release {
    const row = this.chain(id).releases.find((each) => each.step === step)
    if (row === undefined) throw new Error(`No release r${step}`)
    return row
  }

  private served(id: string): Release {
    const row = this.chain(id).releases.find((each) => each.served)
    if (row === undefined) throw new Error('Nothing is served')
    return row
  }

  private launch(recipe: string, name: string | undefined): { run: string; folder: string } {
    const id = `r-${500 + this.runs.length}`
    const run = sketchRun(
      {
        id,
        name: name ?? 'practice-sao-13',
        state: { kind: 'starting', since: this.now, service: 'practice' },
        ago: 1000,
        step: 0,
        served: null,
        reward: null,
        recipe: { name: 'Practice: SAO', path: recipe, practice: true, model: null },
        target: { id: 'local', name: 'This computer', kind: 'process' },
        tags: ['practice'],
        now: { en: 'Starting the practice stack.', zh: '正在启动练习栈。' }
      },
      this.now
    )
    this.runs = [run, ...this.runs]
    return { run: id, folder: run.folder }
  }

  private probe(id: string): TargetStatus {
    const target = this.targets.find((each) => each.spec.id === id)
    if (target === undefined) throw new Error(`No target ${id}`)
    return target
  }

  private add(spec: TargetSpec): TargetStatus {
    const status: TargetStatus = {
      spec,
      found: false,
      reachable: 'yes',
      why: null,
      remedy: null,
      engine: spec.kind,
      version: '28.5.1',
      gpus: [],
      freeBytes: null
    }
    this.targets = [...this.targets.filter((each) => each.spec.id !== spec.id), status]
    return status
  }

  /** The router to serve over a port. */
  router() {
    return os.router({
      host: this.hostCalls(),
      launch: this.launchCalls(),
      logs: this.logCalls(),
      metrics: this.metricCalls(),
      preflight: {
        run: os.preflight.run.handler(async function* () {
          await Promise.resolve()
          yield sampleReport
        }),
        saved: os.preflight.saved.handler(({ input }) =>
          input.run === 'r-0412' ? sampleReport : null
        ),
        fix: os.preflight.fix.handler(({ input }) => ({ request: input.request }))
      },
      queue: {
        add: os.queue.add.handler(async ({ input }) => {
          await this.held
          this.acts.push({ call: 'queue.add', input })
          return { id: 'q-1', done: true }
        }),
        watch: os.queue.watch.handler(({ signal }) =>
          this.queueChanged.stream(() => ({ queue: this.queued }), signal)
        ),
        remove: os.queue.remove.handler(() => ({ done: true })),
        first: os.queue.first.handler(() => ({ done: true })),
        again: os.queue.again.handler(({ input }) => {
          this.acts.push({ call: 'queue.again', input })
          return { done: true }
        })
      },
      recipes: this.recipeCalls(),
      releases: this.releaseCalls(),
      runs: this.runCalls(),
      settings: {
        get: os.settings.get.handler(() => this.settings),
        set: os.settings.set.handler(({ input }) => {
          const given = Object.fromEntries(
            Object.entries(input).filter(([, value]) => value !== undefined)
          )
          this.settings = { ...this.settings, ...given }
          this.acts.push({ call: 'settings.set', input })
          this.settingsChanged.emit()
          return this.settings
        }),
        watch: os.settings.watch.handler(({ signal }) =>
          this.settingsChanged.stream(() => this.settings, signal)
        )
      },
      alerts: {
        watch: os.alerts.watch.handler(({ signal }) =>
          this.alertsChanged.stream(
            () => ({ alerts: sampleAlerts(this.now), unseen: this.unseen }),
            signal
          )
        ),
        see: os.alerts.see.handler(() => {
          this.unseen = 0
          this.alertsChanged.emit()
          return this.done('alerts.see', {})
        }),
        webhook: os.alerts.webhook.handler(() => noWebhook),
        setWebhook: os.alerts.setWebhook.handler(({ input }) => {
          this.acts.push({ call: 'alerts.setWebhook', input })
          return noWebhook
        }),
        tryWebhook: os.alerts.tryWebhook.handler(() => noWebhook)
      },
      cluster: {
        look: os.cluster.look.handler(() => sampleCluster(this.now)),
        watch: os.cluster.watch.handler(({ signal }) =>
          this.alertsChanged.stream(() => sampleCluster(this.now), signal)
        )
      },
      targets: {
        list: os.targets.list.handler(() => this.targets),
        probe: os.targets.probe.handler(({ input }) => this.probe(input.id)),
        images: os.targets.images.handler(() => [
          { reference: 'reef:latest', id: 'sha256:1', bytes: 31e9, created: this.now - 86_400_000 },
          { reference: 'reef:tttd', id: 'sha256:2', bytes: 33e9, created: this.now - 172_800_000 }
        ]),
        add: os.targets.add.handler(({ input }) => this.add(input)),
        remove: os.targets.remove.handler(({ input }) => {
          this.targets = this.targets.filter((each) => each.spec.id !== input.id)
          return this.done('targets.remove', input)
        })
      }
    })
  }

  private hostCalls() {
    return {
      info: os.host.info.handler(() => ({
        version: '0.1.0',
        platform: 'linux',
        systemLanguage: 'en' as const,
        oldRuntime: this.options.oldRuntime ?? false,
        noSandbox: false,
        home: '/home/user/slipway',
        secretsUnavailable: null
      })),
      pick: os.host.pick.handler(() => ({ path: '/home/user/recipes/picked.yaml' })),
      reveal: os.host.reveal.handler(({ input }) => this.done('host.reveal', input)),
      openExternal: os.host.openExternal.handler(({ input }) =>
        this.done('host.openExternal', input)
      ),
      window: os.host.window.handler(({ input }) => this.done('host.window', input)),
      requests: os.host.requests.handler(({ signal }) => this.requests(signal))
    }
  }

  /** What was asked for from outside the page; see `ask`. */
  private async *requests(signal: AbortSignal | undefined): AsyncGenerator<OpenRequest> {
    for await (const waiting of this.asked.stream(() => this.asks.splice(0), signal)) yield* waiting
  }

  /** As if a file was opened with the app or a notification was clicked. */
  ask(request: OpenRequest): void {
    this.asks.push(request)
    this.asked.emit()
  }

  private launchCalls() {
    return {
      plan: os.launch.plan.handler(async ({ input }) => {
        await this.held
        return samplePlan(input.recipe, input.recipe.includes('practice'))
      }),
      start: os.launch.start.handler(({ input }) => {
        const started = this.launch(input.recipe, input.name)
        this.done('launch.start', input)
        return { ...started, notes: [] }
      })
    }
  }

  private logCalls() {
    const sourcesOf = (id: string) => {
      const { state, attempt } = this.run(id)
      return state.kind === 'starting' && this.run(id).step === 0 && id.startsWith('r-5')
        ? []
        : sampleSources(attempt, this.lines)
    }
    const total = (run: string, source: string): number =>
      sourcesOf(run).find((each) => each.id === source)?.lines ?? 0
    return {
      sources: os.logs.sources.handler(({ input }) => sourcesOf(input.run)),
      read: os.logs.read.handler(({ input }) => {
        const all = total(input.run, input.source)
        const from = input.from < 0 ? Math.max(0, all + input.from) : input.from
        const count = Math.max(0, Math.min(input.count, all - from))
        const start = this.run(input.run).startedAt
        return {
          total: all,
          lines: Array.from({ length: count }, (_each, i) =>
            sampleLine(input.source, from + i, start)
          )
        }
      }),
      search: os.logs.search.handler(({ input }) => {
        const all = total(input.run, input.source)
        const start = this.run(input.run).startedAt
        const lines = []
        let at = input.after + 1
        for (; at < all && lines.length < input.limit; at += 1) {
          const line = sampleLine(input.source, at, start)
          if (matchesFilter(line, input.filter)) lines.push(line)
        }
        return { lines, done: at >= all, scanned: at }
      }),
      watch: os.logs.watch.handler(({ input, signal }) =>
        this.changed.stream(
          () => ({
            sources: sourcesOf(input.run),
            progress:
              this.run(input.run).state.kind === 'training'
                ? [
                    {
                      source: '2/slime-driver',
                      label: 'actor train',
                      done: 9,
                      total: 16,
                      left: 57,
                      at: this.now
                    }
                  ]
                : []
          }),
          signal
        )
      )
    }
  }

  private metricCalls() {
    const steps = (run: string): number => this.run(run).step
    return {
      keys: os.metrics.keys.handler(({ input }) => sampleKeys(steps(input.run), this.now)),
      series: os.metrics.series.handler(({ input }) =>
        sampleSeries(input, steps(input.run), this.revision)
      ),
      panels: os.metrics.panels.handler(() => samplePanels),
      pace: os.metrics.pace.handler(() => ({ times: [], left: null, starts: [] })),
      watch: os.metrics.watch.handler(({ signal }) =>
        this.changed.stream(() => ({ revision: this.revision }), signal)
      )
    }
  }

  private recipeCalls() {
    return {
      list: os.recipes.list.handler(() => sampleRecipes),
      read: os.recipes.read.handler(({ input }) => ({
        path: input.path,
        text: sampleRecipeText,
        modified: this.now,
        readOnly: input.path.startsWith('/opt')
      })),
      save: os.recipes.save.handler(({ input }) => ({ path: input.path, modified: this.now })),
      create: os.recipes.create.handler(({ input }) => ({ path: `/home/user/${input.name}.yaml` })),
      import: os.recipes.import.handler(() => ({
        folder: '/home/user/recipes',
        copied: ['picked.yaml'],
        same: [],
        conflicts: [],
        skipped: []
      })),
      check: os.recipes.check.handler(({ input }) =>
        sampleCheck(
          input.path.includes('practice'),
          input.overrides.some((each) => each.path === 'training.options.lrr')
        )
      ),
      complete: os.recipes.complete.handler(() => []),
      hover: os.recipes.hover.handler(() => null),
      migrate: os.recipes.migrate.handler(({ input }) => ({ text: input.text, changes: [] })),
      compare: os.recipes.compare.handler(() => []),
      scale: os.recipes.scale.handler(({ input }) => ({ text: input.text, changes: [] })),
      propose: os.recipes.propose.handler(() => []),
      stat: os.recipes.stat.handler(() => ({ modified: this.now })),
      opened: os.recipes.opened.handler(() => ({})),
      draft: os.recipes.draft.handler(() => ({ draft: null })),
      keepDraft: os.recipes.keepDraft.handler(() => ({}))
    }
  }

  private releaseCalls() {
    return {
      chain: os.releases.chain.handler(({ input }) => this.chain(input.run)),
      watch: os.releases.watch.handler(({ input, signal }) => {
        this.chainStreams += 1
        return this.changed.stream(() => {
          const chain = this.chain(input.run)
          return { ...chain, fresh: true, total: chain.releases.length, done: true }
        }, signal)
      }),
      compare: os.releases.compare.handler(({ input }) =>
        sampleDifferences(this.row(input.run, input.a), this.row(input.run, input.b))
      ),
      detail: os.releases.detail.handler(({ input }) =>
        sampleReleaseDetail(this.row(input.run, input.step))
      ),
      harnessDiff: os.releases.harnessDiff.handler(({ input }) => sampleDiff(input.path)),
      rollbackPlan: os.releases.rollbackPlan.handler(({ input }) =>
        sampleRollbackPlan(
          this.row(input.run, input.step),
          this.served(input.run),
          input.withOptimizer
        )
      ),
      rollback: os.releases.rollback.handler(({ input }) => {
        this.rolledBack.set(input.run, input.step)
        this.done('releases.rollback', input)
        return { releaseId: 'rel-new' }
      }),
      promotePlan: os.releases.promotePlan.handler(({ input }) =>
        sampleRollbackPlan(this.row(input.run, input.step), this.served(input.run))
      ),
      undoPlan: os.releases.undoPlan.handler(({ input }) =>
        sampleRollbackPlan(this.row(input.run, 0), this.served(input.run))
      ),
      undo: os.releases.undo.handler(({ input }) => {
        this.rolledBack.delete(input.run)
        this.done('releases.undo', input)
        return { releaseId: 'rel-back' }
      }),
      promote: os.releases.promote.handler(({ input }) => {
        this.done('releases.promote', input)
        return { releaseId: null }
      })
    }
  }

  private runCalls() {
    return {
      list: os.runs.list.handler(() => this.list()),
      look: os.runs.look.handler(() => ({ unseen: [] })),
      get: os.runs.get.handler(({ input, errors }) => {
        if (this.runs.some((run) => run.id === input.run)) return this.detail(input.run)
        throw errors.FAILED({
          data: {
            code: 'run-not-found',
            what: { en: `There is no run ${input.run}.`, zh: `没有运行 ${input.run}。` },
            where: '/home/user/slipway/runs'
          }
        })
      }),
      watch: os.runs.watch.handler(({ signal }) => this.changed.stream(() => this.list(), signal)),
      follow: os.runs.follow.handler(({ input, signal }) =>
        this.changed.stream(() => this.detail(input.run), signal)
      ),
      update: os.runs.update.handler(({ input }) => {
        const { run, notes, ...rest } = input
        const given = Object.fromEntries(
          Object.entries(rest).filter(([, value]) => value !== undefined)
        )
        if (notes !== undefined) this.notes.set(run, notes)
        this.change(run, given)
        return this.done('runs.update', input)
      }),
      import: os.runs.import.handler(({ input }) => {
        this.acts.push({ call: 'runs.import', input })
        const files = input.paths.map((path) => ({ path, format: 'csv' as const, samples: 1 }))
        const imported = { files, samples: 1, keys: 1, from: null, to: null }
        return { run: 'r-0412', imported, problems: [], damaged: false }
      }),
      stop: os.runs.stop.handler(({ input }) => {
        this.change(input.run, {
          state: input.force
            ? { kind: 'stopped', at: this.now, exit: { kind: 'signal', signal: 'SIGKILL' } }
            : {
                kind: 'stopping',
                since: this.now,
                deadline: this.now + 150_000,
                awaiting: { en: 'the optimizer step under way', zh: '正在进行的优化器步' }
              }
        })
        return this.done('runs.stop', input)
      }),
      restartDoubt: os.runs.restartDoubt.handler(() => ({ doubt: this.restartDoubt })),
      restart: os.runs.restart.handler(({ input }) => {
        this.change(input.run, {
          attempt: this.run(input.run).attempt + 1,
          endedAt: null,
          state: { kind: 'starting', since: this.now, service: 'reef' }
        })
        return this.done('runs.restart', input)
      })
    }
  }
}

const sampleReport: PreflightReport = {
  running: [],
  verdict: 'warn',
  took: 2100,
  checks: [
    {
      id: 'disk/checkpoints',
      group: 'disk',
      title: {
        en: 'Disk holds 11 checkpoints, then retention deletes the oldest',
        zh: '磁盘可容纳 11 个 checkpoint，之后按保留规则删除最旧的'
      },
      verdict: 'warn',
      evidence: { en: 'free 612 GB, reservation 49 GB', zh: '剩余 612 GB，预留 49 GB' },
      remedy: { en: 'Save every 8 versions.', zh: '每 8 个版本保存一次。' },
      judgement: true,
      took: 12
    },
    {
      id: 'ports/reef',
      group: 'ports',
      title: { en: 'Port 8900', zh: '端口 8900' },
      verdict: 'pass',
      evidence: { en: 'free', zh: '空闲' },
      judgement: false,
      took: 3
    }
  ]
}
