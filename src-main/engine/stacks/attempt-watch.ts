import { join } from 'node:path'
import type { Exit } from '../../contract/run'
import { type Clock, FailureError, messageOf, pause, type Redactor } from '../lib'
import type { Ingest, MetricStore, StackEvent } from '../metrics'
import type { ReleaseRow } from '../runs'
import type { OutputGap, StackHandle, Target } from '../targets'
import type { AttemptJournal } from './attempt-journal'
import { isFinal } from './attempt-state'
import { findLogSources, logTails } from './log-sources'
import { ObservedTime } from './observed-time'
import { stopCost, whyQuiet } from './quiet'
import { lookAtGates } from './readiness'
import { ReefClient, type ReefStatus } from './reef-client'
import { ReleaseReader } from './release-reader'
import { diagnose } from './signatures'
import { readReward } from './reward'
import { awaitingText, exitText, nowText } from './sentences'
import { type ChainAttempt, servedLabel } from './served'
import { batchHave, countTraffic } from './traffic-counter'
import type { Text } from '../../contract/text'

export interface WatchOptions {
  journal: AttemptJournal
  handle: StackHandle
  target: Target
  clock: Clock
  metrics: MetricStore
  ingest: Ingest
  redact: Redactor
  address: string
  token: string | null
  releases: readonly ReleaseRow[]
  /** All attempts of the run, this one included: the chain goes over all of them. */
  attempts: readonly ChainAttempt[]
  /** Milliseconds without any movement until the attempt is called quiet. */
  quietAfterMs: number
  /** Told when a look failed for a reason of our own: a full disk, a file that cannot be read. */
  onTrouble: (cause: unknown) => void
  signal: AbortSignal
}

/** Milliseconds between two looks. */
const pace = {
  starting: 250,
  active: 1_000,
  idle: 2_500,
  stopping: 300,
  backOffMax: 15_000,
  trouble: 2_000
}
/** A look that comes later than this was not late work: the machine slept or we were stopped. */
const LONGEST_GAP_MS = 20_000
/** Looks in a row without an answer until the service is called unreachable. */
const PATIENCE = 4
const SOURCES_EVERY_MS = 5_000
const MOST_OF_A_KIND = 20
const SCENARIOS_EVERY_MS = 10_000
const REWARD_EVERY_MS = 3_000
/** Most rounds of reading logs after the end; each reads up to the ingest's own limit. */
const SWEEP_ROUNDS = 10_000

/** Watches one attempt from its start, or from the moment it was found again, to its end. */
export class AttemptWatch {
  private status: ReefStatus | null = null
  private unanswered = 0
  private waking = new AbortController()
  private readonly client: ReefClient
  private readonly reader: ReleaseReader
  private readonly waited = new ObservedTime(LONGEST_GAP_MS)
  private readonly silence = new ObservedTime(LONGEST_GAP_MS)
  private readonly trafficSilence = new ObservedTime(LONGEST_GAP_MS)
  private awaited: string | null = null
  private revision = -1
  private sourcesAt = Number.NEGATIVE_INFINITY
  private scenariosAt = Number.NEGATIVE_INFINITY
  private rewardAt = Number.NEGATIVE_INFINITY
  private turn = 0
  private readonly toldKinds = new Map<string, number>()
  private placement: string | null = null
  private sources: Awaited<ReturnType<typeof findLogSources>> = []

  constructor(private readonly options: WatchOptions) {
    const { journal, clock } = options
    this.client = new ReefClient(options.address, options.token, options.signal)
    this.reader = new ReleaseReader({
      attempt: journal.attempt.number,
      storage: journal.attempt.storage,
      clock,
      known: options.releases,
      append: (rows) => journal.store.appendReleases(journal.run, rows)
    })
  }

  /** The service, for acts. */
  get service(): ReefClient {
    return this.client
  }

  get journal(): AttemptJournal {
    return this.options.journal
  }

  get handle(): StackHandle {
    return this.options.handle
  }

  /** What stopping now would cost; null when nothing. */
  get costOfStopping(): Text | null {
    return stopCost(this.status)
  }

  /** Looks again at once. */
  wake(): void {
    this.waking.abort()
  }

  /** Resolves when the attempt has ended, or when the signal aborts. */
  async run(): Promise<void> {
    const { clock, journal, signal, target, handle } = this.options
    const stopCopying = target.copyOutput(handle, {
      stdout: join(this.folder, 'stdout.log'),
      stderr: join(this.folder, 'stderr.log'),
      cursor: join(this.folder, 'output.cursor'),
      gap: (gap) => void this.tellGap(gap)
    })
    const stopWaiting = target.onExit(handle, () => {
      this.wake()
    })
    const abort = (): void => {
      this.wake()
    }
    signal.addEventListener('abort', abort)
    try {
      await this.tellEvents(await this.options.metrics.events())
      while (!signal.aborted && !isFinal(journal.state)) {
        await this.lookOnce()
        if (isFinal(journal.state)) break
        await this.rest()
      }
    } finally {
      stopWaiting()
      await stopCopying()
      signal.removeEventListener('abort', abort)
      await journal.write()
    }
  }

  /** One look. What goes wrong in it is our trouble, not the stack's: it is said, and the next look tries again. */
  private async lookOnce(): Promise<void> {
    const { clock, journal, onTrouble } = this.options
    try {
      await this.look()
      await journal.flush(clock.ticks())
    } catch (cause) {
      this.unanswered += 1
      onTrouble(cause)
      const said = messageOf(cause)
      journal.see({
        now: { en: `Slipway cannot keep up: ${said}`, zh: `Slipway 无法跟上：${said}` }
      })
      await pause(clock, pace.trouble, this.waking.signal)
    }
  }

  private get folder(): string {
    const { journal } = this.options
    return journal.store.paths(journal.run).attempt(journal.attempt.number)
  }

  private tellGap(gap: OutputGap): Promise<void> {
    return this.options.journal.tell(
      {
        kind: 'gap',
        text: {
          en: `The container engine dropped output before ${gap.before}; it exists nowhere any more.`,
          zh: `容器引擎丢弃了 ${gap.before} 之前的输出；该部分已不复存在。`
        },
        data: { after: gap.after, before: gap.before }
      },
      `gap ${gap.before}`
    )
  }

  private async rest(): Promise<void> {
    const { clock, signal } = this.options
    if (signal.aborted) return
    await pause(clock, this.interval(), this.waking.signal)
    if (this.waking.signal.aborted) this.waking = new AbortController()
  }

  private interval(): number {
    const { state } = this.options.journal
    switch (state.kind) {
      case 'planned':
      case 'checking':
      case 'preparing':
      case 'starting':
        return pace.starting
      case 'stopping':
        return pace.stopping
      case 'unreachable':
        return Math.min(pace.active * 2 ** Math.max(0, this.unanswered - PATIENCE), pace.backOffMax)
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
        await this.whileRunning()
        return
      case 'exited':
        await this.finish(seen.exit, seen.at ?? clock.now())
        return
      case 'gone':
        await this.finish({ kind: 'unknown' }, clock.now())
        return
      case 'unreachable':
        this.unanswered += 1
        await journal.apply({
          kind: 'lost',
          at: clock.now(),
          why: {
            en: `The target cannot be looked at: ${seen.why}`,
            zh: `无法查看目标：${seen.why}`
          }
        })
        return
    }
  }

  private async whileRunning(): Promise<void> {
    const { journal, clock } = this.options
    const moved = await this.readLogs()
    if (moved) this.silence.reset(clock.ticks())
    if (journal.state.kind === 'stopping') await this.whileStopping()
    else if (journal.attempt.reached) await this.whileServing(moved)
    else await this.whileStarting()
    await this.refreshSeen()
  }

  private async readLogs(): Promise<boolean> {
    const { clock, ingest, journal, target, handle } = this.options
    const ticks = clock.ticks()
    const due = journal.attempt.reached ? SOURCES_EVERY_MS : pace.starting
    if (ticks - this.sourcesAt >= due) {
      this.sourcesAt = ticks
      this.sources = await findLogSources({
        files: target.files,
        runDir: journal.attempt.runDir,
        handle,
        attempt: journal.attempt.number,
        attemptFolder: this.folder,
        clock
      })
      ingest.setSources(this.sources)
    }
    const report = await ingest.poll()
    await this.tellEvents(report.events)
    const moved = report.revision !== this.revision
    const first = this.revision === -1
    this.revision = report.revision
    if (report.behind > 0) this.wake()
    return moved && !first
  }

  /** Warnings and errors of the log become events of the run, each once, and no kind floods it. */
  private async tellEvents(events: readonly StackEvent[]): Promise<void> {
    for (const event of events) {
      if (event.attempt !== this.options.journal.attempt.number) continue
      if (event.kind === 'placement-waiting') this.placement = event.line
      if (event.severity === 'info') continue
      const told = (this.toldKinds.get(event.kind) ?? 0) + 1
      this.toldKinds.set(event.kind, told)
      if (told > MOST_OF_A_KIND) continue
      await this.options.journal.tell(
        {
          kind: event.kind,
          text: { en: event.line, zh: event.line },
          ...(event.step === undefined ? {} : { step: event.step }),
          data: { source: event.source, offset: event.offset, severity: event.severity }
        },
        `line ${event.seq}`
      )
    }
  }

  private async whileStarting(): Promise<void> {
    const { journal, clock, target } = this.options
    const { attempt, seen } = journal
    const gates = await lookAtGates({
      planned: attempt.plan.services,
      files: target.files,
      runDir: attempt.runDir,
      client: this.client,
      now: clock.now(),
      before: seen.services
    })
    journal.see({ services: gates.services })
    for (const service of gates.services.filter((one) => one.state === 'ready')) {
      await journal.tell(
        {
          kind: 'service-ready',
          text: { en: `${service.name} is ready.`, zh: `${service.name} 已就绪。` }
        },
        `ready ${attempt.number} ${service.name}`
      )
    }
    if (gates.waiting === null) {
      this.status = gates.status
      await journal.apply({ kind: 'ready', at: clock.now() })
      this.silence.reset(clock.ticks())
      this.trafficSilence.reset(clock.ticks())
      return
    }
    await journal.apply({ kind: 'starting', at: clock.now(), service: gates.waiting })
    await this.judgeDeadline(gates.waiting)
  }

  private async judgeDeadline(service: string): Promise<void> {
    const { journal, clock, target, handle } = this.options
    if (service !== this.awaited) {
      this.awaited = service
      this.waited.reset(clock.ticks())
    }
    const planned = journal.attempt.plan.services.find((one) => one.name === service)
    if (planned === undefined) return
    if (this.waited.look(clock.ticks()) < planned.deadline * 1000) return
    // What never became ready must not be left behind running.
    await target.kill(handle)
    const { evidence } = await this.diagnosis({ kind: 'unknown' })
    const why = journal.seen.services.find((one) => one.name === service)?.readiness
    journal.change({ endedAt: clock.now() })
    await journal.apply({
      kind: 'refused',
      at: clock.now(),
      cause: {
        en: `${service} did not become ready within ${planned.deadline} s. ${why?.en ?? ''}`.trim(),
        zh: `${service} 未能在 ${planned.deadline} 秒内就绪。${why?.zh ?? ''}`.trim()
      },
      evidence,
      remedy: { en: 'Read that service’s log.', zh: '请查看该服务的日志。' }
    })
  }

  private async whileServing(moved: boolean): Promise<void> {
    const { journal, clock } = this.options
    const answer = await this.client.status()
    if (answer.kind !== 'ok') {
      await this.unansweredStatus(
        answer.kind === 'away' ? answer.why : `HTTP ${answer.status}: ${answer.text}`
      )
      return
    }
    this.unanswered = 0
    const jobBefore = this.status?.training_job?.status ?? null
    this.status = answer.value
    const jobMoved = jobBefore !== (answer.value.training_job?.status ?? null)
    await this.findScenarios(answer.value)
    const releases = await this.readReleases(answer.value)
    const traffic = await this.readTraffic()
    const active = moved || jobMoved || releases > 0 || traffic > 0
    if (traffic > 0) this.trafficSilence.reset(clock.ticks())
    if (active) this.silence.reset(clock.ticks())
    await this.judgeSilence(active)
  }

  private async judgeSilence(active: boolean): Promise<void> {
    const { journal, clock, quietAfterMs } = this.options
    const silentFor = this.silence.look(clock.ticks())
    const withoutTraffic = this.trafficSilence.look(clock.ticks())
    if (!active && silentFor >= quietAfterMs) {
      const ever = journal.seen.stages.served + journal.seen.stages.reported > 0
      const why = whyQuiet({
        silentFor,
        withoutTraffic: ever ? withoutTraffic : null,
        status: this.status,
        stages: journal.seen.stages,
        placement: this.placement
      })
      await journal.apply({ kind: 'silent', at: clock.now(), why })
      return
    }
    if (active || journal.state.kind === 'unreachable') {
      await journal.apply({ kind: 'progressed', at: clock.now(), step: journal.seen.step })
    }
  }

  private async unansweredStatus(why: string): Promise<void> {
    this.unanswered += 1
    if (this.unanswered < PATIENCE) return
    await this.options.journal.apply({
      kind: 'lost',
      at: this.options.clock.now(),
      why: {
        en: `The stack runs, but its service does not answer: ${why}`,
        zh: `训练栈仍在运行，但其服务没有应答：${why}`
      }
    })
  }

  private async findScenarios(status: ReefStatus): Promise<void> {
    const { clock, journal } = this.options
    const known = new Set([...journal.seen.scenarios, ...Object.keys(status.scenarios)])
    if (clock.ticks() - this.scenariosAt >= SCENARIOS_EVERY_MS) {
      this.scenariosAt = clock.ticks()
      const answer = await this.client.scenarios()
      if (answer.kind === 'ok') for (const name of answer.value) known.add(name)
    }
    if (known.size !== journal.seen.scenarios.length) journal.see({ scenarios: [...known].sort() })
  }

  private async readReleases(status: ReefStatus): Promise<number> {
    const { journal } = this.options
    const grown = this.reader.grown(status, journal.seen.scenarios)
    const scenario = grown[this.turn % Math.max(1, grown.length)]
    if (scenario === undefined) return 0
    const step = status.scenarios[scenario]?.scenario_step ?? null
    const added = (await this.reader.read(this.client, scenario, step)) ?? 0
    if (added > 0) this.seeReleases()
    return added
  }

  private seeReleases(): void {
    const { journal } = this.options
    const label = servedLabel(this.reader.rows, journal.seen.scenarios, this.options.attempts)
    journal.see({
      step: label.step,
      served: label.served,
      stages: { ...journal.seen.stages, released: label.released }
    })
  }

  private async readTraffic(): Promise<number> {
    const { journal } = this.options
    const { scenarios } = journal.seen
    this.turn += 1
    const scenario = scenarios[this.turn % Math.max(1, scenarios.length)]
    if (scenario === undefined) return 0
    const before = journal.attempt.traffic
    const count = await countTraffic(this.client, [scenario], before)
    const added = count.served + count.reported - before.served - before.reported
    if (added > 0) journal.change({ traffic: count })
    return added
  }

  private async refreshSeen(): Promise<void> {
    const { journal, clock, metrics } = this.options
    const { traffic, plan } = journal.attempt
    const have = this.status === null ? null : batchHave(this.status, journal.seen.scenarios[0])
    journal.see({
      at: clock.now(),
      lastSampleAt: metrics.lastSampleAt,
      stages: {
        ...journal.seen.stages,
        served: traffic.served,
        reported: traffic.reported,
        batchHave: have,
        batchNeed: plan.batch
      },
      now: nowText(journal.state, journal.seen)
    })
    if (clock.ticks() - this.rewardAt < REWARD_EVERY_MS) return
    this.rewardAt = clock.ticks()
    const reward = await readReward(metrics)
    if (reward !== null) journal.see({ reward })
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
    if (stopAsked?.force === true) await target.kill(handle)
  }

  private async diagnosis(exit: Exit): Promise<ReturnType<typeof diagnose>> {
    const tails = await logTails(this.sources)
    return diagnose(
      exit,
      tails.map((tail) => this.options.redact(tail))
    )
  }

  /**
   * The end. Everything still unread is read before the end is written down, so that a crash in between
   * only makes the next engine read on.
   */
  private async finish(exit: Exit, at: number): Promise<void> {
    const { journal } = this.options
    await this.sweepLogs()
    await this.sweepReleases()
    const { cause, evidence, remedy } = await this.diagnosis(exit)
    await this.refreshSeen()
    await journal.tell(
      { kind: 'exited', text: exitText(exit), data: { exit } },
      `exited ${journal.attempt.number}`
    )
    journal.change({ endedAt: at, handle: this.options.handle })
    journal.see({
      services: journal.seen.services.map((one) => ({ ...one, state: 'exited', url: null }))
    })
    await journal.apply({ kind: 'exited', at, exit, cause, evidence, remedy })
    journal.see({ now: nowText(journal.state, journal.seen) })
    await journal.write()
  }

  private async sweepLogs(): Promise<void> {
    this.sourcesAt = Number.NEGATIVE_INFINITY
    await this.readLogs()
    for (let round = 0; round < SWEEP_ROUNDS; round += 1) {
      const report = await this.options.ingest.poll()
      await this.tellEvents(report.events)
      if (report.behind === 0 && report.revision === this.revision) return
      this.revision = report.revision
    }
  }

  private async sweepReleases(): Promise<void> {
    const { journal, target } = this.options
    const { recordDir } = journal.attempt
    if (recordDir === null) return
    let added = 0
    for (const scenario of journal.seen.scenarios) {
      try {
        added += await this.reader.readLog(target.files, recordDir, scenario)
      } catch (cause) {
        if (!(cause instanceof FailureError)) throw cause
        await journal.tell({
          kind: 'releases-unread',
          text: {
            en: `The commit log of “${scenario}” could not be read: ${messageOf(cause)}`,
            zh: `无法读取场景“${scenario}”的提交日志：${cause.failure.what.zh}`
          }
        })
      }
    }
    if (added > 0) this.seeReleases()
  }
}
