import { mkdir, readFile, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { TargetSpec, type TargetStatus } from '../../contract/targets'
import { fail, FailureError, systemClock, writeFileAtomic } from '../lib'
import { discoverTargets, LOCAL_TARGET, type DiscoverySurroundings } from './discovery'
import { isMissing } from './files/file-failure'
import { openTarget, type TargetSurroundings } from './open-target'
import { parseSshDestination } from './ssh/ssh-destination'
import type { Target } from './target'

const StoredTargets = z.object({
  version: z.literal(1),
  targets: z.array(TargetSpec),
  /** Found ones the person does not want to see. */
  hidden: z.array(z.string())
})
type StoredTargets = z.infer<typeof StoredTargets>

const NOTHING: StoredTargets = { version: 1, targets: [], hidden: [] }

export interface RegistryOptions extends TargetSurroundings {
  discovery?: DiscoverySurroundings
}

/**
 * Every place a stack can run: found on this computer, or added by the person and kept in `<home>/targets.json`.
 * Opens each target once and shares it. One list at a time is written: calls queue.
 */
export class TargetRegistry {
  private readonly open = new Map<string, Promise<Target>>()
  private readonly last = new Map<string, TargetStatus>()
  private writing: Promise<unknown> = Promise.resolve()

  constructor(private readonly options: RegistryOptions) {}

  private get file(): string {
    return join(this.options.home, 'targets.json')
  }

  /** All targets with what was last seen of them; nothing is asked. */
  async list(): Promise<TargetStatus[]> {
    const all = await this.specs()
    return all.map(({ spec, found }) => this.last.get(spec.id) ?? unasked(spec, found))
  }

  /** Asks one target. FailureError `target-unknown` when there is none with this id. */
  async probe(
    id: string,
    signal: AbortSignal = new AbortController().signal
  ): Promise<TargetStatus> {
    const { spec, found } = await this.find(id)
    const began = (this.options.clock ?? systemClock).ticks()
    let status: TargetStatus
    try {
      status = { ...(await (await this.get(id)).probe(signal)), found }
    } catch (thrown) {
      if (!(thrown instanceof FailureError)) throw thrown
      status = refused(spec, found, thrown, (this.options.clock ?? systemClock).ticks() - began)
    }
    this.last.set(id, status)
    return status
  }

  /** The opened target; the same one for everybody. FailureError when it is unknown or its description is wrong. */
  async get(id: string): Promise<Target> {
    const { spec } = await this.find(id)
    const known = this.open.get(id)
    if (known !== undefined) return known
    const opening = openTarget(spec, this.options)
    this.open.set(id, opening)
    opening.catch(() => this.open.delete(id))
    return opening
  }

  /** Adds a target and asks it. Saved whether it answers or not: the person may be about to switch it on. */
  async add(spec: TargetSpec): Promise<TargetStatus> {
    checkAddress(spec)
    const all = await this.specs()
    if (all.some(({ spec: { id } }) => id === spec.id))
      fail({
        code: 'target-exists',
        where: spec.id,
        what: { en: `There is a target "${spec.id}" already.`, zh: `已存在目标“${spec.id}”。` },
        remedy: { en: 'Give it another id.', zh: '请使用其他标识。' }
      })
    await this.change((stored) => ({ ...stored, targets: [...stored.targets, spec] }))
    return this.probe(spec.id)
  }

  /** Forgets an added target, or hides a found one. Nothing at the target itself is touched. */
  async remove(id: string): Promise<void> {
    const { found } = await this.find(id)
    if (id === LOCAL_TARGET)
      fail({
        code: 'target-fixed',
        where: id,
        what: { en: 'This computer itself cannot be removed.', zh: '本机目标无法移除。' }
      })
    await this.change(({ targets, hidden, version }) => ({
      version,
      targets: targets.filter((spec) => spec.id !== id),
      hidden: found ? [...hidden, id] : hidden
    }))
    const open = await this.open.get(id)?.catch(() => null)
    this.open.delete(id)
    this.last.delete(id)
    await open?.dispose()
  }

  async dispose(): Promise<void> {
    const all = await Promise.allSettled(this.open.values())
    this.open.clear()
    for (const one of all) if (one.status === 'fulfilled') await one.value.dispose()
  }

  private async specs(): Promise<{ spec: TargetSpec; found: boolean }[]> {
    const [stored, discovered] = await Promise.all([
      this.read(),
      discoverTargets(this.options.discovery)
    ])
    const added = new Set(stored.targets.map(({ id }) => id))
    return [
      ...discovered
        .filter(({ id }) => !stored.hidden.includes(id) && !added.has(id))
        .map((spec) => ({ spec, found: true })),
      ...stored.targets.map((spec) => ({ spec, found: false }))
    ]
  }

  private async find(id: string): Promise<{ spec: TargetSpec; found: boolean }> {
    const entry = (await this.specs()).find(({ spec }) => spec.id === id)
    if (entry !== undefined) return entry
    return fail({
      code: 'target-unknown',
      where: id,
      what: { en: `There is no target "${id}".`, zh: `没有名为“${id}”的目标。` },
      remedy: {
        en: 'It may have been removed, or its Docker context deleted. The list shows what is there.',
        zh: '它可能已被移除，或其 Docker context 已删除。请查看目标列表。'
      }
    })
  }

  private async change(how: (stored: StoredTargets) => StoredTargets): Promise<void> {
    const run = async (): Promise<void> => {
      const next = how(await this.read())
      await mkdir(dirname(this.file), { recursive: true })
      await writeFileAtomic(this.file, `${JSON.stringify(next, null, 2)}\n`)
    }
    const done = this.writing.then(run, run)
    this.writing = done
    await done
  }

  private async read(): Promise<StoredTargets> {
    let text: string
    try {
      text = await readFile(this.file, 'utf8')
    } catch (thrown) {
      if (isMissing(thrown)) return NOTHING
      throw thrown
    }
    const stored = parseStored(text)
    if (stored !== null) return stored
    // Kept, so that nothing the person wrote is lost; the found targets go on working.
    await rename(this.file, `${this.file}.damaged-${Date.now()}`)
    return NOTHING
  }
}

function parseStored(text: string): StoredTargets | null {
  try {
    const parsed = StoredTargets.safeParse(JSON.parse(text))
    return parsed.success ? parsed.data : null
  } catch {
    // Not JSON at all: the caller puts the file aside.
    return null
  }
}

/** Refuses, before anything is saved, what can never be reached. */
function checkAddress(spec: TargetSpec): void {
  if (spec.kind === 'docker' && spec.via.kind === 'ssh') parseSshDestination(spec.via.destination)
  if (spec.kind === 'attach' && !/^https?:\/\/[^\s/@]+(\/\S*)?$/.test(spec.address))
    fail({
      code: 'address-refused',
      where: spec.address,
      what: {
        en: `"${spec.address}" is not an http address without a password in it.`,
        zh: `“${spec.address}”不是有效的 http 地址（且不得包含密码）。`
      },
      remedy: { en: 'Write http://host:port.', zh: '请填写 http://主机:端口。' }
    })
}

function unasked(spec: TargetSpec, found: boolean): TargetStatus {
  return {
    spec,
    found,
    reachable: 'unknown',
    why: null,
    remedy: null,
    engine: null,
    version: null,
    gpus: [],
    freeBytes: null
  }
}

function refused(
  spec: TargetSpec,
  found: boolean,
  { failure }: FailureError,
  took: number
): TargetStatus {
  return {
    ...unasked(spec, found),
    reachable: 'no',
    why: failure.what,
    took,
    ...(failure.remedy === undefined ? {} : { advice: failure.remedy }),
    ...(failure.detail === undefined ? {} : { said: failure.detail })
  }
}
