import type { Companion } from '../../contract/launch'
import type { Exit } from '../../contract/run'
import type { Text } from '../../contract/text'
import { FailureError, messageOf, pause } from '../lib'
import type { CompanionRecord } from '../runs'
import { UnreachableError } from '../targets'
import { companionAct, failingText, failuresInRow, MOST_RESTART_PAUSE_MS } from './companion-act'
import {
  type CompanionHandle,
  companionPlace,
  type CompanionPlace,
  type PlaceOptions
} from './companion-place'
import { exitWords } from './sentences'

export interface CompanionOptions extends PlaceOptions {
  companions: readonly Companion[]
  secret: (name: string) => Promise<string | null>
  /** Bearer token of the service. */
  token: string | null
}

/** How long a companion gets to end by itself once its run has ended. */
const GRACE_MS = 5_000
const LOOK_MS = 100

/** Starts, watches and ends the commands that make an attempt's traffic. */
export class Companions {
  private adopted = false
  /** When each one ended, in ticks, for the pause before it starts again. */
  private readonly endedAt = new Map<string, number>()

  private readonly asked = new Set<string>()

  constructor(private readonly options: CompanionOptions) {}

  /** Values that must not be shown: their own secrets. */
  async secrets(): Promise<string[]> {
    const names = this.options.companions.flatMap(({ environment }) => environment)
    const values = await Promise.all(names.map((name) => this.options.secret(name)))
    return values.flatMap((value) => value ?? [])
  }

  /** One look at each: what ended is told, what is due is started. */
  async look(stack: 'starting' | 'serving' | 'stopping'): Promise<void> {
    if (this.options.companions.length === 0) return
    await this.adopt()
    for (const companion of this.options.companions) await this.lookAt(companion, stack)
  }

  /** The run has ended: asks those that go with it, and kills who does not listen. */
  async end(): Promise<void> {
    const { companions, clock } = this.options
    if (companions.length === 0) return
    await this.adopt()
    const going = companions.filter((one) => one.stopWithRun)
    for (const companion of going) await this.ask(companion)
    for (let waited = 0; waited < GRACE_MS && (await this.anyRuns(going)); waited += LOOK_MS) {
      await pause(clock, LOOK_MS)
    }
    for (const companion of going) {
      const handle = this.running(companion.name)
      if (handle !== null) await this.place(companion.name).kill(handle)
      await this.seeEnd(companion)
    }
  }

  private record(name: string): CompanionRecord | null {
    return this.options.journal.attempt.companions?.find((one) => one.name === name) ?? null
  }

  private running(name: string): CompanionHandle | null {
    const record = this.record(name)
    return record === null || record.exit !== null ? null : record.handle
  }

  private async write(record: CompanionRecord): Promise<void> {
    const { journal } = this.options
    const others = (journal.attempt.companions ?? []).filter((one) => one.name !== record.name)
    journal.change({ companions: [...others, record] })
    await journal.write()
  }

  /**
   * An engine may have died between starting a companion and writing down what it started, and one that was out of reach
   * may have started it all the same.
   */
  private async adopt(): Promise<void> {
    if (this.adopted) return
    const { journal } = this.options
    for (const record of journal.attempt.companions ?? []) {
      if (record.handle !== null || record.exit !== null) continue
      const handle = await this.place(record.name).lost(record.name, record.starts)
      if (handle === null) {
        await this.notStarted(record, lostWords)
        continue
      }
      await this.write({ ...record, handle })
      await this.tellStarted(record)
    }
    this.adopted = true
  }

  private place(name: string): CompanionPlace {
    const where = this.options.companions.find((one) => one.name === name)?.where ?? 'process'
    return companionPlace(where, this.options)
  }

  private async lookAt(
    companion: Companion,
    stack: 'starting' | 'serving' | 'stopping'
  ): Promise<void> {
    const { clock } = this.options
    await this.seeEnd(companion)
    // What ends with its stack has not failed by itself.
    if (stack !== 'stopping') await this.tellFailing(companion)
    const record = this.record(companion.name)
    const ended = this.endedAt.get(companion.name)
    const act = companionAct(companion, {
      stack,
      starts: record?.starts ?? 0,
      exit: record?.exit ?? null,
      sinceEnd: ended === undefined ? MOST_RESTART_PAUSE_MS : clock.ticks() - ended
    })
    switch (act) {
      case 'start':
        await this.start(companion, (record?.starts ?? 0) + 1)
        return
      case 'stop':
        await this.ask(companion)
        return
      case 'leave':
        return
    }
  }

  private async ask({ name }: Companion): Promise<void> {
    const handle = this.running(name)
    // A second signal means "at once" to many programs.
    if (handle === null || this.asked.has(name)) return
    this.asked.add(name)
    await this.place(name).ask(handle)
  }

  private async anyRuns(companions: readonly Companion[]): Promise<boolean> {
    for (const companion of companions) await this.seeEnd(companion)
    return companions.some(({ name }) => this.running(name) !== null)
  }

  /** Tells the end of a companion, once. */
  private async seeEnd({ name }: Companion): Promise<void> {
    const { journal, clock } = this.options
    const record = this.record(name)
    const handle = this.running(name)
    if (record === null || handle === null) return
    const seen = await this.place(name).look(handle)
    if (seen.kind === 'running' || seen.kind === 'unreachable') return
    const exit: Exit = seen.kind === 'exited' ? seen.exit : { kind: 'unknown' }
    this.endedAt.set(name, clock.ticks())
    const words = exitWords(exit)
    const { reported } = journal.attempt.traffic
    await journal.tell(
      {
        kind: 'companion-ended',
        text: {
          // Whose reports they are is in no record: others may send some too.
          en: `Companion “${name}” ended ${words.en}. By then the run had ${reported} reports, from whomever.`,
          zh: `伴随命令“${name}”已结束（${words.zh}）。至此该运行共有 ${reported} 条反馈（不论来源）。`
        },
        data: { name, start: record.starts, exit, reported }
      },
      `companion ${journal.attempt.number} ${name} ${record.starts}`
    )
    const failures = failuresInRow(record, exit, clock.now())
    await this.write({ ...record, exit, failures })
    await this.clear(name, handle)
  }

  /** Tells of a companion that fails, once an attempt. */
  private async tellFailing(companion: Companion): Promise<void> {
    const { name } = companion
    const { journal } = this.options
    const record = this.record(name)
    if (record === null || record.exit === null) return
    const text = failingText(companion, record, record.exit)
    if (text === null) return
    await journal.tell(
      {
        kind: 'companion-failing',
        text,
        data: { name, start: record.starts, exit: record.exit, severity: 'warning' }
      },
      `companion-failing ${journal.attempt.number} ${name}`
    )
  }

  /** After its end was written down: what is cleared away tells nothing any more. */
  private async clear(name: string, handle: CompanionHandle): Promise<void> {
    const left = await this.place(name).clear(handle)
    if (left === null) return
    await this.options.journal.tell(
      {
        kind: 'companion-left',
        text: {
          en: `The container ${left} of companion “${name}” is still there.`,
          zh: `伴随命令“${name}”的容器 ${left} 仍然存在。`
        },
        data: { name, container: left, severity: 'warning' }
      },
      `companion-left ${left}`
    )
  }

  private async start(companion: Companion, starts: number): Promise<void> {
    const { name } = companion
    const { failures } = this.record(name) ?? {}
    const before: CompanionRecord = {
      name,
      starts,
      handle: null,
      exit: null,
      startedAt: this.options.clock.now(),
      ...(failures === undefined ? {} : { failures })
    }
    await this.write(before)
    try {
      const handle = await this.launch(companion, starts)
      await this.write({ ...before, handle })
      await this.tellStarted(before)
    } catch (cause) {
      if (cause instanceof UnreachableError) {
        // It may run all the same: the next look finds it, or starts it anew.
        this.adopted = false
        throw cause
      }
      const what = cause instanceof FailureError ? cause.failure.what : both(messageOf(cause))
      await this.notStarted(before, what)
    }
  }

  private async tellStarted({ name, starts }: CompanionRecord): Promise<void> {
    const { journal } = this.options
    await journal.tell(
      {
        kind: 'companion-started',
        text: {
          en: starts === 1 ? `Companion “${name}” started.` : `Companion “${name}” started again.`,
          zh: starts === 1 ? `伴随命令“${name}”已启动。` : `伴随命令“${name}”已重新启动。`
        },
        data: { name, start: starts }
      },
      `companion-started ${journal.attempt.number} ${name} ${starts}`
    )
  }

  private async notStarted(record: CompanionRecord, what: Text): Promise<void> {
    const { name, starts } = record
    const { journal, clock } = this.options
    await journal.tell(
      {
        kind: 'companion-not-started',
        text: {
          en: `Companion “${name}” could not be started: ${what.en}`,
          zh: `无法启动伴随命令“${name}”：${what.zh}`
        },
        data: { name, start: starts }
      },
      `companion-not-started ${journal.attempt.number} ${name} ${starts}`
    )
    this.endedAt.set(name, clock.ticks())
    const exit: Exit = { kind: 'unknown' }
    await this.write({ ...record, exit, failures: failuresInRow(record, exit, clock.now()) })
  }

  private async launch(companion: Companion, start: number): Promise<CompanionHandle> {
    const { values, secretNames } = await this.environment(companion)
    return this.place(companion.name).start({
      companion,
      start,
      environment: values,
      secretNames
    })
  }

  private async environment({
    name,
    environment: names
  }: Companion): Promise<{ values: Record<string, string>; secretNames: string[] }> {
    const { journal, token, secret } = this.options
    const { number } = journal.attempt
    const address = this.place(name).address()
    const values: Record<string, string> = {
      SLIPWAY_RUN: journal.run,
      SLIPWAY_ATTEMPT: String(number),
      SLIPWAY_ADDRESS: address ?? '',
      SLIPWAY_SCENARIO: journal.seen.scenarios[0] ?? '',
      REEF_URL: address ?? '',
      ...(token === null ? {} : { REEF_TOKEN: token })
    }
    for (const asked of names) {
      const value = await secret(asked)
      if (value !== null) values[asked] = value
    }
    return { values, secretNames: ['REEF_TOKEN', ...names] }
  }
}

const lostWords: Text = {
  en: 'Slipway ended, or its engine was out of reach, before it was started.',
  zh: '在启动之前，Slipway 已退出，或其引擎无法访问。'
}

function both(said: string): { en: string; zh: string } {
  return { en: said, zh: said }
}
