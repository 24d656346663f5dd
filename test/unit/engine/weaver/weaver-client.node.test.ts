import { mkdtempSync, readFileSync, rmSync, writeFileSync, existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Clock, FailureError, systemClock } from '../../../../src-main/engine/lib'
import { WeaverClient } from '../../../../src-main/engine/weaver'
import { dueForExtension } from '../../../../src-main/engine/weaver/extend-rule'
import { pathSegment, safeName } from '../../../../src-main/engine/weaver/safe-name'
import { startWeaver, WEAVER_KEY, type WeaverServer } from '../../../support/weaver-server'

const MODEL = 'm-1f2e'
const PATH = 'weaver://m-1f2e/checkpoints/step_000002'

let server: WeaverServer
let folder: string
let waited: number[]

/** Pauses end at once and are counted; the request deadline, a minute, never does. */
const quick: Clock = {
  ...systemClock,
  after(ms, run) {
    if (ms >= 60_000) return () => undefined
    waited.push(ms)
    return systemClock.after(0, run)
  }
}

beforeEach(async () => {
  server = await startWeaver()
  folder = mkdtempSync(join(tmpdir(), 'slipway-weaver-'))
  waited = []
})

afterEach(async () => {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

const client = (key = WEAVER_KEY): WeaverClient =>
  new WeaverClient({ server: server.url, key, clock: quick })

async function failureOf(act: Promise<unknown>): Promise<FailureError['failure']> {
  try {
    await act
  } catch (thrown) {
    if (thrown instanceof FailureError) return thrown.failure
    throw thrown
  }
  throw new Error('nothing was refused')
}

describe('views', () => {
  it('lists models with every price, and leaves out modes that have none', async () => {
    const models = await client().catalogue()
    expect(models.map(({ name, modes }) => [name, modes.map(({ mode }) => mode)])).toEqual([
      ['Qwen/Qwen3-8B', ['lora', 'full_ft']],
      ['Qwen/Qwen3-32B', ['lora']]
    ])
    expect(models[0]?.modes[0]?.prices[0]).toEqual({
      kind: 'training_tokens',
      unit: 'million_tokens',
      micros: 400_000
    })
  })

  it('reads all pages, newest first, of one session', async () => {
    const models = await client().models()
    expect(models).toHaveLength(230)
    const times = models.map(({ createdAt }) => createdAt ?? 0)
    expect(times).toEqual([...times].sort((a, b) => b - a))
    expect(await client().models('s-odd')).toHaveLength(115)
    expect(server.requests.slice(0, 3).map(({ path }) => path)).toEqual([
      '/api/v1/models?limit=100&offset=0',
      '/api/v1/models?limit=100&offset=100',
      '/api/v1/models?limit=100&offset=200'
    ])
  })

  it('takes training runs for models where the server has only those', async () => {
    const body = { error: 'not_found', message: 'no such route' }
    server.trouble.push({ route: 'GET /api/v1/models', status: 404, body, times: 1 })
    const models = await client().models('s-even')
    expect(models).toHaveLength(115)
    expect(server.requests.at(-1)?.path).toContain('/api/v1/training-runs?limit=100&offset=200')
    // Any other trouble is told, not gone around.
    server.trouble.push({ route: 'GET /api/v1/models', status: 402, body, times: 1 })
    await expect(client().models()).rejects.toMatchObject({ failure: { code: 'weaver-quota' } })
  })

  it('reads all checkpoints where the server makes pages of them', async () => {
    const [first] = server.checkpoints
    if (first === undefined) throw new Error('the server has a checkpoint')
    server.checkpoints = Array.from({ length: 130 }, (_, at) => ({
      ...first,
      path: `${PATH}-${at}`
    }))
    server.paged = true
    const paths = (await client().checkpoints(MODEL)).map(({ path }) => path)
    expect(new Set(paths).size).toBe(130)
  })

  it('says when a checkpoint expires', async () => {
    const [only] = await client().checkpoints(MODEL)
    expect(only).toMatchObject({ path: PATH, type: 'sampling' })
    expect((only?.expiresAt ?? 0) - (only?.createdAt ?? 0)).toBe(3_600_000)
  })
})

describe('acts', () => {
  it('gives a checkpoint another life, or lets it stay for good', async () => {
    await client().extend(MODEL, PATH, 86_400)
    await client().extend(MODEL, PATH, null)
    const patches = server.requests.filter(({ method }) => method === 'PATCH')
    expect(patches.map(({ body }) => body)).toEqual([
      { path: PATH, ttl_seconds: 86_400 },
      { path: PATH, ttl_seconds: null }
    ])
    expect((await client().checkpoints(MODEL))[0]?.expiresAt).toBeNull()
  })

  it('shortens a life only where that is said', async () => {
    await client().extend(MODEL, PATH, 86_400)
    const shorter = await failureOf(client().extend(MODEL, PATH, 3600))
    expect(shorter).toMatchObject({ code: 'weaver-would-shorten', where: PATH })
    await client().extend(MODEL, PATH, null)
    const ended = await failureOf(client().extend(MODEL, PATH, 7 * 86_400))
    expect(ended.what.en).toContain('kept for good')
    expect(server.requests.filter(({ method }) => method === 'PATCH')).toHaveLength(2)
    await client().extend(MODEL, PATH, 3600, true)
    expect((await client().checkpoints(MODEL))[0]?.expiresAt).not.toBeNull()
  })

  it.each(['checkpoint', null] as const)('saves for good (the answer says %s)', async (says) => {
    server.saveSays = says
    const path = await client().save(MODEL, 'weight_and_optimizer', 'keep')
    expect(path).toBe('weaver://m-1f2e/checkpoints/keep')
    const post = server.requests.find(({ method }) => method === 'POST')
    expect(post?.body).toEqual({ type: 'weight_and_optimizer', name: 'keep' })
  })

  it('exports once and downloads with the checksum of every file', async () => {
    const first = await client().export(MODEL, PATH, false)
    expect(await client().export(MODEL, PATH, false)).toBe(first)
    const { files } = await client().download(MODEL, PATH, folder, undefined)
    expect(files.map(({ name }) => name)).toEqual([...server.files.keys()])
    for (const [name, bytes] of server.files)
      expect(readFileSync(join(folder, name)).equals(bytes), name).toBe(true)
    expect(existsSync(join(folder, 'adapter_model.safetensors.part'))).toBe(false)
  })

  it('goes on where a download broke off, with new addresses where the old ones expired', async () => {
    await client().export(MODEL, PATH, false)
    server.cutAfter = 70_000
    const cut = await failureOf(client().download(MODEL, PATH, folder, undefined))
    expect(cut).toMatchObject({
      code: 'weaver-download-broken',
      where: 'adapter_model.safetensors'
    })
    server.expired = 2
    const { files } = await client().download(MODEL, PATH, folder, 'hf_adapter')
    expect(files).toHaveLength(3)
  })

  it('does not give a file its name when its bytes are others', async () => {
    await client().export(MODEL, PATH, false)
    writeFileSync(join(folder, 'adapter_model.safetensors.part'), Buffer.alloc(200_000, 9))
    await client().download(MODEL, PATH, folder, undefined)
    expect(readFileSync(join(folder, 'adapter_model.safetensors'))[0]).toBe(7)
    server.files.set('x.bin', Buffer.from('abc'))
    server.names = (name) => (name === 'x.bin' ? '../x.bin' : name)
    const unsafe = await failureOf(client().download(MODEL, PATH, folder, undefined))
    expect(unsafe.code).toBe('weaver-download-unsafe')
  })

  it('gives up a download that says nothing more, and goes on from there', async () => {
    await client().export(MODEL, PATH, false)
    let late = (): void => undefined
    const patient: Clock = {
      ...quick,
      after(ms, run) {
        if (ms < 60_000) return systemClock.after(0, run)
        late = run
        return () => undefined
      }
    }
    server.hold = () => {
      late()
    }
    const access = { server: server.url, key: WEAVER_KEY, clock: patient }
    const hung = await failureOf(new WeaverClient(access).download(MODEL, PATH, folder, undefined))
    expect(hung).toMatchObject({ code: 'weaver-download-broken', detail: 'no byte for 60 s' })
    server.hold = null
    expect((await client().download(MODEL, PATH, folder, undefined)).files).toHaveLength(3)
  })

  it('takes no more bytes than were announced', async () => {
    await client().export(MODEL, PATH, false)
    server.endless = true
    const failure = await failureOf(client().download(MODEL, PATH, folder, undefined))
    expect(failure).toMatchObject({ code: 'weaver-checksum', where: 'adapter_config.json' })
    expect(existsSync(join(folder, 'adapter_config.json'))).toBe(false)
    expect(existsSync(join(folder, 'adapter_config.json.part'))).toBe(false)
  })

  it('says that an export is missing', async () => {
    const failure = await failureOf(client().download(MODEL, PATH, folder, undefined))
    expect(failure.code).toBe('weaver-not-exported')
  })
})

describe('when the service says no', () => {
  it('never repeats the key', async () => {
    const failure = await failureOf(client('sk-wrong-key-0000000000').models())
    expect(failure.code).toBe('weaver-key-refused')
    expect(JSON.stringify(failure)).not.toContain('sk-wrong')
  })

  it('waits as long as it is asked to, then goes on', async () => {
    server.trouble.push({
      route: 'GET /api/v1/model-catalog',
      status: 429,
      body: { error: 'rate_limited', message: 'slow down' },
      headers: { 'retry-after': '7' },
      times: 2
    })
    expect(await client().catalogue()).toHaveLength(2)
    expect(waited).toEqual([7000, 7000])
  })

  it('does not ask twice for what must not be done twice', async () => {
    server.trouble.push({
      route: `POST /api/v1/models/${MODEL}/checkpoints`,
      status: 503,
      body: { error: 'quota_unavailable', message: 'later' },
      times: 1
    })
    const failure = await failureOf(client().save(MODEL, 'weight', undefined))
    expect(failure.code).toBe('weaver-unavailable')
    expect(server.requests.filter(({ method }) => method === 'POST')).toHaveLength(1)
  })

  it.each([
    [
      402,
      {
        error: 'quota_exceeded',
        message: 'no',
        details: { required_usd: '2.5', available_usd: '1' }
      },
      'weaver-quota',
      'required $2.5, available $1'
    ],
    [
      404,
      { error: 'not_found', message: 'gone', request_id: 'req-1' },
      'weaver-not-found',
      'request req-1'
    ],
    [400, '<html>proxy</html>', 'weaver-refused', '<html>proxy</html>']
  ])('%s: what, where and its own words', async (status, body, code, detail) => {
    server.trouble.push({ route: 'GET /api/v1/model-catalog', status, body, times: 9 })
    const failure = await failureOf(client().catalogue())
    expect(failure).toMatchObject({ code, where: 'GET /model-catalog?limit=100&offset=0' })
    expect(failure.detail).toContain(detail)
  })

  it('is not asked again and again when it is there and says nothing', async () => {
    server.trouble.push({
      route: 'GET /api/v1/models',
      status: 200,
      body: {},
      times: 9,
      silent: true
    })
    const silent: Clock = {
      ...systemClock,
      after: (ms, run) => systemClock.after(ms >= 60_000 ? 300 : 0, run)
    }
    const access = { server: server.url, key: WEAVER_KEY, clock: silent }
    const failure = await failureOf(new WeaverClient(access).models())
    expect(failure).toMatchObject({ code: 'weaver-unanswered', detail: 'no answer within 60 s' })
    expect(server.requests.length).toBeLessThanOrEqual(1)
  })

  it('an act that got no answer may have been done', async () => {
    server.trouble.push({
      route: `POST /api/v1/models/${MODEL}/checkpoints`,
      status: 0,
      body: {},
      times: 1
    })
    const failure = await failureOf(client().save(MODEL, 'weight', undefined))
    expect(failure.code).toBe('weaver-unanswered')
    expect(failure.remedy?.en).toContain('may have been done')
  })

  it('says that nobody answers', async () => {
    await server.close()
    expect((await failureOf(client().catalogue())).code).toBe('weaver-unanswered')
    server = await startWeaver()
  })

  it('says that an answer has another shape', async () => {
    server.trouble.push({ route: 'GET /api/v1/models', status: 200, body: { rows: [] }, times: 1 })
    expect((await failureOf(client().models())).code).toBe('weaver-unreadable')
  })
})

describe('small rules', () => {
  const exported = (
    step: number | null,
    expiresAt: number | null
  ): Parameters<typeof dueForExtension>[0][number] => ({
    step,
    path: `weaver://m/checkpoints/${step}`,
    at: 0,
    expiresAt
  })

  it('extends every Nth step once, while there is something to extend', () => {
    const all = [null, 1, 2, 3, 4, 5, 6].map((step) => exported(step, step === 4 ? 5 : 100))
    const due = dueForExtension(all, 2, new Set(['weaver://m/checkpoints/2']), 10)
    expect(due.map(({ step }) => step)).toEqual([6])
    expect(dueForExtension(all, 0, new Set(), 10)).toEqual([])
  })

  it('keeps downloads inside their folder and requests on their path, whatever the service names', () => {
    fc.assert(
      fc.property(fc.string(), (name) => {
        const safe = safeName(name)
        if (safe !== null) expect(join(folder, safe).startsWith(`${folder}/`)).toBe(true)
        const segment = pathSegment(name)
        if (segment !== null)
          expect(new URL(`http://h/a/${segment}/b`).pathname).toBe(`/a/${segment}/b`)
      })
    )
    for (const bad of ['../x', '/etc/passwd', 'a//b', 'a/./b', '.', '..\\x', 'C:x', ''])
      expect(safeName(bad), bad).toBeNull()
    for (const bad of ['..', '../models/x', 'a/b', '', '.'])
      expect(pathSegment(bad), bad).toBeNull()
  })
})
