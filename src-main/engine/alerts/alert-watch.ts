import type { Alert } from '../../contract/alerts'
import type { RunEvent, RunList } from '../../contract/run'
import { Changes, type Clock, messageOf } from '../lib'
import { AlertBook } from './alert-book'
import { alertsOf } from './judge'

/** Minutes without movement until somebody is told: a slow step is no alarm. */
const QUIET_MS = 15 * 60_000
const SHOWN = 50

/** Where alerts are looked for. */
interface AlertSources {
  watch(signal: AbortSignal): AsyncIterable<RunList>
  readonly store: { events(run: string): Promise<RunEvent[]> }
}

interface AlertOptions {
  home: string
  /** Null: nothing is looked for, only what was told is shown. */
  runs: AlertSources | null
  clock: Clock
  /** Tells a person who is not looking. */
  notify: (alert: Alert) => Promise<void>
  quietMs?: number
}

/** Watches all runs for what a person should hear of, as long as an engine does. */
export class AlertWatch {
  private readonly changes = new Changes()
  private readonly aborter = new AbortController()
  private readonly watching: Promise<void>

  private constructor(
    private readonly options: AlertOptions,
    private readonly book: AlertBook
  ) {
    this.watching = this.keepWatching()
  }

  static async open(options: AlertOptions): Promise<AlertWatch> {
    return new AlertWatch(options, await AlertBook.open(options.home, options.clock.now()))
  }

  /** Alerts so far, newest first, now and after each new one. */
  async *watch(
    signal?: AbortSignal
  ): AsyncGenerator<{ alerts: Alert[]; unseen: number }, void, undefined> {
    for await (const _ of this.changes.watch(0, signal)) {
      void _
      yield { alerts: this.book.alerts.slice(0, SHOWN), unseen: this.book.unseen }
    }
  }

  /** Tells of something that is no run's, unless it was told before. */
  async raise(alert: Alert): Promise<void> {
    await this.tell(await this.book.keep([alert]))
  }

  /** A person has looked at all there are. */
  async see(): Promise<void> {
    await this.book.see(this.options.clock.now())
    this.changes.mark()
  }

  async dispose(): Promise<void> {
    this.aborter.abort()
    await this.watching
  }

  private async keepWatching(): Promise<void> {
    const { signal } = this.aborter
    try {
      const { runs } = this.options
      if (runs === null) return
      for await (const list of runs.watch(signal)) await this.look(list, runs)
    } catch (cause) {
      if (!signal.aborted) console.error(`[slipway] alerts: ${messageOf(cause)}`)
    }
  }

  private async look({ runs }: RunList, { store }: AlertSources): Promise<void> {
    const { clock, quietMs = QUIET_MS } = this.options
    for (const run of runs) {
      const events = await store.events(run.id)
      await this.tell(await this.book.keep(alertsOf(run, events, clock.now(), quietMs)))
    }
  }

  private async tell(fresh: readonly Alert[]): Promise<void> {
    if (fresh.length > 0) this.changes.mark()
    for (const alert of fresh) await this.options.notify(alert)
  }
}
