import type { Progress } from '../../contract/logs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import type { Override, Plan } from '../../contract/launch'
import type { Text } from '../../contract/text'
import { type Clock, fail, FailureError, messageOf, redactor } from '../lib'
import { Ingest, type MetricStore, openMetricStore } from '../metrics'
import type { AttemptRecord, NextAttempt, RunLock, RunRecord, RunStore } from '../runs'
import { type ImageStore, type StackHandle, type Target, UnreachableError } from '../targets'
import { AttemptJournal } from './attempt-journal'
import { findAddress } from './address'
import { type Begin, nextAttempt, startSpec } from './attempt-start'
import { isFinal } from './attempt-state'
import { AttemptWatch } from './attempt-watch'
import { Companions } from './companions'
import { imageFacts } from './container-facts'
import { ImagePreparation, type Prepared } from './image-preparation'
import { readMarker } from './marker'
import { withImage } from './plan'
import type { RecipeForPlan } from './recipe-for-plan'
import { duration } from './quiet'
import { reservedPorts } from './reserved-ports'

/** Seconds a stack gets to end by itself: the launcher's own worst case is above a minute. */
export const GRACE_SECONDS = 150

export interface SupervisorOptions {
  run: string
  store: RunStore
  target: Target
  lock: RunLock
  /** This machine, where companions run. */
  here: () => Promise<Target>
  clock: Clock
  /** The recipe as launched, with these overrides. */
  readRecipe: (overrides: readonly Override[]) => Promise<RecipeForPlan>
  /** Value of a secret by name; null when there is none. */
  secret: (name: string) => Promise<string | null>
  quietAfterMs: number
  /** Told of what went wrong on our own side while watching. */
  onTrouble: (cause: unknown) => void
  graceSeconds: number
}

interface Watched {
  watch: AttemptWatch
  metrics: MetricStore
  ended: Promise<void>
}

/**
 * Starts, watches, stops and starts again the stack of one run. The holder of the run's lock makes one and is the
 * only writer while it lives; disposing of it leaves the stack running.
 */
export class Supervisor {
  private watched: Watched | null = null
  private preparation: ImagePreparation | null = null
  /** Resolves when what followed the newest preparation is done. Never rejects. */
  private prepared: Promise<void> = Promise.resolve()
  private readonly aborter = new AbortController()
  /** Acts on one run follow one another. */
  private acts: Promise<unknown> = Promise.resolve()

  constructor(private readonly options: SupervisorOptions) {}

  /** What stopping at this moment would cost; null when nothing. */
  get costOfStopping(): Text | null {
    return this.watched?.watch.costOfStopping ?? null
  }

  /** Progress bars the stack is drawing now. */
  get progress(): readonly Progress[] {
    return this.watched?.watch.progress ?? this.preparation?.progress ?? []
  }

  /** True while an attempt is being watched. */
  get active(): boolean {
    return this.watched !== null
  }

  /** True once the lock is being given back: what comes now is for the next writer. */
  get leaving(): boolean {
    return this.aborter.signal.aborted
  }

  /** Starts the first attempt of a new run. */
  launch(plan: Plan): Promise<void> {
    return this.inTurn(() =>
      this.begin({ reason: 'launch', overrides: [], redeployedFrom: null }, plan)
    )
  }

  /** Finds what an earlier engine started, or how it ended, and goes on from there. */
  adopt(): Promise<void> {
    return this.inTurn(async () => {
      const record = await this.options.store.read(this.options.run)
      const attempt = record.attempts.at(-1)
      if (attempt === undefined) return
      if (isFinal(attempt.state)) {
        if (record.next !== null) await this.begin(record.next, attempt.plan)
        return
      }
      const handle = attempt.handle ?? (await this.findHandle(attempt))
      if (handle === null) {
        await this.withoutHandle(attempt)
        return
      }
      await this.tellAway(record, attempt)
      await this.watch(attempt.number, handle)
    })
  }

  /** Asks the stack to end; with force, kills it. Returns when it was asked. */
  stop(force: boolean): Promise<void> {
    return this.inTurn(async () => {
      const record = await this.options.store.read(this.options.run)
      if (record.next !== null) await this.follow(null)
      await this.askToStop(force)
    })
  }

  /** A new attempt on the same storage, after the present one has ended. */
  restart(): Promise<void> {
    return this.inTurn(async () => {
      const attempt = await this.lastAttempt()
      await this.allowRestart(attempt)
      const next: NextAttempt = {
        reason: 'restart',
        overrides: [],
        redeployedFrom: null
      }
      await this.replace(next, attempt)
    })
  }

  /** A new attempt on new, empty storage that starts from a saved checkpoint. The old storage is not touched. */
  redeployFrom(
    checkpoint: string,
    step: number,
    overrides: readonly Override[],
    why: string
  ): Promise<void> {
    return this.inTurn(async () => {
      const attempt = await this.lastAttempt()
      const model = { path: 'inference.model-path', value: checkpoint }
      await this.tell(attempt.number, {
        kind: 'redeploy',
        text: {
          en: `Going back to r${step} by a redeploy from ${checkpoint}.`,
          zh: `通过从 ${checkpoint} 重新部署回退到 r${step}。`
        },
        step,
        data: { who: userInfo().username, why, checkpoint }
      })
      await this.replace(
        {
          reason: 'redeploy',
          overrides: [...overrides.filter((one) => one.path !== model.path), model],
          redeployedFrom: step
        },
        attempt
      )
    })
  }

  /** Serves a kept release through the service's API. Resolves with the new head's release id. */
  rollbackApi(request: {
    scenario: string
    releaseId: string
    step: number
    why: string
    operation: 'rollback' | 'promote'
  }): Promise<string> {
    return this.inTurn(async () => {
      const attempt = await this.lastAttempt()
      const service = this.watched?.watch.service
      if (service === undefined || isFinal(attempt.state)) {
        return fail({
          code: 'not-serving',
          what: {
            en: 'The stack does not run, so nothing can be served from it.',
            zh: '训练栈未在运行，无法从中提供服务。'
          },
          where: this.options.run,
          remedy: { en: 'Restart the run first.', zh: '请先重新启动该运行。' }
        })
      }
      const record = await this.options.store.read(this.options.run)
      const { scenario, operation, releaseId, step, why } = request
      const answer = await service.republish(scenario, operation, releaseId)
      if (answer.kind !== 'ok') {
        return fail({
          code: 'rollback-refused',
          what: {
            en: `The service did not serve r${step} again.`,
            zh: `服务未能重新提供 r${step}。`
          },
          where: `${service.address}/reef/scenarios/${scenario}/${operation}`,
          detail: answer.kind === 'away' ? answer.why : `HTTP ${answer.status}: ${answer.text}`
        })
      }
      await this.tell(attempt.number, {
        kind: operation,
        text: rollbackText(operation, record.seen.served, step),
        step,
        data: {
          who: userInfo().username,
          why,
          scenario,
          from: record.seen.served,
          to: `r${step}`,
          releaseId: answer.value
        }
      })
      this.watched?.watch.wake()
      return answer.value
    })
  }

  /** Stops watching and gives the lock back. The stack goes on. */
  async dispose(): Promise<void> {
    this.aborter.abort()
    this.preparation?.cancel()
    await this.prepared
    // An act that fails has told its caller; here only its end matters.
    await this.acts.catch(() => undefined)
    await this.watched?.ended
    await this.options.lock.release()
  }

  private inTurn<T>(act: () => Promise<T>): Promise<T> {
    const next = this.acts.then(() => (this.leaving ? notWriter(this.options.run) : act()))
    this.acts = next.catch(() => undefined)
    return next
  }

  private async lastAttempt(): Promise<AttemptRecord> {
    const record = await this.options.store.read(this.options.run)
    const attempt = record.attempts.at(-1)
    if (attempt !== undefined) return attempt
    return fail({
      code: 'never-started',
      what: { en: 'This run was never started.', zh: '该运行从未启动过。' },
      where: this.options.run
    })
  }

  private async follow(next: NextAttempt | null): Promise<void> {
    await this.options.store.update(this.options.run, (record) => ({ ...record, next }))
  }

  /** Ends the present attempt and lets `next` follow: now when it has ended, else when it does. */
  private async replace(next: NextAttempt, attempt: AttemptRecord): Promise<void> {
    await this.follow(next)
    if (isFinal(attempt.state)) await this.begin(next, attempt.plan)
    else await this.askToStop(false)
  }

  private async askToStop(force: boolean): Promise<void> {
    const { clock, target, graceSeconds } = this.options
    if (this.preparation !== null) {
      await this.stopPreparing(this.preparation)
      return
    }
    const watched = this.watched
    const attempt = await this.lastAttempt()
    if (watched === null || isFinal(attempt.state)) return
    const { journal, handle } = watched.watch
    // Asked once is asked: a launcher takes a second signal for “skip the grace period”, which only force may say.
    const before = journal.attempt.stopAsked
    if (before !== null && (before.force || !force)) return
    const at = clock.now()
    const deadline = at + (force ? 0 : graceSeconds * 1000)
    journal.change({ stopAsked: { at, deadline, force } })
    await journal.tell({
      kind: 'stop-asked',
      text: force
        ? { en: 'Forced to end.', zh: '已强制结束。' }
        : {
            en: `Asked to end, with ${graceSeconds} s of grace.`,
            zh: `已请求结束，宽限 ${graceSeconds} 秒。`
          },
      data: { who: userInfo().username, force }
    })
    const cost = watched.watch.costOfStopping
    await journal.apply({
      kind: 'stop-asked',
      at,
      deadline,
      awaiting: cost ?? { en: 'Waiting for the services to end.', zh: '正在等待各服务退出。' }
    })
    await journal.write()
    if (force) await target.kill(handle)
    else await target.askToStop(handle)
    watched.watch.wake()
  }

  private async allowRestart(attempt: AttemptRecord): Promise<void> {
    // The practice stack mends its own storage; the rule below is the real one's.
    if (attempt.plan.practice || attempt.checkpointDir === null) return
    const verdict = await readMarker(this.options.target.files, attempt.checkpointDir)
    if (verdict.kind === 'refused') {
      fail({
        code: 'restart-refused',
        what: verdict.why,
        where: attempt.checkpointDir,
        remedy: verdict.remedy
      })
    }
    if (verdict.kind === 'doubtful') {
      await this.tell(attempt.number, { kind: 'restart-doubtful', text: verdict.why })
    }
  }

  private async tell(
    attempt: number,
    event: { kind: string; text: Text; step?: number; data?: Record<string, unknown> }
  ): Promise<void> {
    await this.options.store.appendEvent(this.options.run, { attempt, ...event })
  }

  private async tellAway(record: RunRecord, attempt: AttemptRecord): Promise<void> {
    const { clock } = this.options
    const away = duration(Math.max(0, clock.now() - record.seen.at))
    await this.tell(attempt.number, {
      kind: 'adopted',
      text: {
        en: `Found the running stack again; nobody watched for ${away.en}. Reading on from where it stopped.`,
        zh: `重新找到正在运行的训练栈；此前有 ${away.zh} 无人查看。将从上次停下的地方继续读取。`
      },
      data: { since: record.seen.at, step: record.seen.step, served: record.seen.served }
    })
  }

  /** An engine may have died between starting the stack and writing down what it started. */
  private async findHandle(attempt: AttemptRecord): Promise<StackHandle | null> {
    const { target, store, run } = this.options
    const own = await target.findOwn(store.installation)
    const found = own.find((one) => one.runId === run && one.attempt === attempt.number)
    if (found !== undefined) return found.handle
    const folder = store.paths(run).attempt(attempt.number)
    const exitFile = join(folder, 'exit.json')
    if (attempt.plan.image !== null || (await target.files.stat(exitFile)) === null) return null
    // It ran and has ended: the record of its end names it well enough to be read.
    return {
      kind: 'process',
      pid: 0,
      startTime: '',
      exitFile,
      stdout: join(folder, 'stdout.log'),
      stderr: join(folder, 'stderr.log')
    }
  }

  /** Nothing of this attempt runs: an engine died before it started it, at one of several moments. */
  private async withoutHandle(attempt: AttemptRecord): Promise<void> {
    const journal = await AttemptJournal.open(this.options.store, this.options.run, attempt.number)
    const { kind } = attempt.state
    if (kind === 'stopping') await this.endUnstarted(journal)
    else if (kind === 'planned' || kind === 'preparing') await this.bringUp(journal)
    else await this.neverStarted(journal)
  }

  private async neverStarted(journal: AttemptJournal): Promise<void> {
    const { clock } = this.options
    journal.change({ endedAt: clock.now() })
    await journal.apply({
      kind: 'refused',
      at: clock.now(),
      cause: {
        en: 'Slipway ended before the stack was started.',
        zh: '训练栈尚未启动，Slipway 就已退出。'
      },
      evidence: [],
      remedy: { en: 'Start it again.', zh: '请重新启动。' }
    })
    await journal.write()
  }

  /** Makes the record of a new attempt, starts the stack and watches it. */
  private async begin(next: Begin, before: Plan): Promise<void> {
    const { store, run, clock, readRecipe } = this.options
    const paths = store.paths(run)
    const { attempt, letGo } = await nextAttempt(await store.read(run), next, before, {
      paths,
      now: clock.now(),
      readRecipe,
      reserved: () => reservedPorts(store, run)
    })
    try {
      await store.update(run, (now) => ({
        ...now,
        next: null,
        attempts: [...now.attempts, attempt],
        seen: { ...now.seen, services: [], at: clock.now() }
      }))
    } finally {
      await letGo()
    }
    const journal = await AttemptJournal.open(store, run, attempt.number)
    await journal.tell({
      kind: 'attempt-started',
      text: {
        en: `Attempt ${attempt.number} is starting.`,
        zh: `第 ${attempt.number} 次尝试正在启动。`
      },
      data: { reason: next.reason, command: attempt.command }
    })
    await this.bringUp(journal)
  }

  /** Starts an attempt, after its image where that must be made first: then this returns while it is being made. */
  private async bringUp(journal: AttemptJournal): Promise<void> {
    const { images } = this.options.target
    const { plan } = journal.attempt
    if (plan.image === null || !plan.practice || images === null) {
      await this.startStack(journal)
      return
    }
    let reference: string
    let there: boolean
    try {
      reference = await images.practiceReference()
      there = (await images.find(reference)) !== null
    } catch (cause) {
      // Taken up again and the engine is away: the next look for unfinished runs tries again.
      if (journal.state.kind === 'preparing' && cause instanceof UnreachableError) throw cause
      await this.couldNotStart(journal, cause)
      throw cause
    }
    journal.change(withImage(journal.attempt, reference))
    if (there) await this.startStack(journal)
    else await this.prepare(journal, images, reference)
  }

  private async prepare(journal: AttemptJournal, images: ImageStore, image: string): Promise<void> {
    const { clock, onTrouble } = this.options
    await journal.apply({ kind: 'preparing', at: clock.now(), image })
    await journal.write()
    const preparation = new ImagePreparation(journal, images, clock)
    this.preparation = preparation
    this.prepared = preparation
      .run()
      .then((how) => this.inTurn(() => this.afterPreparing(journal, how)))
      .catch(onTrouble)
  }

  private async afterPreparing(journal: AttemptJournal, how: Prepared): Promise<void> {
    this.preparation = null
    // Let go while preparing: whoever watches next begins the preparation again.
    if (this.aborter.signal.aborted) return
    if (journal.state.kind === 'stopping') await this.endUnstarted(journal)
    else if (how.kind === 'ready') await this.startStack(journal)
    else {
      const cause = how.kind === 'failed' ? how.cause : new Error('the preparation was cancelled')
      await this.couldNotStart(journal, cause)
    }
    if (isFinal(journal.state)) this.afterEnd().catch(this.options.onTrouble)
  }

  private async stopPreparing({ journal }: ImagePreparation): Promise<void> {
    const at = this.options.clock.now()
    journal.change({ stopAsked: { at, deadline: at, force: false } })
    await journal.tell({
      kind: 'stop-asked',
      text: {
        en: 'Stopped while its image was being made.',
        zh: '在构建镜像期间被停止。'
      },
      data: { who: userInfo().username }
    })
    await journal.apply({
      kind: 'stop-asked',
      at,
      deadline: at,
      awaiting: { en: 'Waiting for the image build to end.', zh: '正在等待镜像构建结束。' }
    })
    await journal.write()
    this.preparation?.cancel()
  }

  /** The end of an attempt that was stopped before anything was started. */
  private async endUnstarted(journal: AttemptJournal): Promise<void> {
    const at = this.options.clock.now()
    const cause = { en: 'Stopped before the stack was started.', zh: '在训练栈启动之前已停止。' }
    journal.change({ endedAt: at })
    await journal.apply({
      ...{ kind: 'exited', at, exit: { kind: 'unknown' } },
      ...{ cause, evidence: [], remedy: null }
    })
    await journal.write()
  }

  private async startStack(journal: AttemptJournal): Promise<void> {
    const { store, run, clock, secret, target } = this.options
    const { plan, number } = journal.attempt
    const service = plan.services[0]?.name ?? 'reef'
    await journal.apply({ kind: 'starting', at: clock.now(), service })
    let handle: StackHandle
    try {
      const image = plan.image === null ? null : await imageFacts(target, plan.image)
      if (image !== null) journal.change({ image })
      await journal.write()
      handle = await target.start(await startSpec(run, journal.attempt, store.paths(run), secret))
    } catch (cause) {
      await this.couldNotStart(journal, cause)
      throw cause
    }
    journal.change({ handle })
    await journal.write()
    await this.watch(number, handle)
  }

  private async couldNotStart(journal: AttemptJournal, cause: unknown): Promise<void> {
    const { clock } = this.options
    const failure = cause instanceof FailureError ? cause.failure : null
    const said = messageOf(cause)
    journal.change({ endedAt: clock.now() })
    await journal.apply({
      kind: 'refused',
      at: clock.now(),
      cause: failure?.what ?? { en: said, zh: said },
      evidence: failure?.detail === undefined ? [] : [failure.detail],
      remedy: failure?.remedy ?? null
    })
    await journal.write()
  }

  private async watch(number: number, handle: StackHandle): Promise<void> {
    const { store, run, clock, target, quietAfterMs } = this.options
    const journal = await AttemptJournal.open(store, run, number)
    if (journal.attempt.handle === null) journal.change({ handle })
    await findAddress(journal, target)
    const record = await store.read(run)
    const recipe = await this.options.readRecipe(journal.attempt.plan.overrides)
    const token = await this.tokenOf(recipe)
    const secrets = token === null ? [] : [token]
    for (const { name, value } of journal.attempt.plan.environment) {
      const known = value === null ? await this.options.secret(name) : null
      if (known !== null) secrets.push(known)
    }
    const companions = new Companions({
      journal,
      companions: journal.attempt.plan.companions,
      here: this.options.here,
      installation: store.installation,
      secret: this.options.secret,
      token,
      clock
    })
    secrets.push(...(await companions.secrets()))
    const redact = redactor(secrets)
    const metrics = await openMetricStore(store.paths(run).metrics)
    const watch = new AttemptWatch({
      journal,
      handle,
      target,
      clock,
      metrics,
      ingest: new Ingest({ store: metrics, redact, clock }),
      redact,
      address: journal.attempt.address ?? '',
      companions,
      token,
      releases: await store.releases(run),
      attempts: record.attempts,
      quietAfterMs,
      onTrouble: this.options.onTrouble,
      signal: this.aborter.signal
    })
    const ended = this.toTheEnd(watch, metrics).catch(this.options.onTrouble)
    this.watched = { watch, metrics, ended }
  }

  private async toTheEnd(watch: AttemptWatch, metrics: MetricStore): Promise<void> {
    try {
      await watch.run()
    } finally {
      await metrics.close()
    }
    if (this.watched?.watch === watch) this.watched = null
    // Nobody waits for the attempt that follows; a failed start stands in its own record.
    if (!this.aborter.signal.aborted) this.afterEnd().catch(this.options.onTrouble)
  }

  private afterEnd(): Promise<void> {
    return this.inTurn(async () => {
      const record = await this.options.store.read(this.options.run)
      const last = record.attempts.at(-1)
      if (record.next === null || last === undefined || !isFinal(last.state)) return
      await this.begin(record.next, last.plan)
    })
  }

  private async tokenOf(recipe: RecipeForPlan): Promise<string | null> {
    switch (recipe.token.kind) {
      case 'none':
        return null
      case 'literal':
        return recipe.token.value
      case 'environment':
        return (await this.options.secret(recipe.token.name)) || null
    }
  }
}

/** Nothing was done: whoever asked may ask the next writer. */
export function notWriter(run: string): never {
  return fail({
    code: 'not-writer',
    what: { en: 'This engine does not write that run.', zh: '本引擎不是该运行的写入者。' },
    where: run,
    remedy: { en: 'Try again.', zh: '请重试。' }
  })
}

function rollbackText(operation: 'rollback' | 'promote', from: string | null, step: number): Text {
  const before = from ?? 'nothing'
  return operation === 'rollback'
    ? { en: `Went back from ${before} to r${step}.`, zh: `已从 ${from ?? '无'} 回退到 r${step}。` }
    : { en: `Promoted r${step}.`, zh: `已提升 r${step}。` }
}
