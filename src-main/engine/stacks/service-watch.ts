import type { Release } from '../../contract/releases'
import type { Text } from '../../contract/text'
import { FailureError } from '../lib'
import { scenariosOnDisk } from '../releases'
import { BelowLook } from './below-look'
import { endedCompanions } from './companion-act'
import { hadReleases, restored, rewritten, rowsFromLogs } from './lost-releases'
import { ObservedTime } from './observed-time'
import { type Below, whyQuiet } from './quiet'
import { strangerOn } from './readiness'
import type { ReefClient, ReefStatus } from './reef-client'
import { ReceiptScores } from './receipt-scores'
import { ReleaseMetrics } from './release-metrics'
import { keptReceipts, servedReceipts } from './receipts'
import { RecordPages } from './record-pages'
import { ReleaseReader } from './release-reader'
import { scenarioOrder } from './scenario-order'
import { chainOf, servedLabel } from './served'
import { servicePort } from './service-port'
import { unansweredText } from './stale-reading'
import { countTraffic } from './traffic-counter'
import { LONGEST_GAP_MS, PATIENCE, type WatchOptions } from './watch-options'

const SCENARIOS_EVERY_MS = 10_000
/** Milliseconds one look reads records for: a long history is read over several. */
const READING_MS = 300
/** The same while somebody waits for all of them. */
const READING_ALL_MS = 3_000
/** Longest that reading the records of steps nobody watched may keep the end of an attempt from being told. */
const LONGEST_SWEEP_MS = 60_000

/** Watches a stack that serves: its status, scenarios, releases and traffic, and how long nothing has moved. */
export class ServiceWatch {
  private readonly reader: ReleaseReader
  private readonly receipts: ReceiptScores
  private readonly numbers: ReleaseMetrics
  private readonly below: BelowLook
  private readonly silence = new ObservedTime(LONGEST_GAP_MS)
  private readonly trafficSilence = new ObservedTime(LONGEST_GAP_MS)
  private scenariosAt = Number.NEGATIVE_INFINITY
  private turn = 0
  /** Scenarios whose chain has grown and was not read at the last look. */
  private unread = 0
  /** Whether the last look read only a part of the records. */
  private cut = false
  /** Rows of the chain that were there at the end of the last look, and those of them whose numbers were taken in. */
  private there = 0
  private drawn = 0
  /** Rows there were when the chains were first read whole; null before. */
  private whole: number | null = null
  /** Scenarios whose records were counted to their end since we began. */
  private readonly counted = new Set<string>()
  /** Newest answer of `/reef/status`. */
  status: ReefStatus | null = null
  /** Whether a look at what it serves was ever answered. */
  looked = false
  /** Looks in a row without an answer. */
  unanswered = 0

  constructor(
    private readonly options: WatchOptions,
    private readonly client: ReefClient
  ) {
    const { journal, clock, metrics } = options
    const { number: attempt, storage } = journal.attempt
    const { practice } = journal.attempt.plan
    const below = (): Promise<Below | null> =>
      // The practice stack is one process: there is nothing below it.
      practice ? Promise.resolve(null) : options.below()
    this.below = new BelowLook({ clock, below, onTrouble: options.onTrouble })
    this.receipts = new ReceiptScores({ metrics, attempt, storage })
    this.numbers = new ReleaseMetrics({ metrics, attempt, storage })
    this.reader = new ReleaseReader({
      attempt: journal.attempt.number,
      storage: journal.attempt.storage,
      clock,
      known: options.releases,
      append: (rows) => journal.store.appendReleases(journal.run, rows)
    })
  }

  /** From now on silence counts. */
  begin(status: ReefStatus): void {
    const ticks = this.options.clock.ticks()
    this.status = status
    this.silence.reset(ticks)
    this.trafficSilence.reset(ticks)
  }

  /** True until the releases and records that were there when we began are all read: a look reads a part of them. */
  get behind(): boolean {
    const { scenarios } = this.options.journal.seen
    const undrawn = this.drawn < (this.whole ?? 0)
    const uncounted = !scenarios.every((scenario) => this.counted.has(scenario))
    return this.unread > 0 || this.cut || undrawn || uncounted
  }

  /**
   * One look. `logs`: what the reading of the logs right before it found. `placement`: the driver's line that waits for
   * GPUs. `all`: somebody waits until every record is read.
   */
  async look(
    logs: { moved: boolean; whole: boolean },
    placement: string | null,
    all = false
  ): Promise<void> {
    if (logs.whole) await this.drawNumbers()
    await this.ask(logs.moved, placement, all)
    this.there = this.reader.rows.length
    if (this.unread === 0) this.whole ??= this.there
  }

  /**
   * Takes in what commits say in numbers, of those that were there before the logs were read to their end: a commit that
   * was made since may repeat numbers which its trainer's log has as well, and that was read too early to have them.
   */
  private async drawNumbers(): Promise<void> {
    const { there } = this
    if (there === this.drawn) return
    const rows = this.reader.rows.slice(0, there)
    for (const scenario of new Set(rows.map((row) => row.scenario)))
      await this.numbers.look(scenario, rows)
    this.drawn = there
  }

  private async ask(moved: boolean, placement: string | null, all: boolean): Promise<void> {
    const { clock } = this.options
    if (await this.strangerAnswers()) return
    const answer = await this.client.status()
    if (answer.kind !== 'ok') {
      await this.noAnswer(unansweredText(answer))
      return
    }
    this.unanswered = 0
    this.looked = true
    const jobBefore = this.status?.training_job?.status ?? null
    this.status = answer.value
    const jobMoved = jobBefore !== (answer.value.training_job?.status ?? null)
    await this.findScenarios(answer.value)
    if (await this.fellSilent()) return
    await this.mendReleases()
    const releases = await this.readReleases(answer.value)
    if (await this.fellSilent()) return
    const traffic = await this.readRecords(all)
    if (await this.fellSilent()) return
    const active = moved || jobMoved || releases > 0 || traffic > 0
    if (traffic > 0) this.trafficSilence.reset(clock.ticks())
    if (active) this.silence.reset(clock.ticks())
    await this.judgeSilence(active, placement)
  }

  /** Somebody may take the file of the releases away, before anybody watched or meanwhile: it is written anew. */
  private async mendReleases(): Promise<void> {
    const { journal, target, clock } = this.options
    const { store, run, seen } = journal
    if (!hadReleases({ seen }) || !(await store.releasesGone(run))) return
    const { length } = this.reader.rows
    if (length > 0) {
      await this.reader.rewrite()
      await journal.tell(rewritten(length))
      return
    }
    const { attempts } = await store.read(run)
    const before = attempts.filter(({ storage }) => storage !== journal.attempt.storage)
    const rows = await rowsFromLogs(
      before,
      seen.scenarios,
      () => Promise.resolve(target.files),
      clock
    )
    await store.appendReleases(run, rows)
    this.reader.adopt(rows)
    await journal.tell(restored(rows.length), `releases-restored ${journal.attempt.number}`)
  }

  /** After the end: what the commit logs on disk have and the service was not asked for any more. */
  async sweep(): Promise<void> {
    const { journal, target } = this.options
    await this.mendReleases()
    const { recordDir } = journal.attempt
    if (recordDir === null) return
    // An attempt that nobody watched has shown no scenario; the logs name theirs.
    const there = await scenariosOnDisk(target.files, recordDir)
    const scenarios = new Set([...journal.seen.scenarios, ...there])
    let added = 0
    for (const scenario of scenarios) {
      try {
        added += await this.reader.readLog(target.files, recordDir, scenario)
      } catch (cause) {
        if (!(cause instanceof FailureError)) throw cause
        await journal.tell(
          {
            kind: 'releases-unread',
            text: {
              en: `The commit log of “${scenario}” could not be read: ${cause.failure.what.en}`,
              zh: `无法读取场景“${scenario}”的提交日志：${cause.failure.what.zh}`
            }
          },
          `unread ${journal.attempt.number} ${scenario}`
        )
      }
    }
    this.orderScenarios(scenarios, () => 0)
    for (const scenario of scenarios) await this.numbers.look(scenario, this.reader.rows)
    await this.sweepReceipts(recordDir, scenarios)
    if (added === 0) return
    this.seeReleases()
    // It published, so it was ready, though nobody was there to see it.
    journal.change({ reached: true })
  }

  /** What the steps scored that nobody watched, from the records the stack left. */
  private async sweepReceipts(folder: string, scenarios: ReadonlySet<string>): Promise<void> {
    const { journal, target, clock, signal } = this.options
    const until = clock.ticks() + LONGEST_SWEEP_MS
    const more = (): boolean => !signal.aborted && clock.ticks() < until
    for (const scenario of scenarios) {
      try {
        const kept = keptReceipts({ files: target.files, folder, scenario }, more)
        await this.receipts.look(kept, scenario, this.reader.rows)
      } catch (cause) {
        if (!(cause instanceof FailureError)) throw cause
        const { what } = cause.failure
        await journal.tell(
          {
            kind: 'scores-unread',
            text: {
              en: `What the newest steps of “${scenario}” scored could not be read from their records: ${what.en}`,
              zh: `无法从记录中读取场景“${scenario}”最近几步的得分：${what.zh}`
            }
          },
          `scores ${journal.attempt.number} ${scenario}`
        )
      }
    }
  }

  private async judgeSilence(active: boolean, placement: string | null): Promise<void> {
    const { journal, clock, quietAfterMs } = this.options
    const silentFor = this.silence.look(clock.ticks())
    const withoutTraffic = this.trafficSilence.look(clock.ticks())
    if (!active && silentFor >= quietAfterMs) {
      const ever = journal.attempt.traffic.served + journal.attempt.traffic.reported > 0
      const why = whyQuiet({
        silentFor,
        withoutTraffic: ever ? withoutTraffic : null,
        status: this.status,
        stages: journal.seen.stages,
        placement,
        ended: endedCompanions(journal.attempt),
        below: this.below.look()
      })
      await journal.apply({ kind: 'silent', at: clock.now(), why })
      return
    }
    if (active) this.below.forget()
    if (active || journal.state.kind === 'unreachable') {
      await journal.apply({ kind: 'progressed', at: clock.now(), step: journal.seen.step })
    }
  }

  /** Our service has gone and somebody else's listens in its place: nothing is asked of it, nothing of it is kept. */
  private async strangerAnswers(): Promise<boolean> {
    const { journal, target, handle, clock } = this.options
    const port = servicePort(journal.attempt)
    if ((await target.listening(handle, port)) !== 'foreign') return false
    this.unanswered += 1
    await journal.apply({ kind: 'lost', at: clock.now(), what: 'stack', why: strangerOn(port) })
    return true
  }

  /** It answered at the beginning of this look and does not any more: asking on would only take longer. */
  private async fellSilent(): Promise<boolean> {
    if (!this.client.late) return false
    await this.noAnswer(unansweredText({ kind: 'away', why: 'no answer in time' }))
    return true
  }

  private async noAnswer(why: Text): Promise<void> {
    this.unanswered += 1
    if (this.unanswered < PATIENCE) return
    const at = this.options.clock.now()
    await this.options.journal.apply({ kind: 'lost', at, what: 'stack', why })
  }

  private async findScenarios(status: ReefStatus): Promise<void> {
    const { clock, journal } = this.options
    const known = new Set([...journal.seen.scenarios, ...Object.keys(status.scenarios)])
    if (clock.ticks() - this.scenariosAt >= SCENARIOS_EVERY_MS) {
      this.scenariosAt = clock.ticks()
      const answer = await this.client.scenarios()
      if (answer.kind === 'ok') for (const name of answer.value) known.add(name)
    }
    this.orderScenarios(known, (scenario) => status.scenarios[scenario]?.scenario_step ?? 0)
  }

  private orderScenarios(found: Iterable<string>, claimed: (scenario: string) => number): void {
    const { journal } = this.options
    const steps = new Map<string, number>()
    for (const { scenario, step } of this.reader.rows)
      steps.set(scenario, Math.max(step, steps.get(scenario) ?? 0))
    const before = journal.seen.scenarios
    const after = scenarioOrder(before, found, (scenario) =>
      Math.max(claimed(scenario), steps.get(scenario) ?? 0)
    )
    if (after.length !== before.length || after.some((name, at) => name !== before[at]))
      journal.see({ scenarios: after })
  }

  private async readReleases(status: ReefStatus): Promise<number> {
    const grown = this.reader.grown(status, this.options.journal.seen.scenarios)
    const scenario = grown[this.turn % Math.max(1, grown.length)]
    this.unread = Math.max(0, grown.length - 1)
    if (scenario === undefined) return 0
    const step = status.scenarios[scenario]?.scenario_step ?? null
    const added = (await this.reader.read(this.client, scenario, step)) ?? 0
    if (added > 0) this.seeReleases()
    return added
  }

  /** The chain of a scenario as the service tells it now, newest first; null when it does not answer. */
  async chainNow(scenario: string): Promise<Release[] | null> {
    const added = await this.reader.read(this.client, scenario, null)
    if (added === null) return null
    if (added > 0) this.seeReleases()
    return chainOf(this.reader.rows, scenario, this.options.attempts)
  }

  private seeReleases(): void {
    const { journal, attempts } = this.options
    const label = servedLabel(this.reader.rows, journal.seen.scenarios, attempts)
    journal.see({
      step: label.step,
      served: label.served,
      stages: { ...journal.seen.stages, released: label.released }
    })
  }

  /** Records for the scores of the steps that are new, and for the traffic: how much of that there was. */
  private async readRecords(all: boolean): Promise<number> {
    const { clock, journal } = this.options
    const { scenarios } = journal.seen
    this.turn += 1
    const turn = scenarios[this.turn % Math.max(1, scenarios.length)]
    const until = clock.ticks() + (all ? READING_ALL_MS : READING_MS)
    this.cut = false
    let traffic = 0
    for (const scenario of scenarios) {
      const pages = new RecordPages(this.client, scenario, () => clock.ticks() < until)
      const receipts = servedReceipts(this.client, scenario, pages)
      await this.receipts.look(receipts, scenario, this.reader.rows)
      // With many, each gets its turn.
      if (all || scenario === turn) traffic += await this.readTraffic(scenario, pages)
      this.cut ||= pages.cut
      if (this.client.late) return traffic
    }
    return traffic
  }

  private async readTraffic(scenario: string, pages: RecordPages): Promise<number> {
    const { journal } = this.options
    const before = journal.attempt.traffic
    const { count, done } = await countTraffic(pages, scenario, before)
    if (done) this.counted.add(scenario)
    const added = count.served + count.reported - before.served - before.reported
    if (added > 0) journal.change({ traffic: count })
    return added
  }
}
