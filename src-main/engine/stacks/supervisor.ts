import { userInfo } from 'node:os'
import type { Plan } from '../../contract/launch'
import type { Progress } from '../../contract/logs'
import type { Text } from '../../contract/text'
import { fail } from '../lib'
import type { Act, AttemptRecord, FromIteration, NextAttempt } from '../runs'
import type { StackHandle } from '../targets'
import { awaitingCommit, copyFailed, redeployText, takenUp, undoText } from './act-sentences'
import { AttemptJournal, type EventText } from './attempt-journal'
import { type Begin, newestOn, nextAttempt } from './attempt-start'
import { isFinal } from './attempt-state'
import { layIteration } from './iteration-start'
import { findHandle, neverBegan, type Watching, watchingOf } from './attempt-watching'
import { BringUp } from './bring-up'
import { freeMoment } from './free-moment'
import { reservedPorts } from './reserved-ports'
import { chainOf } from './served'
import {
  allowRestart,
  askToStop,
  foundAgain,
  type Moving,
  refuseOvertaken,
  republish,
  type Republish
} from './stack-acts'
import { recallStop } from './straight-stop'
import { notLaunched, notWriter, type SupervisorOptions } from './supervisor-options'
import { carriedStep } from './train-step'

interface Watched extends Watching {
  ended: Promise<void>
}

/**
 * Starts, watches, stops and starts again the stack of one run. The holder of the run's lock makes one and is the
 * only writer while it lives; disposing of it leaves the stack running.
 */
export class Supervisor {
  private watched: Watched | null = null
  private readonly aborter = new AbortController()
  private readonly bringUp: BringUp
  /** Acts on one run follow one another. */
  private acts: Promise<unknown> = Promise.resolve()

  constructor(private readonly options: SupervisorOptions) {
    this.bringUp = new BringUp({
      options,
      signal: this.aborter.signal,
      inTurn: (act) => this.inTurn(act),
      started: (attempt, handle) => this.watch(attempt, handle, false),
      ended: () => {
        this.afterEnd().catch(options.onTrouble)
      }
    })
  }

  /** What stopping at this moment would cost; null when nothing. */
  get costOfStopping(): Text | null {
    return this.watched?.watch.costOfStopping ?? null
  }

  /** Progress bars the stack is drawing now. */
  get progress(): readonly Progress[] {
    return this.watched?.watch.progress ?? this.bringUp.progress
  }

  /** What keeps us from looking, though it may not be possible to write it down; null when nothing does. */
  get trouble(): Text | null {
    return this.watched?.watch.journal.seen.trouble ?? null
  }

  /** Resolves once all that was there has been read: null, or why it could not be. Never rejects. */
  get caughtUp(): Promise<Text | null> {
    return this.watched?.watch.caughtUp ?? Promise.resolve(null)
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

  /**
   * Finds what an earlier engine started, or how it ended, and goes on from there. Does nothing where that was done
   * already. `passing`: only to look, on behalf of a command that soon ends: nothing new is begun, and no word is made
   * of it.
   */
  adopt(how: 'staying' | 'passing' = 'staying'): Promise<void> {
    return this.inTurn(async () => {
      if (this.watched !== null || this.bringUp.preparing) return
      const record = await this.options.store.read(this.options.run)
      const attempt = record.attempts.at(-1)
      if (attempt === undefined) return
      if (how === 'passing' && beginsSomething(attempt)) return
      if (isFinal(attempt.state)) {
        if (record.next !== null) {
          await this.tell(attempt.number, takenUp(record.next))
          await this.begin(record.next, attempt.plan)
        }
        return
      }
      const handle = await findHandle(this.options, attempt)
      const staying = how === 'staying'
      if (handle === null || (await neverBegan(this.options, attempt, handle))) {
        // A container that was never started is started anew, which is not for one who only looks.
        if (!staying && attempt.plan.image !== null) return
        if (handle !== null) await this.options.target.remove(handle)
        await this.withoutHandle(attempt)
        return
      }
      if (staying) await this.tell(attempt.number, foundAgain(record, this.options.clock.now()))
      await this.watch(attempt.number, handle, true)
      if (staying && record.next !== null && attempt.stopAsked === null)
        this.stopWhenFree(attempt.number)
    })
  }

  /** Asks the stack to end; with force, kills it. Returns when it was asked. */
  stop(force: boolean): Promise<void> {
    return this.inTurn(async () => {
      await this.lastAttempt()
      const record = await this.options.store.read(this.options.run)
      if (record.next !== null) await this.follow(null)
      await this.askToStop(force)
    })
  }

  /** A new attempt on the same storage, after the present one has ended. */
  restart(): Promise<void> {
    return this.inTurn(async () => {
      const attempt = await this.lastAttempt()
      await this.mayRestart(attempt)
      const next: NextAttempt = {
        reason: 'restart',
        overrides: [],
        redeployedFrom: null
      }
      await this.replace(next, attempt)
    })
  }

  /** A new attempt on new, empty storage that starts from a saved checkpoint. The old storage is not touched. */
  redeployFrom(request: Extract<Act, { kind: 'redeploy' }>): Promise<void> {
    return this.inTurn(async () => {
      const { checkpoint, step, overrides, iteration, why } = request
      await this.refuseOvertaken(request)
      const attempt = await this.lastAttempt()
      const { served } = (await this.options.store.read(this.options.run)).seen
      const model = { path: 'inference.model-path', value: checkpoint }
      await this.tell(attempt.number, {
        kind: 'redeploy',
        text: redeployText(step, checkpoint, iteration?.rollout ?? null),
        step,
        data: {
          who: userInfo().username,
          why,
          from: served,
          to: `r${step}`,
          checkpoint,
          ...(iteration === undefined
            ? {}
            : { iteration: iteration.rollout, copyOf: iteration.root })
        }
      })
      await this.replace(
        {
          reason: 'redeploy',
          overrides: [...overrides.filter((one) => one.path !== model.path), model],
          redeployedFrom: step,
          ...(iteration === undefined ? {} : { iteration })
        },
        attempt,
        'when-free'
      )
    })
  }

  /** Starts storage of before again as it is, after the present attempt has ended: what takes a redeploy back. */
  reopen(request: Extract<Act, { kind: 'reopen' }>): Promise<void> {
    return this.inTurn(async () => {
      const { storage, from, to, why } = request
      await this.refuseOvertaken(request)
      const attempt = await this.lastAttempt()
      const { attempts } = await this.options.store.read(this.options.run)
      const there = attempt.storage === storage && !isFinal(attempt.state)
      const calledOff = there && attempt.stopAsked === null
      // What still runs in these folders ends by itself; only what was left there may be in doubt.
      if (!there) await this.mayRestart(newestOn(attempts, storage) ?? attempt)
      await this.tell(attempt.number, {
        kind: 'undo',
        text: undoText(storage, calledOff ? 'called-off' : 'reopen'),
        data: { who: userInfo().username, why, from, to, storage }
      })
      if (calledOff) {
        await this.follow(null)
        return
      }
      const next: NextAttempt = { reason: 'undo', overrides: [], redeployedFrom: null, storage }
      await this.replace(next, attempt, 'when-free')
    })
  }

  /** Serves a kept release through the service's API. Resolves with the new head's release id. */
  rollbackApi(request: Republish): Promise<string> {
    return this.inTurn(async () => {
      const attempt = await this.lastAttempt()
      const watch = this.watched?.watch ?? null
      const { releaseId, event } = await republish(this.options, watch, request)
      await this.tell(attempt.number, event)
      watch?.wake()
      return releaseId
    })
  }

  private async refuseOvertaken(act: Moving): Promise<void> {
    const { store } = this.options
    const record = await store.read(act.run)
    const rows = await store.releases(act.run)
    refuseOvertaken(act, chainOf(rows, act.scenario, record.attempts), record)
  }

  /** Stops watching and gives the lock back. The stack goes on. */
  async dispose(): Promise<void> {
    this.aborter.abort()
    await this.bringUp.dispose()
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
    if (record.imported !== undefined) return notLaunched(this.options.run)
    return fail({
      code: 'never-started',
      what: { en: 'This run was never started.', zh: '该运行从未启动过。' },
      where: this.options.run,
      remedy: { en: 'Launch its recipe again.', zh: '请重新启动其配方。' }
    })
  }

  private async follow(next: NextAttempt | null): Promise<void> {
    await this.options.store.update(this.options.run, (record) => ({ ...record, next }))
  }

  /** Ends the present attempt and lets `next` follow: now when it has ended, else when it does. */
  private async replace(
    next: NextAttempt,
    attempt: AttemptRecord,
    stop: 'now' | 'when-free' = 'now'
  ): Promise<void> {
    await this.follow(next)
    if (isFinal(attempt.state)) await this.begin(next, attempt.plan)
    else if (stop === 'now' || this.watched === null) await this.askToStop(false)
    else this.stopWhenFree(attempt.number)
  }

  /** Asks the stack to end once no training job is out. Nobody waits here: what fails is told as trouble. */
  private stopWhenFree(number: number): void {
    const { clock, onTrouble } = this.options
    const { signal } = this.aborter
    const service = this.watched?.watch.service
    if (service === undefined) return
    const wait = async (): Promise<void> => {
      const free = await freeMoment(service, clock, signal, () =>
        this.tell(number, { kind: 'awaiting-commit', text: awaitingCommit })
      )
      if (!free) return
      await this.inTurn(async () => {
        const { next, attempts } = await this.options.store.read(this.options.run)
        // Called off, or begun already, while this waited.
        if (next !== null && attempts.at(-1)?.number === number) await this.askToStop(false)
      })
    }
    wait().catch((cause: unknown) => {
      if (!signal.aborted) onTrouble(cause)
    })
  }

  private async askToStop(force: boolean): Promise<void> {
    if (this.bringUp.preparing) await this.bringUp.stop()
    else if (this.watched !== null && !isFinal((await this.lastAttempt()).state))
      await askToStop(this.options, this.watched.watch, force)
  }

  private async mayRestart(attempt: AttemptRecord): Promise<void> {
    const doubt = await allowRestart(this.options, attempt)
    if (doubt !== null) await this.tell(attempt.number, doubt)
  }

  private async tell(attempt: number, { data, ...event }: EventText): Promise<void> {
    const { store, run, redact } = this.options
    const why = data?.['why']
    const kept = typeof why === 'string' ? { ...data, why: redact(why) } : data
    await store.appendEvent(run, {
      attempt,
      ...event,
      ...(kept === undefined ? {} : { data: kept })
    })
  }

  /** Nothing of this attempt runs: an engine died before it started it, at one of several moments. */
  private async withoutHandle(attempt: AttemptRecord): Promise<void> {
    const journal = await AttemptJournal.open(this.options.store, this.options.run, attempt.number)
    const { kind } = attempt.state
    // An engine that has no container of this attempt, and no word of an end, never ran it.
    const unrun = attempt.plan.image !== null && (await journal.toldExit()) === null
    if (kind === 'stopping') await this.bringUp.endUnstarted(journal)
    else if (kind === 'planned' || kind === 'preparing' || (kind === 'starting' && unrun))
      await this.bringUp.begin(journal)
    else await this.bringUp.neverStarted(journal)
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
      if (next.iteration !== undefined) await this.layCopy(next.iteration, attempt)
      await store.update(run, (now) => ({
        ...now,
        next: null,
        attempts: [...now.attempts, attempt],
        seen: { ...now.seen, trained: carriedStep(now, attempt), services: [], at: clock.now() }
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
    await this.bringUp.begin(journal)
  }

  /** The root an attempt starts on, as a copy; without it nothing follows, and the run stays as it ended. */
  private async layCopy(
    from: FromIteration,
    { number, checkpointDir }: AttemptRecord
  ): Promise<void> {
    try {
      await layIteration(from, checkpointDir, this.aborter.signal)
    } catch (cause) {
      // Cut off with the engine: the next one makes it anew.
      if (this.aborter.signal.aborted) throw cause
      await this.follow(null)
      await this.tell(number - 1, copyFailed(cause))
      throw cause
    }
  }

  private async watch(number: number, handle: StackHandle, hurry: boolean): Promise<void> {
    const { signal } = this.aborter
    const watching = await watchingOf(this.options, number, handle, { signal, hurry })
    await recallStop(watching.watch.journal, this.options.graceSeconds)
    const ended = this.toTheEnd(watching).catch(this.options.onTrouble)
    this.watched = { ...watching, ended }
  }

  private async toTheEnd({ watch, metrics }: Watching): Promise<void> {
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
}

/** Whether taking this attempt up would start something rather than find it. */
function beginsSomething({ state, handle }: AttemptRecord): boolean {
  if (isFinal(state)) return true
  return handle === null && (state.kind === 'planned' || state.kind === 'preparing')
}
