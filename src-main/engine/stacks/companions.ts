import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Companion } from '../../contract/launch'
import type { Exit } from '../../contract/run'
import { type Clock, fail, FailureError, messageOf, pause } from '../lib'
import type { CompanionRecord } from '../runs'
import { ownRuntime, type StackHandle, type Target } from '../targets'
import type { AttemptJournal } from './attempt-journal'
import { companionAct, MOST_RESTART_PAUSE_MS } from './companion-act'
import { exitWords } from './sentences'

export interface CompanionOptions {
  journal: AttemptJournal
  companions: readonly Companion[]
  /** This machine, where their commands run. */
  here: () => Promise<Target>
  installation: string
  secret: (name: string) => Promise<string | null>
  /** Bearer token of the service. */
  token: string | null
  clock: Clock
}

/** How long a companion gets to end by itself once its run has ended. */
const GRACE_MS = 5_000
const LOOK_MS = 100

/** Refuses, before a run is made, a companion that could not be started. */
export function checkCompanions(companions: readonly Companion[]): void {
  const names = new Set<string>()
  for (const { name, where } of companions) {
    if (!/^[\w.-]{1,64}$/.test(name) || names.has(name)) {
      fail({
        code: 'companion-name',
        where: name,
        what: {
          en: `“${name}” cannot name a companion: it names a file, and each name is used once.`,
          zh: `“${name}”不能作为伴随进程的名称：它用作文件名，且不能重复。`
        },
        remedy: { en: 'Use letters, digits, “-” and “_”.', zh: '请使用字母、数字、“-”和“_”。' }
      })
    }
    names.add(name)
    if (where === 'process') continue
    fail({
      code: 'companion-place',
      where: name,
      what: {
        en: 'A companion can only run as a process of this computer.',
        zh: '伴随进程目前只能作为本机进程运行。'
      },
      remedy: {
        en: 'Let its command run “docker exec” or “docker run” itself.',
        zh: '可让其命令自行执行“docker exec”或“docker run”。'
      }
    })
  }
}

/** File with everything a companion of an attempt says, over all its starts. */
export function companionLog(attemptFolder: string, name: string): string {
  return join(attemptFolder, `companion-${name}.log`)
}

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
    const here = await this.options.here()
    for (const companion of going) {
      const handle = this.running(companion.name)
      if (handle !== null) await here.kill(handle)
      await this.seeEnd(companion)
    }
  }

  private record(name: string): CompanionRecord | null {
    return this.options.journal.attempt.companions?.find((one) => one.name === name) ?? null
  }

  private running(name: string): StackHandle | null {
    const record = this.record(name)
    return record === null || record.exit !== null ? null : record.handle
  }

  private async write(record: CompanionRecord): Promise<void> {
    const { journal } = this.options
    const others = (journal.attempt.companions ?? []).filter((one) => one.name !== record.name)
    journal.change({ companions: [...others, record] })
    await journal.write()
  }

  /** An engine may have died between starting a companion and writing down what it started. */
  private async adopt(): Promise<void> {
    if (this.adopted) return
    const { journal, installation } = this.options
    const lost = (journal.attempt.companions ?? []).filter(
      (one) => one.handle === null && one.exit === null
    )
    const here = await this.options.here()
    const own = lost.length === 0 ? [] : await here.findOwn(installation)
    for (const record of lost) {
      const found = own.find((one) => one.runId === this.idOf(record.name))
      const exit: Exit | null = found === undefined ? { kind: 'unknown' } : null
      await this.write({ ...record, handle: found?.handle ?? null, exit })
    }
    this.adopted = true
  }

  private idOf(name: string): string {
    const { journal } = this.options
    return `${journal.run}.${journal.attempt.number}.companion-${name}`
  }

  private async lookAt(
    companion: Companion,
    stack: 'starting' | 'serving' | 'stopping'
  ): Promise<void> {
    const { clock } = this.options
    await this.seeEnd(companion)
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
    await (await this.options.here()).askToStop(handle)
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
    const seen = await (await this.options.here()).look(handle)
    if (seen.kind === 'running' || seen.kind === 'unreachable') return
    const exit: Exit = seen.kind === 'exited' ? seen.exit : { kind: 'unknown' }
    this.endedAt.set(name, clock.ticks())
    const words = exitWords(exit)
    const { reported } = journal.attempt.traffic
    await journal.tell(
      {
        kind: 'companion-ended',
        text: {
          en: `Companion “${name}” ended ${words.en}; ${reported} reports so far.`,
          zh: `伴随进程“${name}”已结束（${words.zh}）；至此共 ${reported} 条反馈。`
        },
        data: { name, start: record.starts, exit, reported }
      },
      `companion ${journal.attempt.number} ${name} ${record.starts}`
    )
    await this.write({ ...record, exit })
  }

  private async start(companion: Companion, starts: number): Promise<void> {
    const { journal } = this.options
    const { name } = companion
    const before: CompanionRecord = { name, starts, handle: null, exit: null }
    await this.write(before)
    try {
      const handle = await this.launch(companion, starts)
      await this.write({ ...before, handle })
      await journal.tell({
        kind: 'companion-started',
        text: {
          en: starts === 1 ? `Companion “${name}” started.` : `Companion “${name}” started again.`,
          zh: starts === 1 ? `伴随进程“${name}”已启动。` : `伴随进程“${name}”已重新启动。`
        },
        data: { name, start: starts }
      })
    } catch (cause) {
      const what = cause instanceof FailureError ? cause.failure.what : both(messageOf(cause))
      await journal.tell({
        kind: 'companion-not-started',
        text: {
          en: `Companion “${name}” could not be started: ${what.en}`,
          zh: `无法启动伴随进程“${name}”：${what.zh}`
        },
        data: { name, start: starts }
      })
      this.endedAt.set(name, this.options.clock.ticks())
      await this.write({ ...before, exit: { kind: 'unknown' } })
    }
  }

  private async launch({ name, command }: Companion, starts: number): Promise<StackHandle> {
    const { journal } = this.options
    const { number, cwd, plan } = journal.attempt
    const folder = journal.store.paths(journal.run).attempt(number)
    const place = join(folder, `companion-${name}`, String(starts))
    await mkdir(place, { recursive: true, mode: 0o700 })
    const { values, secretNames } = await this.environment(name)
    // A companion written in Node needs no Node of its own.
    const runtime = command[0] === 'node' ? ownRuntime() : null
    return (await this.options.here()).start({
      runId: this.idOf(name),
      attempt: number,
      argv: runtime === null ? command : [runtime.command, ...command.slice(1)],
      cwd: plan.image === null ? cwd : place,
      environment: { ...values, ...runtime?.environment },
      secretNames,
      attemptFolder: place,
      output: companionLog(folder, name)
    })
  }

  private async environment(
    name: string
  ): Promise<{ values: Record<string, string>; secretNames: string[] }> {
    const { journal, token, companions, secret } = this.options
    const { address, number } = journal.attempt
    const values: Record<string, string> = {
      SLIPWAY_RUN: journal.run,
      SLIPWAY_ATTEMPT: String(number),
      SLIPWAY_ADDRESS: address ?? '',
      SLIPWAY_SCENARIO: journal.seen.scenarios[0] ?? '',
      REEF_URL: address ?? '',
      ...(token === null ? {} : { REEF_TOKEN: token })
    }
    const names = companions.find((one) => one.name === name)?.environment ?? []
    for (const asked of names) {
      const value = await secret(asked)
      if (value !== null) values[asked] = value
    }
    return { values, secretNames: ['REEF_TOKEN', ...names] }
  }
}

function both(said: string): { en: string; zh: string } {
  return { en: said, zh: said }
}
