import { randomBytes } from 'node:crypto'
import { readFile, rename } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { z } from 'zod'
import type { Plan } from '../../contract/launch'
import { QueuedLaunch } from '../../contract/queue'
import type { Gpu } from '../../contract/targets'
import {
  Changes,
  type Clock,
  errorCode,
  fail,
  FailureError,
  messageOf,
  writeFileAtomic
} from '../lib'
import { mayStart, type OwnStack, portsNeeded, type TakenPort } from './may-start'
import {
  granted,
  takeWishes,
  toBeLooked,
  type Wish,
  watchWishes,
  wishFor,
  withWishes
} from './wishes'

type Request = QueuedLaunch['request']

/** A launch that waited and does not start. */
export type Refused = QueuedLaunch & { state: Extract<QueuedLaunch['state'], { kind: 'refused' }> }

export interface QueueOptions {
  home: string
  clock: Clock
  /** Whether this engine starts what waits: only one that stays, and there is one of those for a home. */
  active: boolean
  plan: (request: Request) => Promise<Plan>
  /** Stacks of ours on a target that have not ended. */
  own: (target: string) => Promise<OwnStack[]>
  gpus: (target: string) => Promise<readonly Gpu[]>
  /** Those of these ports of a target that anybody listens on; empty where that cannot be seen. */
  taken: (target: string, ports: readonly number[]) => Promise<readonly TakenPort[]>
  /** As from the launch page, preflight and all. Rejects with FailureError. */
  start: (request: Request) => Promise<void>
  /** Told of a launch that does not start, perhaps more than once of the same. */
  refused: (item: Refused) => Promise<void>
  /** Milliseconds between two looks. */
  everyMs?: number
  /** Milliseconds that a wish of a command waits for the window. */
  wishMs?: number
}

const EVERY_MS = 5_000
/** A look changes what is shown, which must not be the reason for the next look. */
const LOOK_PAUSE_MS = 250
/** How long a command waits for the window to do what it wants of the queue. */
const WISH_MS = 10_000
const Kept = z.object({ version: z.literal(1), queue: z.array(QueuedLaunch) })

const before = { en: 'Waits behind another launch.', zh: '排在另一次启动之后。' }

/** Launches that wait for GPUs and ports, one after the other on each target; `queue.json` of the home. */
export class LaunchQueue {
  private readonly changes = new Changes()
  private readonly aborter = new AbortController()
  private working: Promise<void> = Promise.resolve()
  private writing: Promise<void> = Promise.resolve()

  private constructor(
    private readonly options: QueueOptions,
    private items: QueuedLaunch[],
    /** What is kept says less than what was read of it. */
    private readonly changed = false
  ) {}

  static async open(options: QueueOptions): Promise<LaunchQueue> {
    const file = join(options.home, FILE)
    if (!options.active)
      return new LaunchQueue(options, await withWishes(options.home, await glance(file)))
    const kept = await read(file)
    const at = options.clock.now()
    const items = kept.map((item): QueuedLaunch =>
      item.state.kind === 'starting'
        ? { ...item, state: { kind: 'refused', failure: unsure, at } }
        : item
    )
    return new LaunchQueue(
      options,
      items,
      kept.some(({ state }) => state.kind === 'starting')
    )
  }

  /** From now on what waits is looked at. */
  begin(): void {
    if (this.options.active) this.working = this.work()
  }

  /** Lets a launch wait. `done` false: nobody keeps the queue now, and it waits from when Slipway is opened next. */
  async add(request: Request): Promise<{ id: string; done: boolean }> {
    const { clock } = this.options
    // Planned at once, so that what can never start is said to whoever is still looking.
    const plan = await this.options.plan(request)
    const id = randomBytes(6).toString('hex')
    const name = request.name ?? basename(plan.recipePath)
    const state = { kind: 'waiting', why: toBeLooked } as const
    // Whoever starts it may stand in another folder.
    const asked = { ...request, recipe: resolve(plan.recipePath) }
    const item = { id, request: asked, name, queuedAt: clock.now(), state }
    return { id, done: await this.grant({ kind: 'add', item }) }
  }

  /**
   * Takes a launch out, lets it be the first of its target, or lets it be tried again. False: nobody keeps the queue now, and it will be done
   * when Slipway is opened next.
   * @throws FailureError `queue-unknown`, `queue-starting`, `queue-not-refused`
   */
  async wish(wish: Exclude<Wish, { kind: 'add' }>): Promise<boolean> {
    const item = this.items.find(({ id }) => id === wish.id)
    if (item === undefined) return fail({ ...unknown, where: wish.id })
    if (item.state.kind === 'starting') return fail({ ...starting, where: item.name })
    if (wish.kind === 'again' && item.state.kind !== 'refused')
      return fail({ ...notRefused, where: item.name })
    return this.grant(wish)
  }

  /** Does it, or lets whoever keeps the queue do it; false when nobody did. */
  private async grant(wish: Wish): Promise<boolean> {
    const { active, home, clock, wishMs = WISH_MS } = this.options
    if (!active) return wishFor(home, wish, { clock, ms: wishMs })
    await this.change(granted(this.items, wish))
    return true
  }

  private async remove(id: string): Promise<void> {
    await this.change(this.items.filter((one) => one.id !== id))
  }

  private async grantWishes(): Promise<void> {
    for (const { wish, done } of await takeWishes(this.options.home)) {
      await this.change(granted(this.items, wish))
      await done()
    }
  }

  async *watch(signal?: AbortSignal): AsyncGenerator<{ queue: QueuedLaunch[] }, void, undefined> {
    for await (const _ of this.changes.watch(0, signal)) {
      void _
      yield { queue: this.items }
    }
  }

  async dispose(): Promise<void> {
    this.aborter.abort()
    await this.working
    await this.writing
  }

  private async work(): Promise<void> {
    const { signal } = this.aborter
    const every = this.options.everyMs ?? EVERY_MS
    const watcher = await watchWishes(this.options.home, () => {
      this.changes.mark()
    })
    signal.addEventListener('abort', () => {
      watcher.close()
    })
    await this.tellRefused()
    for await (const _ of this.changes.watch(LOOK_PAUSE_MS, signal, every)) {
      void _
      try {
        await this.grantWishes()
        await this.lookAtAll()
      } catch (cause) {
        // What waits is kept in memory too: a disk that is full now may have room at the next look.
        console.error(`[slipway] queue: ${messageOf(cause)}`)
      }
    }
  }

  /** What an end of Slipway left in doubt is told once it is written down, so that it is not told anew each time. */
  private async tellRefused(): Promise<void> {
    try {
      if (this.changed) await this.change(this.items)
      for (const item of this.items) await this.tellIfRefused(item)
    } catch (cause) {
      console.error(`[slipway] queue: ${messageOf(cause)}`)
    }
  }

  private async tellIfRefused({ state, ...item }: QueuedLaunch): Promise<void> {
    if (state.kind === 'refused') await this.options.refused({ ...item, state })
  }

  /** The first of each target that may ever start; the others wait behind it. */
  private async lookAtAll(): Promise<void> {
    const seen = new Set<string>()
    for (const item of this.items) {
      if (this.aborter.signal.aborted) return
      if (item.state.kind !== 'waiting') continue
      if (seen.has(item.request.target))
        await this.setState(item.id, { kind: 'waiting', why: before })
      else await this.lookAt(item)
      seen.add(item.request.target)
    }
  }

  private async lookAt({ id, request }: QueuedLaunch): Promise<void> {
    const { plan, own, gpus, taken, start } = this.options
    const { target } = request
    try {
      const planned = await plan(request)
      const ports = portsNeeded(planned, request.overrides)
      const [stacks, seen, held] = await Promise.all([
        own(target),
        gpus(target),
        taken(target, ports)
      ])
      const verdict = mayStart({ plan: planned, ports, own: stacks, gpus: seen, taken: held })
      if (verdict.kind === 'wait') {
        await this.setState(id, { kind: 'waiting', why: verdict.why })
        return
      }
      // Written down first: an engine that dies here has it as refused, and does not start it twice.
      if (!(await this.setState(id, { kind: 'starting' }))) return
      await start(request)
      await this.remove(id)
    } catch (cause) {
      if (!(cause instanceof FailureError)) console.error(cause)
      const what = {
        en: 'Something in Slipway itself went wrong.',
        zh: 'Slipway 内部出现意外错误。'
      }
      await this.setState(id, {
        kind: 'refused',
        at: this.options.clock.now(),
        failure:
          cause instanceof FailureError
            ? cause.failure
            : { code: 'unexpected', what, detail: messageOf(cause) }
      })
    }
  }

  /** False when it was taken out meanwhile. */
  private async setState(id: string, state: QueuedLaunch['state']): Promise<boolean> {
    const item = this.items.find((one) => one.id === id)
    if (item === undefined) return false
    if (JSON.stringify(item.state) === JSON.stringify(state)) return true
    await this.change(this.items.map((one) => (one.id === id ? { ...one, state } : one)))
    await this.tellIfRefused({ ...item, state })
    return true
  }

  private async change(items: QueuedLaunch[]): Promise<void> {
    this.items = items
    this.changes.mark()
    const text = `${JSON.stringify({ version: 1, queue: items }, null, 2)}\n`
    this.writing = this.writing
      .catch(() => undefined)
      .then(() => writeFileAtomic(join(this.options.home, FILE), text))
    await this.writing
  }
}

const FILE = 'queue.json'

const unknown = {
  code: 'queue-unknown',
  what: { en: 'Nothing with this id waits.', zh: '没有以此 id 排队的启动。' },
  remedy: { en: 'See `slipway queue` for the ids.', zh: '请用 `slipway queue` 查看 id。' }
}
const notRefused = {
  code: 'queue-not-refused',
  what: {
    en: 'It waits already, and is started as soon as that is possible.',
    zh: '它已在等待，一旦可行就会启动。'
  }
}
const starting = {
  code: 'queue-starting',
  what: { en: 'It is being started at this moment.', zh: '它此刻正在启动。' },
  remedy: { en: 'Stop its run instead.', zh: '请改为停止其运行。' }
}

/** What waits, as another engine keeps it, read without touching it. */
async function glance(file: string): Promise<QueuedLaunch[]> {
  try {
    return parsed(await readFile(file, 'utf8')) ?? []
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return []
    throw cause
  }
}

/** What waited when Slipway was left. */
async function read(file: string): Promise<QueuedLaunch[]> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return []
    throw cause
  }
  const kept = parsed(text)
  if (kept === null) {
    // Kept, so that nothing a person queued is lost.
    await rename(file, `${file}.damaged-${Date.now()}`)
    return []
  }
  return kept
}

function parsed(text: string): QueuedLaunch[] | null {
  try {
    const kept = Kept.safeParse(JSON.parse(text))
    return kept.success ? kept.data.queue : null
  } catch {
    // Not JSON: the caller puts it aside.
    return null
  }
}

/** A launch that was just starting may have started: that is for a person to see. */
const unsure = {
  code: 'queue-interrupted',
  what: {
    en: 'Slipway ended while this was being started: it may run already.',
    zh: 'Slipway 在启动它时退出：它可能已经在运行。'
  },
  remedy: {
    en: 'Look in the list of runs; launch it again if it is not there.',
    zh: '请在运行列表中查看；若不在其中，请重新启动。'
  }
}
