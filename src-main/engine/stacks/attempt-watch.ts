import type { Release } from '../../contract/releases'
import type { Exit } from '../../contract/run'
import type { Text } from '../../contract/text'
import { pause } from '../lib'
import { stepPace } from '../metrics'
import { type StackHandle, startedThisBoot } from '../targets'
import { findAddress } from './address'
import { tellAftermath } from './after-stop'
import type { AttemptJournal } from './attempt-journal'
import {
  dependsOnEngine,
  type EngineLost,
  engineLost,
  isTargetAway,
  targetAway
} from './engine-lost'
import { isFinal } from './attempt-state'
import { HealthWatch } from './health-watch'
import { LogWatch } from './log-watch'
import { DRIVER } from './nexrl-plan'
import { NexrlWatch } from './nexrl-watch'
import { stopCost } from './quiet'
import { ReefClient } from './reef-client'
import { readReward } from './reward'
import {
  awaitingText,
  containerRemoved,
  exitText,
  neverRan,
  pausedText,
  troubleText
} from './sentences'
import { ServiceWatch } from './service-watch'
import { StartWatch } from './start-watch'
import { toldStep } from './train-step'
import { batchHave } from './traffic-counter'
import { COPY_PATIENCE_MS, pace, PATIENCE, type WatchOptions } from './watch-options'

const REWARD_EVERY_MS = 3_000
/** After this the logs wait for the end of the look like everything else. */
const LONGEST_LOOK_MS = 60_000

/** Watches one attempt from its start, or from the moment it was found again, to its end. */
export class AttemptWatch {
  private waking = new AbortController()
  private troubled = 0
  private stopCopying: (() => Promise<void>) | null = null
  private rewardAt = Number.NEGATIVE_INFINITY
  /** Revision of the samples that the optimizer step was read from. */
  private stepOf = -1
  private tellCaughtUp: (why: Text | null) => void = () => undefined
  private behind = true
  /** Whether the logs had something new between two looks. */
  private moved = false
  /**
   * Resolves once everything that was there when the watch began is read and written down: null, or why that could
   * not be done. Never rejects.
   */
  readonly caughtUp = new Promise<Text | null>((resolve) => {
    this.tellCaughtUp = resolve
  })
  private readonly logs: LogWatch
  private readonly start: StartWatch
  private readonly serving: ServiceWatch
  private readonly health: HealthWatch
  /** In place of the two above where the stack is a NexRL driver. */
  private readonly driver: NexrlWatch | null
  /** The stack's service, for acts. */
  readonly service: ReefClient

  constructor(private readonly options: WatchOptions) {
    this.service = new ReefClient(options.address, options.token, options.signal)
    this.logs = new LogWatch(options)
    this.start = new StartWatch(options, this.service, this.logs)
    this.serving = new ServiceWatch(options, this.service)
    this.health = new HealthWatch(options)
    const { nexrl } = options.journal.attempt.plan
    this.driver = nexrl === undefined ? null : new NexrlWatch(options, nexrl)
  }

  get journal(): AttemptJournal {
    return this.options.journal
  }

  get handle(): StackHandle {
    return this.options.handle
  }

  /** What stopping now would cost; null when nothing. */
  get costOfStopping(): Text | null {
    return this.driver === null ? stopCost(this.serving.status) : this.driver.costOfStopping
  }

  get progress(): LogWatch['progress'] {
    return this.logs.progress
  }

  /** The chain of a scenario, asked for at this moment; null when the service does not answer. */
  chainNow(scenario: string): Promise<Release[] | null> {
    return this.serving.chainNow(scenario)
  }

  /** Looks again at once. */
  wake(): void {
    this.waking.abort()
  }

  /** Resolves when the attempt has ended, or when the signal aborts. */
  async run(): Promise<void> {
    const { journal, signal, target, handle } = this.options
    const wake = (): void => {
      this.wake()
    }
    const stopWaiting = target.onExit(handle, wake)
    this.stopCopying = await this.logs.begin()
    signal.addEventListener('abort', wake)
    try {
      while (!signal.aborted && !isFinal(journal.state)) {
        await this.lookOnce()
        if (!isFinal(journal.state)) await this.rest()
      }
    } finally {
      stopWaiting()
      this.logs.unfollow()
      signal.removeEventListener('abort', wake)
      await this.endCopying()
      await journal.write()
      this.tellCaughtUp(null)
    }
  }

  /** Whether somebody still waits until everything that was there has been read. */
  private get waitedFor(): boolean {
    return this.options.hurry && this.behind
  }

  private async judgeCaughtUp(): Promise<void> {
    const { journal } = this.options
    if (!this.behind) return
    const { state } = journal
    const why = state.kind === 'unreachable' ? state.why : null
    if (why === null && (this.logs.behind || this.unread())) return
    await journal.write()
    this.behind = false
    this.tellCaughtUp(why)
  }

  /** Whether the service, where it is up, has more to tell than was read. */
  private unread(): boolean {
    const { state, attempt } = this.options.journal
    if (this.driver !== null) return this.driver.behind
    if (isFinal(state) || state.kind === 'stopping' || !attempt.reached) return false
    return this.serving.unanswered > 0 || !this.serving.looked || this.serving.behind
  }

  /** Waits for the last byte of output that only the target held. */
  private async endCopying(): Promise<void> {
    const stop = this.stopCopying
    this.stopCopying = null
    await stop?.()
  }

  /** One look. What goes wrong in it is our trouble, not the stack's: it is said, and the next look tries again. */
  private async lookOnce(): Promise<void> {
    const { clock, journal, onTrouble } = this.options
    try {
      await this.look()
      if (this.troubled > 0) journal.see({ trouble: null })
      await this.judgeCaughtUp()
      await journal.flush(clock.ticks())
      this.troubled = 0
    } catch (cause) {
      this.troubled += 1
      onTrouble(cause)
      const trouble = troubleText(cause)
      journal.see({ trouble })
      this.behind = false
      this.tellCaughtUp(trouble)
    }
  }

  private async rest(): Promise<void> {
    const { clock, signal } = this.options
    if (signal.aborted) return
    const interval = this.interval()
    if (interval > 0 && this.options.attended())
      await this.readOn(clock.ticks() + interval, this.waking.signal)
    else {
      this.logs.unfollow()
      await pause(clock, interval, this.waking.signal)
    }
    if (this.waking.signal.aborted) this.waking = new AbortController()
  }

  /** Asks the service, which may take its time: where somebody looks at the curves, the logs are read on meanwhile. */
  private async meanwhile(asking: Promise<void>): Promise<void> {
    const { clock, attended } = this.options
    const answered = new AbortController()
    const reading = attended()
      ? this.readOn(clock.ticks() + LONGEST_LOOK_MS, answered.signal)
      : Promise.resolve()
    try {
      await asking
    } finally {
      answered.abort()
      await reading
    }
  }

  /** Somebody looks at the curves: between two readings of all the logs they are read as they grow. */
  private async readOn(until: number, signal: AbortSignal): Promise<void> {
    const { clock, journal } = this.options
    while (!signal.aborted && clock.ticks() < until) {
      if (!(await this.logs.grown(until - clock.ticks(), signal))) continue
      try {
        this.moved = (await this.logs.read()) || this.moved
      } catch {
        // The next look reads them again, and says what keeps it from doing so.
        return
      }
      journal.store.samples.mark()
      await pause(clock, Math.min(pace.followed, Math.max(0, until - clock.ticks())), signal)
    }
  }

  private interval(): number {
    if (this.troubled > 0) return Math.min(pace.trouble * this.troubled, pace.backOffMax)
    if (this.logs.behind) return 0
    if (this.waitedFor && this.serving.unanswered === 0)
      return this.serving.looked && this.serving.behind ? 0 : pace.hurry
    const { state } = this.options.journal
    switch (state.kind) {
      case 'planned':
      case 'checking':
      case 'preparing':
      case 'starting':
        return pace.starting
      case 'stopping':
        return pace.stopping
      case 'unreachable': {
        const further = Math.max(0, this.serving.unanswered - PATIENCE)
        return Math.min(pace.active * 2 ** further, pace.backOffMax)
      }
      case 'quiet':
        return pace.idle
      case 'serving':
      case 'training':
      case 'stopped':
      case 'failed':
        return pace.active
    }
  }

  private async look(): Promise<void> {
    const { target, handle, journal, clock } = this.options
    const seen = await target.look(handle)
    switch (seen.kind) {
      case 'running':
        if (seen.paused === true && journal.state.kind !== 'stopping')
          await journal.apply({ kind: 'lost', at: clock.now(), what: 'stack', why: pausedText })
        else await this.whileRunning()
        return
      case 'exited':
        await this.finish(seen.exit, seen.at ?? clock.now())
        return
      case 'gone':
        await this.finish((await journal.toldExit()) ?? { kind: 'unknown' }, clock.now())
        return
      case 'unreachable':
        this.serving.unanswered += 1
        await journal.apply({
          kind: 'lost',
          at: clock.now(),
          what: 'target',
          why: targetAway(seen.why)
        })
        return
    }
  }

  private async whileRunning(): Promise<void> {
    const { journal, target, companions } = this.options
    if (journal.state.kind === 'unreachable') {
      await findAddress(journal, target)
      this.service.address = journal.attempt.address ?? this.service.address
    }
    const moved = (await this.logs.read()) || this.moved
    this.moved = false
    if (journal.state.kind === 'stopping') {
      await this.whileStopping()
      await companions.look('stopping')
    } else if (this.driver !== null) {
      await this.lookAtDriver(this.driver)
    } else if (journal.attempt.reached) {
      const logs = { moved, whole: !this.logs.behind }
      await this.meanwhile(this.serving.look(logs, this.logs.placement, this.waitedFor))
      await companions.look('serving')
    } else {
      const ready = await this.start.look()
      if (ready !== null) this.serving.begin(ready)
      await companions.look('starting')
    }
    await this.refreshSeen()
  }

  private async lookAtDriver(driver: NexrlWatch): Promise<void> {
    const { journal, companions } = this.options
    await driver.look()
    const { reached, plan } = journal.attempt
    // An idle pod never begins by itself.
    if (!reached && plan.nexrl?.runNexrl === true) await this.start.judgeDeadline(DRIVER)
    await companions.look(reached ? 'serving' : 'starting')
  }

  private async refreshSeen(): Promise<void> {
    const { journal, clock, metrics } = this.options
    journal.see({ at: clock.now(), lastSampleAt: metrics.lastSampleAt })
    if (this.stepOf !== metrics.revision) {
      this.stepOf = metrics.revision
      journal.see({ trained: toldStep(metrics.series(), this.options.attempts) })
    }
    if (this.driver === null) this.refreshStages()
    if (clock.ticks() - this.rewardAt < REWARD_EVERY_MS) return
    this.rewardAt = clock.ticks()
    const reward = await readReward(metrics)
    if (reward !== null) journal.see({ reward })
    await this.health.look()
  }

  private refreshStages(): void {
    const { journal } = this.options
    const { traffic, plan } = journal.attempt
    const { status } = this.serving
    journal.see({
      stages: {
        ...journal.seen.stages,
        served: traffic.served,
        reported: traffic.reported,
        batchHave: status === null ? null : batchHave(status, journal.seen.scenarios[0]),
        batchNeed: plan.batch
      }
    })
  }

  /** What the engine's view of the container says of its end, where that says more than the exit. */
  private async containerEnd(exit: Exit, logSaysWhy: boolean): Promise<EngineLost | null> {
    const { target, handle, journal, metrics } = this.options
    if (handle.kind !== 'container') return null
    const seen = await target.look(handle)
    const there = seen.kind !== 'gone'
    // Made and never started: whoever made it died in between.
    if (there && exit.kind === 'unknown') return neverRan
    if (there) {
      const serves = this.driver === null
      const asked = dependsOnEngine({ exit, serves })
      return engineLost({
        exit,
        serves,
        logSaysWhy,
        at: seen.kind === 'exited' ? seen.at : null,
        engineSince: asked ? ((await target.engineSince?.()) ?? null) : null,
        targetAway: isTargetAway(journal.state),
        done: asked && (await stepPace(metrics, journal.attempt.plan.lastStep ?? null)).left === 0
      })
    }
    // Ours is removed only after its end is written down.
    const ours = exit.kind !== 'unknown' && (await journal.toldExit()) !== null
    return ours ? null : containerRemoved
  }

  private async whileStopping(): Promise<void> {
    const { journal, clock, target, handle } = this.options
    if (journal.state.kind !== 'stopping') return
    const past = clock.now() > journal.state.deadline
    await journal.apply({
      kind: 'awaiting',
      at: clock.now(),
      awaiting: awaitingText(past, this.costOfStopping)
    })
    const { stopAsked } = journal.attempt
    if (stopAsked === null) return
    const { owed, ...asked } = stopAsked
    if (asked.force) await target.kill(handle)
    else if (owed === true) await target.askToStop(handle)
    else return
    // Asked once is asked: a second signal would mean force.
    if (owed === true) journal.change({ stopAsked: asked })
  }

  /**
   * The end. Everything still unread is read before the end is written down, so that a crash in between
   * only makes the next engine read on.
   */
  private async finish(exit: Exit, at: number): Promise<void> {
    const { journal, target, handle } = this.options
    const stayedUp =
      handle.kind === 'container' ||
      (handle.kind === 'process' && startedThisBoot(handle.startTime))
    // Removing the container would take what is not copied yet; an engine that is away is looked at again.
    if (!(await this.logs.copied(COPY_PATIENCE_MS))) return
    await this.endCopying()
    await this.options.companions.end()
    await this.logs.sweep()
    await this.serving.sweep()
    const found = await this.logs.diagnosis(exit, stayedUp)
    const told = {
      ...found,
      ending: undefined,
      ...(await this.containerEnd(exit, found.id !== exit.kind))
    }
    const { cause, evidence, remedy, ending } = (await this.driver?.end(exit, told)) ?? told
    await this.refreshSeen()
    // The last number stays on the record.
    const reward = await readReward(this.options.metrics)
    if (reward !== null) journal.see({ reward })
    await journal.tell(
      { kind: 'exited', text: exitText(exit), data: { exit } },
      `exited ${journal.attempt.number}`
    )
    await target.remove(handle)
    await tellAftermath(this.options)
    journal.change({ endedAt: at })
    journal.see({
      services: journal.seen.services.map((one) => ({ ...one, state: 'exited', url: null })),
      // What kept us from reading has gone, or we would not be here.
      trouble: null
    })
    await journal.apply({
      kind: 'exited',
      at,
      exit,
      stayedUp,
      cause,
      evidence,
      remedy,
      ...(ending === undefined ? {} : { ending })
    })
    await journal.write()
  }
}
