import { join } from 'node:path'
import type { Exit } from '../../contract/run'
import type { Progress } from '../../contract/logs'
import type { Failure } from '../../contract/failure'
import { pause } from '../lib'
import { type IngestSource, type StackEvent, TrackerFinder } from '../metrics'
import type { OutputGap } from '../targets'
import { gapText, lastGapText } from './gap-text'
import { LogFollower } from './log-follower'
import { companionsFolder } from './companion-script'
import { findLogSources, logTails } from './log-sources'
import { type Diagnosis, diagnose } from './signatures'
import { pace, type WatchOptions } from './watch-options'

const SOURCES_EVERY_MS = 5_000
/** Copies of one kind of line among the run's events; the log has them all. */
const MOST_OF_A_KIND = 20
/** Most rounds of reading logs after the end; each reads up to the ingest's own limit. */
const SWEEP_ROUNDS = 10_000

/** Variables by which TensorBoard and W&B are told where to write. */
const TRACKER_FOLDERS = ['TENSORBOARD_DIR', 'WANDB_DIR']

/** Reads an attempt's logs into the run, and tells its warnings and errors. */
export class LogWatch {
  private revision = -1
  private sourcesAt = Number.NEGATIVE_INFINITY
  /** Aborted when there is nothing more to copy. */
  private readonly copying = new AbortController()
  /** What the system said when the disk of the copies had no room; null while it has. */
  private noRoom: Error | null = null
  private readonly toldKinds = new Map<string, number>()
  private found: IngestSource[] = []
  /** Logs and the files of trackers. */
  private sources: IngestSource[] = []
  /** Newest line that says that GPUs are waited for. */
  placement: string | null = null
  /** Bars being drawn now. */
  progress: Progress[] = []
  /** True when more was there than one look reads. */
  behind = false

  private readonly trackers: TrackerFinder
  private readonly follower: LogFollower

  constructor(private readonly options: WatchOptions) {
    const { target, journal, clock } = options
    this.follower = new LogFollower(clock)
    const { number, runDir, plan } = journal.attempt
    const named = plan.environment.flatMap(({ name, value }) =>
      TRACKER_FOLDERS.includes(name) && value !== null ? [value] : []
    )
    this.trackers = new TrackerFinder({
      files: target.files,
      folders: [runDir, ...named],
      attempt: number,
      clock
    })
  }

  private get folder(): string {
    const { journal } = this.options
    return journal.store.paths(journal.run).attempt(journal.attempt.number)
  }

  /** Begins to copy what only the target holds, and tells what an earlier engine read but did not tell. */
  async begin(): Promise<() => Promise<void>> {
    const { target, handle, metrics } = this.options
    const stop = target.copyOutput(handle, {
      stdout: join(this.folder, 'stdout.log'),
      stderr: join(this.folder, 'stderr.log'),
      cursor: join(this.folder, 'output.cursor'),
      gap: (gap) => {
        this.tellGap(gap).catch(this.options.onTrouble)
      },
      waits: (cause) => {
        this.noRoom = cause instanceof Error ? cause : null
      },
      problem: (failure) => {
        this.tellProblem(failure).catch(this.options.onTrouble)
      },
      ended: () => {
        this.copying.abort()
      }
    })
    if (handle.kind !== 'container') this.copying.abort()
    await this.tell(await metrics.events())
    return stop
  }

  /**
   * Waits until the output that only the target holds is copied to its end; false after `ms` without.
   * @throws what keeps it from being copied, where that is the disk.
   */
  async copied(ms: number): Promise<boolean> {
    const { clock, signal } = this.options
    await pause(clock, ms, this.copying.signal, signal)
    const done = this.copying.signal.aborted
    if (!done && this.noRoom !== null) throw this.noRoom
    return done
  }

  /** Reads what is new; true when there was something. */
  async read(): Promise<boolean> {
    const { clock, ingest, journal } = this.options
    const ticks = clock.ticks()
    const due = journal.attempt.reached ? SOURCES_EVERY_MS : pace.starting
    if (ticks - this.sourcesAt >= due) {
      this.sourcesAt = ticks
      await this.findSources()
    }
    const report = await ingest.poll()
    await this.tell(report.events)
    this.progress = report.progress
    this.behind = report.behind > 0
    const moved = this.revision !== -1 && report.revision !== this.revision
    this.revision = report.revision
    return moved
  }

  /** Waits until one of the logs has grown, at most `ms`; false when none has. */
  grown(ms: number, signal: AbortSignal): Promise<boolean> {
    this.follower.follow(this.sources)
    return this.follower.next(ms, signal)
  }

  /** Nobody waits for `grown` for a while. */
  unfollow(): void {
    this.follower.stop()
  }

  /** After the end: everything still unread. */
  async sweep(): Promise<void> {
    await this.findSources(true)
    for (let round = 0; round < SWEEP_ROUNDS; round += 1) {
      const report = await this.options.ingest.poll()
      await this.tell(report.events)
      if (report.behind === 0 && report.revision === this.revision) return
      this.revision = report.revision
    }
  }

  /** Why it ended, from the ends of the logs. */
  async diagnosis(exit: Exit, stayedUp = false): Promise<Diagnosis> {
    const tails = await logTails(this.found)
    return diagnose(
      exit,
      tails.map((tail) => this.options.redact(tail)),
      stayedUp
    )
  }

  private async findSources(ended = false): Promise<void> {
    const { target, journal, handle, clock, ingest } = this.options
    this.found = await findLogSources({
      files: target.files,
      runDir: journal.attempt.runDir,
      handle,
      attempt: journal.attempt.number,
      attemptFolder: this.folder,
      companions: companionsFolder(journal.attempt, this.folder),
      nexrl: journal.attempt.plan.nexrl !== undefined,
      clock
    })
    this.sources = [...this.found, ...(await this.trackers.find(ended))]
    ingest.setSources(this.sources)
  }

  /** Warnings and errors of the log become events of the run, each once, and no kind floods it. */
  private async tell(events: readonly StackEvent[]): Promise<void> {
    const { journal } = this.options
    for (const event of events) {
      if (event.attempt !== journal.attempt.number) continue
      if (event.line.includes('Waiting for placement group')) this.placement = event.line
      if (event.severity === 'info') continue
      if (event.kind === 'secret-in-clear') {
        await this.tellSecret(event)
        continue
      }
      const told = (this.toldKinds.get(event.kind) ?? 0) + 1
      this.toldKinds.set(event.kind, told)
      if (told > MOST_OF_A_KIND) continue
      await journal.tell(
        {
          kind: event.kind,
          text: { en: event.line, zh: event.data['zh'] ?? event.line },
          ...(event.step === undefined ? {} : { step: event.step }),
          data: { source: event.source, offset: event.offset, severity: event.severity }
        },
        `line ${event.seq}`
      )
    }
  }

  /** Once an attempt for each secret, wherever it stands first. */
  private tellSecret({ source, offset, severity, data }: StackEvent): Promise<void> {
    const { journal } = this.options
    const name = data['name'] ?? ''
    return journal.tell(
      {
        kind: 'secret-in-clear',
        text: {
          en: `The stack wrote ${name} in clear text into ${source}. Slipway does not show it; rotate it if anybody else can read that log.`,
          zh: `运行栈以明文将 ${name} 写入了 ${source}。Slipway 不会显示；若他人可读取该日志，请更换。`
        },
        data: { name, source, offset, severity }
      },
      `clear ${journal.attempt.number} ${name}`
    )
  }

  private tellProblem(failure: Failure): Promise<void> {
    const { journal } = this.options
    return journal.tell(
      {
        kind: failure.code,
        text: failure.what,
        ...(failure.detail === undefined ? {} : { data: { detail: failure.detail } })
      },
      `${failure.code} ${journal.attempt.number}`
    )
  }

  /** An engine that keeps very little drops something every few seconds: those are not all told. */
  private async tellGap(gap: OutputGap): Promise<void> {
    const { journal } = this.options
    const told = (this.toldKinds.get('gap') ?? 0) + 1
    this.toldKinds.set('gap', told)
    if (told > MOST_OF_A_KIND) return
    const text = gapText(gap, journal.attempt.plan.nexrl !== undefined)
    const { after, before, expected, keeps } = gap
    await journal.tell(
      {
        kind: 'gap',
        text: told === MOST_OF_A_KIND ? lastGapText(text) : text,
        data: {
          after,
          before,
          keeps,
          ...(expected === null ? {} : { lines: expected.lines, bytes: expected.bytes })
        }
      },
      `gap ${gap.before}`
    )
  }
}
