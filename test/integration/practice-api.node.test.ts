import { readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PracticeStack, type Json, type ReleaseRow } from '../support/practice-stack'

const SCENARIO = { 'x-reef-scenario': 'practice' }
const AUTH = { authorization: 'Bearer secret-for-test' }
const BASE = '/reef/scenarios/practice'
const PROMPT = 'What is (4 + 9) mod 10? Answer with one digit.'

let stack: PracticeStack

beforeAll(async () => {
  stack = await PracticeStack.create(
    { traffic: 'off' },
    { flags: ['--recipe.config.batch-size', '2', '--training.options.global-batch-size', '2'] }
  )
  stack.start({ REEF_TOKEN: 'secret-for-test' })
  await stack.ready()
})
afterAll(() => stack.dispose())

async function receipt(): Promise<string> {
  const reply = await stack.ask(PROMPT, {}, AUTH)
  return reply.headers.get('x-reef-agent-record-id') ?? ''
}

function report(body: unknown): ReturnType<PracticeStack['call']> {
  return stack.call('/reef/report', body, { ...SCENARIO, ...AUTH })
}

async function commitOne(): Promise<ReleaseRow[]> {
  const before = (await get<{ releases: ReleaseRow[] }>(`${BASE}/releases`)).releases.length
  for (const score of [1, 0]) await report({ score, references: [await receipt()] })
  return stack.until(async () => {
    const { releases } = await get<{ releases: ReleaseRow[] }>(`${BASE}/releases`)
    return releases.length > before ? releases : null
  })
}

async function get<T = Json>(path: string): Promise<T> {
  const reply = await stack.call(path, undefined, AUTH)
  expect(reply.status).toBe(200)
  return JSON.parse(reply.text) as T
}

describe('who may ask', () => {
  it.each([
    ['no token', {}, '', 401],
    ['a wrong token', { authorization: 'Bearer other' }, '', 401],
    ['the token', AUTH, '', 200],
    ['the token as x-api-key', { 'x-api-key': 'secret-for-test' }, '', 200],
    ['the token in the query', AUTH, '?token=secret-for-test', 401]
  ])('%s', async (_, headers, query, status) => {
    const reply = await stack.call(`/reef/scenarios${query}`, undefined, headers)
    expect(reply.status).toBe(status)
    if (status === 401) expect(reply.text).toBe('invalid service token')
  })

  it('healthz needs none', async () => {
    expect(await stack.call('/healthz')).toMatchObject({ status: 200, text: '{"ok":true}' })
  })
})

describe('requests that are refused', () => {
  it.each<[string, string, unknown, Record<string, string>, number, string | RegExp]>([
    ['no scenario header', '/v1/chat/completions', { messages: [] }, {}, 400, /x-reef-scenario/],
    ['no messages', '/v1/chat/completions', { messages: [] }, SCENARIO, 400, /messages/],
    ['not JSON', '/reef/report', '{', SCENARIO, 400, /valid JSON/],
    ['empty name', '/reef/scenarios', { name: '' }, {}, 400, 'name must be a non-empty string'],
    [
      'a score that is no number',
      '/reef/report',
      { score: true },
      SCENARIO,
      400,
      'report score must be a finite number'
    ],
    [
      'the same receipt twice',
      '/reef/report',
      { score: 1, references: ['a', 'a'] },
      SCENARIO,
      400,
      'report references must be unique'
    ],
    [
      'an unknown receipt',
      '/reef/report',
      { score: 1, references: ['nobody'] },
      SCENARIO,
      400,
      "report reference 'nobody' must identify an existing inference in scenario 'practice'"
    ],
    ['report to nowhere', '/reef/report', { score: 1 }, { 'x-reef-scenario': 'none' }, 404, /none/],
    [
      'an unknown setting',
      `${BASE}/update`,
      { lr: 1 },
      {},
      400,
      'expected training_mode or model settings'
    ],
    [
      'a training request in auto mode',
      '/reef/train',
      { text: 'now' },
      SCENARIO,
      400,
      "explicit training requests require training_mode='manual' or 'hybrid'"
    ],
    [
      'rollback to nothing',
      `${BASE}/rollback`,
      { release_id: ' ' },
      {},
      400,
      'release_id must be a non-empty string'
    ],
    [
      'rollback to an unknown release',
      `${BASE}/rollback`,
      { release_id: 'zzz' },
      {},
      404,
      "scenario 'practice' has no release 'zzz'"
    ]
  ])('%s', async (_, path, body, headers, status, text) => {
    const reply = await stack.call(path, body, { ...headers, ...AUTH })
    expect(reply.status).toBe(status)
    if (typeof text === 'string') expect(reply.text).toBe(text)
    else expect(reply.text).toMatch(text)
  })

  it.each([
    ['/reef/scenarios/none/contract', 404],
    [`${BASE}/records?limit=101`, 400],
    [`${BASE}/commits?after_step=-1`, 400],
    ['/reef/nothing', 404],
    ['/reef/report', 405]
  ])('GET %s', async (path, status) => {
    expect((await stack.call(path, undefined, AUTH)).status).toBe(status)
  })

  it('an unknown record is answered in JSON', async () => {
    const reply = await stack.call(`${BASE}/records/none`, undefined, AUTH)
    expect(reply.status).toBe(404)
    expect(JSON.parse(reply.text)).toHaveProperty('error')
  })
})

describe('streams', () => {
  it('carries the receipt in the last chunk of a chat completion', async () => {
    const reply = await stack.ask(
      PROMPT,
      { stream: true, stream_options: { include_usage: true } },
      AUTH
    )
    const events = reply.text.trim().split('\n\n')
    expect(events.at(-1)).toBe('data: [DONE]')
    const last = JSON.parse((events.at(-2) ?? '').slice(6)) as { reef: { agent_record_id: string } }
    await get(`${BASE}/records/${last.reef.agent_record_id}`)
  })

  it('sends the events of a message in order', async () => {
    const body = {
      model: 'm',
      max_tokens: 9,
      stream: true,
      messages: [{ role: 'user', content: PROMPT }]
    }
    const reply = await stack.call('/v1/messages', body, {
      ...SCENARIO,
      'x-api-key': 'secret-for-test'
    })
    const names = [...reply.text.matchAll(/^event: (\w+)$/gm)].map((match) => match[1])
    expect(names).toEqual([
      'message_start',
      'content_block_start',
      'ping',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop'
    ])
  })

  it('answers a whole message', async () => {
    const content = [{ type: 'text', text: PROMPT }]
    const body = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content }] }
    const reply = await stack.call('/v1/messages', body, { ...SCENARIO, ...AUTH })
    expect(JSON.parse(reply.text)).toMatchObject({
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [{ type: 'text', text: expect.stringMatching(/^\d$/) as string }],
      stop_reason: 'end_turn'
    })
    expect(reply.headers.get('x-reef-agent-record-id')).toMatch(/^\w{32}$/)
  })
})

describe('reports', () => {
  it('are safe to send again, and a reused id is refused', async () => {
    const body = { agent_record_id: 'again-1', score: 0.5, references: [await receipt()] }
    const first = await report(body)
    expect(JSON.parse(first.text)).toEqual({
      agent_record_id: 'again-1',
      scenario: 'practice',
      request_type: 'report'
    })
    const both = await Promise.all([report(body), report(body)])
    expect(both.map((reply) => reply.text)).toEqual([first.text, first.text])
    expect((await report({ ...body, score: 0.6 })).status).toBe(409)
    const { records } = await get<{ records: Json[] }>(`${BASE}/records?request_type=report`)
    expect(records.filter((record) => record['agent_record_id'] === 'again-1')).toHaveLength(1)
  })
})

describe('the chain', () => {
  it('grows by a release a batch, and pages', async () => {
    const rows = await commitOne()
    expect(rows.at(-1)).toMatchObject({
      operation: 'creation',
      parent_release_id: null,
      recorded_at: null
    })
    expect(rows[0]).toMatchObject({ operation: 'training', current: true, restorable: true })
    expect(rows[0]?.parent_release_id).toBe(rows[1]?.release_id)
    interface Page {
      commits: { step: number; consumed_ids: string[] }[]
      next_after_step: number
    }
    const page = await get<Page>(`${BASE}/commits?limit=1`)
    expect(page.commits.map((commit) => commit.step)).toEqual([1])
    expect(page.next_after_step).toBe(1)
    const consumed = page.commits[0]?.consumed_ids[0] ?? ''
    const filtered = await get<Page>(`${BASE}/commits?record_id=${consumed}`)
    expect(filtered.commits.map((commit) => commit.step)).toEqual([1])
  })

  it('goes back without rewinding, and a second time changes nothing', async () => {
    const rows = await commitOne()
    const creation = rows.at(-1)
    const call = () => stack.call(`${BASE}/rollback`, { release_id: creation?.release_id }, AUTH)
    const reply = await call()
    expect(reply.status).toBe(200)
    const head = JSON.parse(reply.text) as { release_id: string; content_id: string }
    expect(head.content_id).toBe(creation?.content_id)
    expect(head.release_id).not.toBe(creation?.release_id)
    const { releases } = await get<{ releases: ReleaseRow[] }>(`${BASE}/releases`)
    expect(releases).toHaveLength(rows.length + 1)
    expect(releases[0]).toMatchObject({
      operation: 'rollback',
      rollback_target_release_id: creation?.release_id
    })
    const again = await stack.call(`${BASE}/rollback`, { release_id: head.release_id }, AUTH)
    expect(JSON.parse(again.text)).toEqual(JSON.parse(reply.text))
    expect((await get<{ releases: ReleaseRow[] }>(`${BASE}/releases`)).releases).toHaveLength(
      releases.length
    )
    expect((await stack.ask(PROMPT, {}, AUTH)).headers.get('x-reef-release-id')).toBe(
      head.release_id
    )
  })

  it('has a LoRA release and a marker for every training step', async () => {
    await commitOne()
    const root = join(stack.state, 'checkpoints', 'hf')
    const marker = await stack.until(() => {
      const read = JSON.parse(readFileSync(join(root, '.reef-latest-job.json'), 'utf8')) as Json
      return Promise.resolve(read['status'] === 'COMPLETE' ? read : null)
    })
    expect(marker).toMatchObject({ commit_acknowledged: true, scenario: 'practice' })
    expect(readdirSync(join(root, String(marker['rollout_id'])))).toContain('reef-adapter.json')
    const runtime = join(stack.runDir, 'reef', 'runtime.yaml')
    expect(statSync(runtime).mode & 0o777).toBe(0o600)
    expect(readFileSync(runtime, 'utf8')).not.toContain('secret-for-test')
    expect(stack.errors()).not.toContain('secret-for-test')
  })
})

describe('scenarios', () => {
  it('are made, found again, trained on request and archived', async () => {
    const make = () => stack.call('/reef/scenarios', { name: 'second' }, AUTH)
    expect((await make()).status).toBe(201)
    expect((await make()).status).toBe(200)
    const mode = { training_mode: 'manual' }
    await stack.call('/reef/scenarios/second/update', mode, AUTH)
    expect(await get('/reef/scenarios/second/contract')).toMatchObject({
      processor: 'sao',
      ...mode
    })
    const removed = await stack.call('/reef/scenarios/second', undefined, AUTH, 'DELETE')
    expect((JSON.parse(removed.text) as { archived: string[] }).archived).toHaveLength(3)
    expect((await stack.call('/reef/scenarios/second/contract', undefined, AUTH)).status).toBe(404)
  })

  it('stand in the status', async () => {
    const status = await get<{ error: null; scenarios: Json }>('/reef/status')
    expect(status.error).toBeNull()
    expect(status.scenarios['practice']).toMatchObject({
      training_mode: 'auto',
      checkpoint_storage: null,
      inference_admission: { open: true }
    })
  })
})

describe('records', () => {
  it('are numbered one by one, also those that come at once', async () => {
    const asked = Array.from({ length: 12 }, async () =>
      report({ score: 1, references: [await receipt()] })
    )
    await Promise.all(asked)
    const { records } = await get<{ records: Json[] }>(`${BASE}/records?limit=100`)
    const numbers = records.map((record) => record['sequence'])
    expect(numbers.length).toBeGreaterThanOrEqual(24)
    expect(numbers).toEqual(numbers.map((_, index) => index + 1))
  })
})
