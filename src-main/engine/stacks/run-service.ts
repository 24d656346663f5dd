import type { Progress } from '../../contract/logs'
import { readFile } from 'node:fs/promises'
import type { LaunchRequest, Override, Plan } from '../../contract/launch'
import type { PreflightReport } from '../../contract/preflight'
import type { ResolvedValue } from '../../contract/recipes'
import type { AskedPlan, Chain } from '../../contract/releases'
import type { RunDetail, RunList, UnseenRun } from '../../contract/run'
import type { Text } from '../../contract/text'
import {
  type Clock,
  errorCode,
  FailureError,
  messageOf,
  pause,
  type Redactor,
  redactor,
  systemClock
} from '../lib'
import {
  type Act,
  type ActResult,
  type RunPaths,
  type RunRecord,
  RunStore,
  type UpdateChange
} from '../runs'
import { checkOverrides } from '../recipes'
import { type FileAccess, LOCAL_TARGET, type Target } from '../targets'
import type { WeaverClient } from '../weaver'
import { unseenOnFullDisk } from './act-sentences'
import { isFinal } from './attempt-state'
import { checkCompanionPlaces, checkCompanions } from './check-companions'
import { copyStart, type CopyStart } from './copy-start'
import { EngineDoor } from './engine-door'
import { stopStraight } from './straight-stop'
import { IMPORTED, importRun, type ImportRequest } from './import-run'
import { planOn, targetRef } from './launch-planner'
import type { Below } from './quiet'
import { type RecipeForPlan, readRecipeForPlan } from './recipe-for-plan'
import { reservedPorts } from './reserved-ports'
import { type Asked, type OfScenario, RunReleases, type ToStep } from './run-releases'
import { detailOf, listOf } from './run-view'
import {
  accessOf,
  keptOf,
  type KeptRecords,
  notLive,
  type ServiceAccess,
  tokenValue
} from './service-access'
import { servicePort } from './service-port'
import { runName } from './run-name'
import { secretsOf } from './run-secrets'
import { Supervisor } from './supervisor'
import { GRACE_SECONDS, notWriter } from './supervisor-options'

export interface RunServiceOptions {
  home: string
  /** Folder with `practice-stack/` and `process-wrapper/`. */
  resources: string
  appVersion: string
  /** The opened target of an id, the same one each time; whoever gives it disposes of it. */
  target: (id: string, installation: string) => Promise<Target>
  /** Value of a secret by name; null when there is none. */
  secret: (name: string) => Promise<string | null>
  /** Weaver with the person's key, for weights whose life is extended; null where there is none. */
  weaver?: () => Promise<WeaverClient | null>
  /** `all`: watch every unfinished run of the home that nobody else writes. `asked`: only what an act needs. */
  watch: 'all' | 'asked'
  /** What stands below a run's stack, for saying why it is quiet; null where that is not to be seen. */
  below?: (run: string) => Promise<Below | null>
  environment?: Readonly<Record<string, string | undefined>>
  readRecipe?: (text: string, path: string, overrides: readonly Override[]) => RecipeForPlan
  clock?: Clock
  /** Milliseconds without movement until an attempt is called quiet. Default two minutes. */
  quietAfterMs?: number
  graceSeconds?: number
  /** Told of what went wrong while watching a run; the watching goes on. Default: a line on standard error. */
  onTrouble?: (run: string, cause: unknown) => void
}

/** What a launch may bring along for the run folder. */
export interface LaunchExtras {
  resolved?: readonly ResolvedValue[]
  preflight?: PreflightReport | null
  checkout?: RunRecord['checkout']
  /** Why a failed judgement of preflight was overridden. */
  because?: string
}

/** How often runs that nobody watches are looked for, and how often other engines' writing is noticed. */
const ADOPT_EVERY_MS = 5_000
const NOTICE_EVERY_MS = 1_000
const LIST_PAUSE_MS = 250
const DETAIL_PAUSE_MS = 150
/** How long a look that somebody waits for may take. */
const LOOK_MS = 15_000
/** What another engine saw this short a time ago is not older than what a look of ours would show. */
const FRESH_MS = 4_000
/** Times an act is tried while a run changes its writer. */
const ACT_TURNS = 40

/** Runs of one home: what the window and the command line ask for. */
export class RunService {
  private readonly supervisors = new Map<string, Promise<Supervisor>>()
  private readonly aborter = new AbortController()
  private adopting: Promise<void> = Promise.resolve()
  /** Runs that are written only while they are looked at. */
  private readonly passing = new Set<string>()
  /** How many look at the curves or the log of a run. */
  private readonly attending = new Map<string, number>()
  /** Chains and releases, as they are asked about; the acts are below. */
  readonly releases: RunReleases

  private constructor(
    private readonly options: RunServiceOptions,
    readonly store: RunStore,
    private readonly door: EngineDoor,
    private readonly clock: Clock
  ) {
    this.releases = new RunReleases({
      store,
      clock,
      graceSeconds: options.graceSeconds ?? GRACE_SECONDS,
      target: (id) => this.target(id),
      recipeOf: (record, attempt = record.attempts.at(-1)) =>
        this.recipeOf(record.id, attempt?.plan.overrides ?? []),
      access: (run) => this.access(run),
      redactor: (record) => this.redactorOf(record),
      jobOut: async (run) => {
        const supervisor = await this.supervisors.get(run)
        return supervisor === undefined ? null : supervisor.costOfStopping !== null
      }
    })
  }

  static async open(options: RunServiceOptions): Promise<RunService> {
    const clock = options.clock ?? systemClock
    const store = await RunStore.open(options.home, clock)
    const late: { service?: RunService } = {}
    const door = await EngineDoor.open(options.home, (act) => {
      if (late.service === undefined) throw new Error('the engine is still opening')
      return late.service.perform(act)
    })
    const service = new RunService(options, store, door, clock)
    late.service = service
    if (options.watch === 'all') service.adopting = service.keepAdopting()
    return service
  }

  async list(): Promise<RunList> {
    return listOf(await this.store.list(), (id) => this.store.paths(id).folder)
  }

  async get(run: string): Promise<RunDetail> {
    const [record, events, notes, holder] = await Promise.all([
      this.store.read(run),
      this.store.events(run),
      this.store.notes(run),
      this.door.holder(this.store.paths(run).folder)
    ])
    const supervisor = await this.supervisors.get(run)
    const detail = detailOf({
      record,
      folder: this.store.paths(run).folder,
      events,
      notes,
      // Whoever only looks in does not watch: when the command has ended, nobody does.
      holder: holder.kind === 'me' && this.passing.has(run) ? { kind: 'nobody' } : holder,
      stopCost: supervisor?.costOfStopping ?? null
    })
    // A full disk cannot be written down on it.
    const trouble = supervisor?.trouble ?? null
    return trouble === null ? detail : { ...detail, summary: { ...detail.summary, now: trouble } }
  }

  /** The list now and whenever something in it changed. */
  async *watch(signal?: AbortSignal): AsyncGenerator<RunList, void, undefined> {
    let shown: readonly unknown[] = []
    for await (const _ of this.store.changes.watch(LIST_PAUSE_MS, signal, NOTICE_EVERY_MS)) {
      void _
      const listing = await this.store.list()
      // Unchanged records are the same objects.
      const now = [...listing.records, ...listing.damaged.map((one) => one.id)]
      if (shown.length === now.length && now.every((one, at) => one === shown[at])) {
        if (now.length > 0) continue
      }
      shown = now
      yield listOf(listing, (id) => this.store.paths(id).folder)
    }
  }

  /** The detail of one run now and whenever it changed. */
  async *follow(run: string, signal?: AbortSignal): AsyncGenerator<RunDetail, void, undefined> {
    let shown = ''
    for await (const _ of this.store.changes.watch(DETAIL_PAUSE_MS, signal, NOTICE_EVERY_MS)) {
      void _
      const detail = await this.get(run)
      const now = JSON.stringify(detail)
      if (now === shown) continue
      shown = now
      yield detail
    }
  }

  /** What a launch would do. Starts nothing. */
  async plan(request: LaunchRequest): Promise<Plan> {
    const target = await this.target(request.target)
    return (await this.planned(request, target)).plan
  }

  /** How a launch could begin from a copy of the newest saved weights; null when it cannot. */
  async copyStart(request: LaunchRequest): Promise<CopyStart | null> {
    const target = await this.target(request.target)
    return copyStart(await this.planned(request, target), target.files)
  }

  /** Makes the run and starts its stack. Resolves when the stack is starting. */
  async start(
    request: LaunchRequest,
    extras: LaunchExtras = {}
  ): Promise<{ run: string; folder: string; notes: Text[] }> {
    checkCompanions(request.companions)
    const asked = request.name === undefined ? undefined : runName(request.name)
    const target = await this.target(request.target)
    const { plan, recipe, text } = await this.planned(request, target)
    await checkCompanionPlaces(request.companions, plan, target)
    const redact = redactor(await secretsOf(recipe, request.companions, this.options.secret))
    const record = await this.store.create({
      name: redact(asked ?? recipe.name),
      tags: request.tags.map(redact),
      starred: false,
      archived: false,
      createdAt: this.clock.now(),
      recipe: {
        name: recipe.name,
        path: plan.recipePath,
        dialect: recipe.dialect,
        family: recipe.family,
        practice: recipe.practice,
        model: recipe.model
      },
      target: targetRef(target.spec),
      appVersion: this.options.appVersion,
      checkout: extras.checkout ?? null,
      rollback: plan.rollback,
      overrides: request.overrides,
      companions: request.companions,
      recipeText: text,
      resolved: extras.resolved ?? [],
      preflight: extras.preflight ?? null
    })
    if (extras.because !== undefined && extras.because !== '') {
      await this.store.appendEvent(record.id, {
        attempt: 1,
        kind: 'preflight-overridden',
        text: {
          en: `Launched although preflight failed: ${redact(extras.because)}`,
          zh: `在预检未通过的情况下启动：${redact(extras.because)}`
        }
      })
    }
    const supervisor = await this.supervise(record.id)
    if (supervisor === null) return notWriter(record.id)
    await supervisor.launch(plan)
    return { run: record.id, folder: this.store.paths(record.id).folder, notes: plan.notes }
  }

  /** Makes a record of files that were left by something else. */
  import(request: ImportRequest): ReturnType<typeof importRun> {
    const { appVersion } = this.options
    return importRun(request, { store: this.store, clock: this.clock, appVersion })
  }

  /** Asks the stack to end; with force, kills it. Gives what a person must know besides; null when nothing. */
  async stop(request: { run: string; force: boolean }): Promise<Text | null> {
    try {
      await this.act({ kind: 'stop', ...request })
      return null
    } catch (cause) {
      return stopStraight(cause, request, this.store, (id) => this.target(id))
    }
  }

  async restart(request: { run: string }): Promise<void> {
    await this.act({ kind: 'restart', ...request })
  }

  async update({ run, ...change }: { run: string } & UpdateChange): Promise<void> {
    await this.act({ kind: 'update', run, change })
  }

  /** The chain of one scenario, newest first. */
  chain(request: OfScenario): Promise<Chain> {
    return this.releases.chain(request)
  }

  /** The chain now and whenever it changed. */
  watchChain(request: OfScenario, signal?: AbortSignal): AsyncGenerator<Chain, void, undefined> {
    return this.releases.watch(request, signal)
  }

  /** What going back to a step would do. */
  rollbackPlan(request: ToStep): Promise<AskedPlan> {
    return this.releases.rollbackPlan(request)
  }

  /** Goes back the way the plan says: done when it resolves (api), or under way (redeploy). */
  async rollback(request: Asked & ToStep): Promise<ActResult> {
    return this.act(await this.releases.rollbackAct(request))
  }

  /** What serving a held release would do. */
  promotePlan(request: OfScenario & { step: number }): Promise<AskedPlan> {
    return this.releases.promotePlan(request)
  }

  /** What taking the newest way back back would do. */
  undoPlan(request: OfScenario): Promise<AskedPlan> {
    return this.releases.undoPlan(request)
  }

  /** Takes the newest rollback, promotion or redeploy back. */
  async undo(request: Asked): Promise<ActResult> {
    return this.act(await this.releases.undoAct(request))
  }

  /** Serves a held release. */
  async promote(request: Asked & { step: number }): Promise<ActResult> {
    return this.act(await this.releases.promoteAct(request))
  }

  /** Progress bars a run's stack is drawing now, where this engine watches it. */
  async progress(run: string): Promise<Progress[]> {
    return [...((await this.supervisors.get(run))?.progress ?? [])]
  }

  /** Somebody looks at the run's curves or log, which are followed closely until the function given is called. */
  attend(run: string): () => void {
    this.attending.set(run, (this.attending.get(run) ?? 0) + 1)
    return () => {
      const left = (this.attending.get(run) ?? 1) - 1
      if (left === 0) this.attending.delete(run)
      else this.attending.set(run, left)
    }
  }

  /** Files of a run, for the log and metric readers. */
  paths(run: string): RunPaths {
    return this.store.paths(run)
  }

  /** The target a run was launched on. */
  async targetOf(run: string): Promise<Target> {
    return this.target((await this.store.read(run)).target.id)
  }

  /** How to ask the run's HTTP service. Throws FailureError `not-live` when it has none. */
  async access(run: string): Promise<ServiceAccess> {
    const record = await this.store.read(run)
    const last = record.attempts.at(-1)
    const recipe = await this.recipeOf(run, last?.plan.overrides ?? [])
    if (last !== undefined && last.handle !== null && !isFinal(last.state)) {
      const target = await this.target(record.target.id)
      // A token and a prompt are nothing for whoever has taken the stack's port.
      if ((await target.listening(last.handle, servicePort(last))) === 'foreign') notLive(run)
    }
    return accessOf(record, recipe, this.options.secret)
  }

  /** What an ended run left of its records. Throws FailureError `not-live` when it has not ended or kept none. */
  async kept(run: string): Promise<KeptRecords> {
    const record = await this.store.read(run)
    const recipe = await this.recipeOf(run, record.attempts.at(-1)?.plan.overrides ?? [])
    const files = async (): Promise<FileAccess> => (await this.target(record.target.id)).files
    return keptOf(record, files, await tokenValue(recipe, this.options.secret))
  }

  /**
   * Looks at unfinished runs (or at one) until all that happened is read: takes over what nobody writes, and waits for
   * the look of whoever writes the others. Gives the runs that could not be looked at in time, and why.
   */
  async look(run?: string): Promise<UnseenRun[]> {
    const { records } = await this.store.list()
    const wanted = records.filter(
      (record) => (run === undefined || record.id === run) && unfinished(record)
    )
    const answers = await Promise.all(
      wanted.map(async ({ id }) => {
        const why = await this.inTime(this.lookAt(id))
        if (why === null) return []
        // What a look that took too long has seen by now is what is shown.
        return [{ run: id, why, seenAt: (await this.store.read(id)).seen.at }]
      })
    )
    return answers.flat()
  }

  /** Null when the run was looked at, else why not. */
  private async lookAt(run: string): Promise<Text | null> {
    try {
      for (;;) {
        const supervisor = await this.supervise(run, 'passing')
        if (supervisor !== null) return await supervisor.caughtUp
        const { seen, attempts } = await this.store.read(run)
        const last = attempts.at(-1)
        if (last === undefined || isFinal(last.state)) return null
        // Its writer looks again and again; one that has just come has not looked yet.
        if (this.clock.now() - seen.at < FRESH_MS) return null
        if (last.state.kind === 'unreachable') return last.state.why
        if (last.state.kind === 'preparing') return null
        await pause(this.clock, DETAIL_PAUSE_MS, this.aborter.signal)
        if (this.aborter.signal.aborted) return null
      }
    } catch (cause) {
      if (cause instanceof FailureError) return cause.failure.what
      // What was written down can be read all the same.
      if (errorCode(cause) === 'ENOSPC') return unseenOnFullDisk
      throw cause
    }
  }

  private async inTime(look: Promise<Text | null>): Promise<Text | null> {
    const late: Text = {
      en: `It could not be looked at within ${LOOK_MS / 1000} s.`,
      zh: `未能在 ${LOOK_MS / 1000} 秒内查看到它。`
    }
    const finished = new AbortController()
    const timer = pause(this.clock, LOOK_MS, finished.signal).then(() => late)
    try {
      return await Promise.race([look, timer])
    } finally {
      finished.abort()
    }
  }

  /** Takes over every unfinished run that nobody writes, once. */
  async reconcile(): Promise<void> {
    const { records } = await this.store.list()
    for (const record of records) {
      if (this.supervisors.has(record.id) || !unfinished(record)) continue
      try {
        await this.supervise(record.id)
      } catch (cause) {
        // One run that cannot be taken up must not keep the others from being watched.
        this.trouble(record.id, cause)
      }
    }
  }

  private trouble(run: string, cause: unknown): void {
    const { onTrouble } = this.options
    if (onTrouble === undefined) console.error(`[slipway] ${run}: ${messageOf(cause)}`)
    else onTrouble(run, cause)
  }

  /** Stops watching. Stacks go on. */
  async dispose(): Promise<void> {
    this.aborter.abort()
    await this.adopting
    const supervisors = await Promise.all(this.supervisors.values())
    await Promise.all(supervisors.map((supervisor) => supervisor.dispose()))
    await this.door.close()
  }

  private async keepAdopting(): Promise<void> {
    const { signal } = this.aborter
    while (!signal.aborted) {
      await this.reconcile()
      await pause(this.clock, ADOPT_EVERY_MS, signal)
    }
  }

  private planned(request: LaunchRequest, target: Target): ReturnType<typeof planOn> {
    checkOverrides(request.overrides)
    return reservedPorts(this.store, null).then((reserved) =>
      planOn(
        target,
        request,
        {
          resources: this.options.resources,
          readRecipe: this.readRecipe,
          environment: this.options.environment ?? process.env
        },
        reserved
      )
    )
  }

  private readonly readRecipe = (
    text: string,
    path: string,
    overrides: readonly Override[]
  ): RecipeForPlan => {
    const { readRecipe, environment } = this.options
    if (readRecipe !== undefined) return readRecipe(text, path, overrides)
    return readRecipeForPlan(text, { path, overrides, environment: environment ?? process.env })
  }

  private target(id: string): Promise<Target> {
    // What was imported runs nowhere; its files are on this machine.
    return this.options.target(id === IMPORTED ? LOCAL_TARGET : id, this.store.installation)
  }

  private async recipeOf(run: string, overrides: readonly Override[]): Promise<RecipeForPlan> {
    const text = await readFile(this.store.paths(run).recipe, 'utf8')
    return this.readRecipe(text, (await this.store.read(run)).recipe.path, overrides)
  }

  /** Does an act here when this engine writes the run or can, else has the writer do it. */
  private async act(act: Act): Promise<ActResult> {
    await this.store.read(act.run)
    for (let turn = 1; ; turn += 1) {
      try {
        return await this.actNow(act)
      } catch (cause) {
        // The writer has just let go, or somebody is just taking over: nothing was done, and somebody will do it.
        if (turn === ACT_TURNS || !betweenWriters(cause)) throw cause
        await pause(this.clock, DETAIL_PAUSE_MS, this.aborter.signal)
      }
    }
  }

  private async actNow(act: Act): Promise<ActResult> {
    const supervisor = await this.supervise(act.run)
    if (supervisor === null)
      return this.door.forward(await this.door.holder(this.store.paths(act.run).folder), act)
    // What came before belongs to the record: a service that is asked to end is not asked for it any more.
    if (act.kind === 'stop' && !act.force) await this.inTime(supervisor.caughtUp)
    return this.perform(act)
  }

  private async perform(act: Act): Promise<ActResult> {
    const supervisor = await this.supervisors.get(act.run)
    if (supervisor === undefined || supervisor.leaving) return notWriter(act.run)
    switch (act.kind) {
      case 'stop':
        await supervisor.stop(act.force)
        return { releaseId: null }
      case 'restart':
        await supervisor.restart()
        return { releaseId: null }
      case 'update':
        await this.applyUpdate(act.run, act.change)
        return { releaseId: null }
      case 'rollback':
        return { releaseId: await supervisor.rollbackApi(act) }
      case 'redeploy':
        await supervisor.redeployFrom(act)
        return { releaseId: null }
      case 'reopen':
        await supervisor.reopen(act)
        return { releaseId: null }
    }
  }

  private async applyUpdate(run: string, change: UpdateChange): Promise<void> {
    const { notes, ...rest } = change
    const redact = await this.redactorOf(await this.store.read(run))
    if (notes !== undefined) await this.store.writeNotes(run, redact(notes))
    await this.store.update(run, (record) => ({
      ...record,
      name: rest.name === undefined ? record.name : redact(runName(rest.name)),
      tags: rest.tags?.map(redact) ?? record.tags,
      starred: rest.starred ?? record.starred,
      archived: rest.archived ?? record.archived,
      ...(rest.extendEvery === undefined ? {} : { extendEvery: rest.extendEvery })
    }))
  }

  /**
   * Becomes the run's writer and takes up its stack where it is; null when another engine holds it. `passing`: only
   * to look.
   */
  private async supervise(
    run: string,
    how: 'staying' | 'passing' = 'staying'
  ): Promise<Supervisor | null> {
    const known = await this.supervisors.get(run)
    if (how === 'staying') this.passing.delete(run)
    if (known !== undefined) {
      if (how === 'staying' && this.options.watch === 'asked') await known.adopt()
      return known
    }
    const claim = await this.door.claim(this.store.paths(run).folder)
    if (claim.kind === 'held') return null
    const again = this.supervisors.get(run)
    if (again !== undefined) return again
    if (how === 'passing') this.passing.add(run)
    const making = this.makeSupervisor(run, claim.lock, how)
    this.supervisors.set(run, making)
    try {
      return await making
    } catch (cause) {
      this.supervisors.delete(run)
      await claim.lock.release()
      throw cause
    }
  }

  private async makeSupervisor(
    run: string,
    lock: ConstructorParameters<typeof Supervisor>[0]['lock'],
    how: 'staying' | 'passing'
  ): Promise<Supervisor> {
    const record = await this.store.read(run)
    const supervisor = new Supervisor({
      run,
      store: this.store,
      target: await this.target(record.target.id),
      here: () => this.target(LOCAL_TARGET),
      lock,
      clock: this.clock,
      readRecipe: (overrides) => this.recipeOf(run, overrides),
      secret: this.options.secret,
      weaver: this.options.weaver ?? (() => Promise.resolve(null)),
      below: () => this.options.below?.(run) ?? Promise.resolve(null),
      redact: await this.redactorOf(record),
      quietAfterMs: this.options.quietAfterMs ?? 120_000,
      attended: () => this.attending.has(run),
      onTrouble: (cause) => {
        this.trouble(run, cause)
      },
      graceSeconds: this.options.graceSeconds ?? GRACE_SECONDS
    })
    await supervisor.adopt(how)
    return supervisor
  }

  /** Takes a run's secrets out of what a person wrote. */
  private async redactorOf(record: RunRecord): Promise<Redactor> {
    const overrides = record.attempts.at(-1)?.plan.overrides ?? record.overrides
    const recipe = await this.recipeOf(record.id, overrides)
    return redactor(await secretsOf(recipe, record.companions, this.options.secret))
  }
}

function unfinished({ attempts, next }: RunRecord): boolean {
  const last = attempts.at(-1)
  return last !== undefined && (!isFinal(last.state) || next !== null)
}

/** Whether an act was refused because the run had no writer at that moment. */
function betweenWriters(cause: unknown): boolean {
  return (
    cause instanceof FailureError &&
    ['not-writer', 'lock-not-taken', 'writer-gone'].includes(cause.failure.code)
  )
}
