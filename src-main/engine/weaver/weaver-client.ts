import type { CatalogueModel, WeaverCheckpoint, WeaverModel } from '../../contract/weaver'
import type { z } from 'zod'
import { fail, FailureError, pause } from '../lib'
import { downloadFiles, type SavedFiles } from './artifact-download'
import { pathSegment } from './safe-name'
import { unreadable } from './weaver-failure'
import { callWeaver, type WeaverAccess } from './weaver-http'
import { shortens } from './extend-rule'
import {
  Artifact,
  catalogueModel,
  checkpointOf,
  Descriptor,
  Items,
  modelOf,
  Operation
} from './weaver-shapes'

const PAGE = 100
/** Pages of one list; nobody has so many, and a service that never ends one must not hold us for ever. */
const MOST_PAGES = 200
/** Life of an export in the SDK's default: seven days. */
const EXPORT_SECONDS = 7 * 24 * 3600
const FIRST_POLL_MS = 500
const LONGEST_POLL_MS = 10_000
/** A full fine-tuning export of a large model takes long. */
const LONGEST_OPERATION_MS = 2 * 3600_000

/** Weaver's REST API as its SDK uses it (`nex-agi/weaver`): views, and the four acts. Opens no session and starts no model. */
export class WeaverClient {
  constructor(
    private readonly access: WeaverAccess,
    private readonly signal?: AbortSignal
  ) {}

  /** Models that can be trained, with the prices of each mode. */
  async catalogue(): Promise<CatalogueModel[]> {
    const items = await this.pages('/model-catalog')
    return items.flatMap((item) => catalogueModel(item) ?? [])
  }

  /** The person's models, newest first; of one session where it is named. */
  async models(session?: string): Promise<WeaverModel[]> {
    const items = await this.modelPages()
    return items
      .flatMap((item) => modelOf(item) ?? [])
      .filter((model) => session === undefined || model.session === session)
      .sort((a, b) => (b.createdAt ?? 0) - (a.createdAt ?? 0))
  }

  async checkpoints(model: string): Promise<WeaverCheckpoint[]> {
    const path = `/models/${this.segment(model)}/checkpoints`
    const { items, pagination } = this.shape(Items, await this.get(path), path)
    const all = [...items]
    // The SDK asks for this list without pages; a server that makes some all the same says how many there are.
    const total = pagination?.total_count ?? all.length
    for (let page = 0; page < MOST_PAGES && all.length < total; page += 1) {
      const asked = `${path}?limit=${PAGE}&offset=${all.length}`
      const more = this.shape(Items, await this.get(asked), asked).items
      if (more.length === 0) break
      all.push(...more)
    }
    return all.flatMap((item) => checkpointOf(item) ?? [])
  }

  /**
   * Gives a checkpoint another life from now on; null: for good. Asking twice is asking once.
   * @throws FailureError `weaver-would-shorten` when it lives longer than that already, unless that is what is wanted
   */
  async extend(
    model: string,
    checkpoint: string,
    seconds: number | null,
    shorten = false
  ): Promise<void> {
    if (seconds !== null && !shorten) await this.refuseShorter(model, checkpoint, seconds)
    await callWeaver(this.access, {
      method: 'PATCH',
      path: `/models/${this.segment(model)}/checkpoints/ttl`,
      body: { path: checkpoint, ttl_seconds: seconds },
      signal: this.signal
    })
  }

  /** Saves the model as it is now, for good. Resolves with the checkpoint's path. */
  async save(
    model: string,
    type: 'weight' | 'weight_and_optimizer',
    name: string | undefined
  ): Promise<string> {
    const path = `/models/${this.segment(model)}/checkpoints`
    const before = new Set((await this.checkpoints(model)).map(({ id }) => id))
    const body = name === undefined ? { type } : { type, name }
    const response = await this.operation(path, body)
    const told = checkpointOf(response)?.path ?? ''
    if (told.startsWith('weaver://')) return told
    // Some servers finish the operation without saying what was saved: then it is the one that was not there before.
    const fresh = (await this.checkpoints(model)).filter(
      (one) => !before.has(one.id) && one.type === type && (name === undefined || one.name === name)
    )
    const [only, ...others] = fresh
    if (only !== undefined && others.length === 0) return only.path
    throw unreadable(path, 'the operation is done, but names no checkpoint')
  }

  /** Exports a checkpoint in Hugging Face format. Resolves with the artifact's id; a finished one is not made again. */
  async export(model: string, checkpoint: string, merge: boolean): Promise<string> {
    const id = await this.checkpointId(model, checkpoint)
    const path = `/checkpoints/${id}/export`
    const body = {
      format: 'huggingface',
      merge_adapter: merge,
      ttl_seconds: EXPORT_SECONDS,
      force: false
    }
    return this.shape(Artifact, await this.operation(path, body), path).id
  }

  /** Downloads a checkpoint's exported artifact; each file is checked against its sha256 before it gets its name. */
  async download(
    model: string,
    checkpoint: string,
    folder: string,
    kind: string | undefined
  ): Promise<SavedFiles> {
    const artifact = await this.artifactOf(model, checkpoint, kind)
    const path = `/artifacts/${this.segment(artifact)}/download`
    const describe = async (): Promise<Descriptor> =>
      this.shape(Descriptor, await this.get(path), path)
    return downloadFiles(describe, folder, { clock: this.access.clock, signal: this.signal })
  }

  private async refuseShorter(model: string, checkpoint: string, seconds: number): Promise<void> {
    const found = (await this.checkpoints(model)).find(({ path }) => path === checkpoint)
    if (found === undefined || !shortens(found.expiresAt, seconds, this.access.clock.now())) return
    const until = found.expiresAt === null ? null : new Date(found.expiresAt).toISOString()
    fail({
      code: 'weaver-would-shorten',
      what:
        until === null
          ? {
              en: 'It is kept for good; this would give it an end.',
              zh: '它已永久保留；此操作会使其失效。'
            }
          : {
              en: `It lives until ${until} already; this would shorten its life.`,
              zh: `其有效期已到 ${until}；此操作会缩短它。`
            },
      where: checkpoint,
      remedy: {
        en: 'Ask for a longer life, or say that it is to be shortened (--shorten).',
        zh: '请指定更长的有效期，或明确表示要缩短（--shorten）。'
      }
    })
  }

  private async artifactOf(
    model: string,
    checkpoint: string,
    kind: string | undefined
  ): Promise<string> {
    const path = `/checkpoints/${await this.checkpointId(model, checkpoint)}/artifacts`
    const { items } = this.shape(Items, await this.get(path), path)
    const ready = items.flatMap((item) => {
      const artifact = Artifact.safeParse(item).data
      const fits = kind === undefined || artifact?.kind === kind
      return artifact !== undefined && artifact.status === 'completed' && fits ? [artifact] : []
    })
    const kinds = [...new Set(ready.map((one) => one.kind))]
    const [first] = ready
    if (first !== undefined && kinds.length === 1) return first.id
    return fail(
      first === undefined
        ? {
            code: 'weaver-not-exported',
            what: {
              en: 'There is no finished export of this checkpoint.',
              zh: '该 checkpoint 没有已完成的导出。'
            },
            where: checkpoint,
            remedy: { en: 'Export it first.', zh: '请先导出。' }
          }
        : {
            code: 'weaver-two-exports',
            what: {
              en: `It was exported as ${kinds.join(' and as ')}.`,
              zh: `已导出为 ${kinds.join('、')}。`
            },
            where: checkpoint,
            remedy: { en: 'Say which one is wanted.', zh: '请指定要下载哪一种。' }
          }
    )
  }

  private async checkpointId(model: string, checkpoint: string): Promise<string> {
    const found = (await this.checkpoints(model)).find((one) => one.path === checkpoint)
    if (found !== undefined) return this.segment(found.id)
    return fail({
      code: 'weaver-not-found',
      what: {
        en: 'This model has no such checkpoint; it may have expired.',
        zh: '该模型没有此 checkpoint，可能已过期。'
      },
      where: checkpoint
    })
  }

  /** Both routes are in the SDK (`weaver/service_client.py`); a run's id is its model's. A server may have only one. */
  private async modelPages(): Promise<unknown[]> {
    try {
      return await this.pages('/models')
    } catch (thrown) {
      const missing = thrown instanceof FailureError && thrown.failure.code === 'weaver-not-found'
      if (!missing) throw thrown
      return this.pages('/training-runs')
    }
  }

  private get(path: string): Promise<unknown> {
    return callWeaver(this.access, { method: 'GET', path, signal: this.signal })
  }

  private async pages(path: string): Promise<unknown[]> {
    const all: unknown[] = []
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const asked = `${path}?limit=${PAGE}&offset=${all.length}`
      const { items, pagination } = this.shape(Items, await this.get(asked), asked)
      all.push(...items)
      const total = pagination?.total_count ?? all.length
      if (items.length === 0 || all.length >= total) return all
    }
    return all
  }

  /** Asks for something long and waits until it is done. Resolves with what it answers. */
  private async operation(path: string, body: unknown): Promise<unknown> {
    const { clock } = this.access
    const first = await callWeaver(this.access, {
      method: 'POST',
      path,
      body,
      signal: this.signal
    })
    let now = this.shape(Operation, first, path)
    // What is finished already answers with itself instead of an operation.
    if (Artifact.safeParse(first).data?.status === 'completed') return first
    const id = now.operation_id ?? now.id
    const since = clock.ticks()
    for (let wait = FIRST_POLL_MS; ; wait = Math.min(LONGEST_POLL_MS, wait * 1.5)) {
      const status = now.status?.toLowerCase()
      if (status === 'done') return now.response ?? {}
      if (status === 'error') throw operationFailed(now, path)
      if (id === null || id === undefined) throw unreadable(path, 'the answer names no operation')
      if (this.signal?.aborted === true || clock.ticks() - since > LONGEST_OPERATION_MS) {
        throw operationUnfinished(String(id), path)
      }
      await pause(clock, wait, this.signal)
      const place = `/operations/${this.segment(String(id))}`
      now = this.shape(Operation, await this.get(place), place)
    }
  }

  private segment(id: string): string {
    const segment = pathSegment(id)
    if (segment !== null) return segment
    return fail({
      code: 'weaver-bad-id',
      what: { en: 'This is not an id of Weaver’s.', zh: '这不是 Weaver 的标识符。' },
      where: id
    })
  }

  private shape<T>(schema: z.ZodType<T>, payload: unknown, where: string): T {
    const parsed = schema.safeParse(payload)
    if (parsed.success) return parsed.data
    throw unreadable(where, parsed.error.issues[0]?.message ?? 'unknown shape')
  }
}

function operationFailed(
  { error_code: code, error, error_message: message }: z.infer<typeof Operation>,
  where: string
): FailureError {
  return new FailureError({
    code: 'weaver-operation-failed',
    what: { en: 'Weaver could not do it.', zh: 'Weaver 未能完成该操作。' },
    where,
    detail: [code ?? error ?? 'operation_failed', message ?? '']
      .filter((part) => part !== '')
      .join(': ')
  })
}

function operationUnfinished(id: string, where: string): FailureError {
  return new FailureError({
    code: 'weaver-operation-unfinished',
    what: {
      en: `Weaver still works on it (operation ${id}); nobody waits for it any more.`,
      zh: `Weaver 仍在处理（操作 ${id}），已停止等待。`
    },
    where
  })
}
