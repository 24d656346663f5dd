import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LaunchRequest } from '../../src-main/contract/launch'
import type { AskEvent, Pulse, TalkForm } from '../../src-main/contract/talk'
import { TrialService } from '../../src-main/engine/behaviour'
import { FailureError, systemClock } from '../../src-main/engine/lib'
import type { LogBook } from '../../src-main/engine/logs'
import { LogReaders } from '../../src-main/engine/router/log-readers'
import { freePort, type RunService } from '../../src-main/engine/stacks'
import { TalkService } from '../../src-main/engine/talk'
import {
  ended,
  endEverything,
  openService,
  practiceYard,
  until,
  type Yard
} from '../support/run-service'

const TOKEN = 'token-for-the-talk-test'
const PROMPT = 'What is (4 + 9) mod 10? Answer with one digit.'
const scenario = 'practice'
/** Away from the ports recipes name: other stacks may be up on this machine. */
const FIRST_PORT = 19_400 + Math.floor(Math.random() * 1000)

let yard: Yard
let runs: RunService
let talk: TalkService
let run: string
let address: string

beforeAll(async () => {
  yard = await practiceYard()
  const secret = (name: string): Promise<string | null> =>
    Promise.resolve(name === 'REEF_TOKEN' ? TOKEN : null)
  runs = await openService(yard, { secret, environment: { REEF_TOKEN: TOKEN } })
  const overrides = [
    { path: 'reef.port', value: String(await freePort(FIRST_PORT, '127.0.0.1', new Set())) },
    { path: 'training.options.traffic', value: 'off' },
    { path: 'recipe.config.batch-size', value: '2' },
    { path: 'training.options.global-batch-size', value: '2' }
  ]
  run = (await runs.start(LaunchRequest.parse({ recipe: yard.recipe, overrides }))).run
  const up = await until(runs, run, ({ scenarios }) => scenarios.includes(scenario), 60_000)
  address = up.address ?? ''
  const logs = new LogReaders({
    runs,
    clock: systemClock,
    secret,
    zones: () => Promise.resolve(() => 0)
  })
  talk = new TalkService({
    runs,
    clock: systemClock,
    logOf: (id): Promise<LogBook> => logs.of(id)
  })
})

afterAll(async () => {
  await talk.dispose()
  await endEverything([runs])
  await yard.remove()
})

interface Said {
  text: string
  pieces: number
  end: Extract<AskEvent, { kind: 'done' }>
}

async function hear(form: TalkForm, stream: boolean, prompt = PROMPT): Promise<Said> {
  const turns = [
    { role: 'system' as const, text: 'Answer with one digit.' },
    { role: 'user' as const, text: prompt }
  ]
  let text = ''
  let pieces = 0
  for await (const event of talk.ask({ run, scenario, form, stream, turns, temperature: 0 })) {
    if (event.kind === 'done') return { text, pieces, end: event }
    text += event.text
    pieces += 1
  }
  throw new Error('the answer has no end')
}

async function failureOf(doing: Promise<unknown>): Promise<FailureError['failure']> {
  const thrown: unknown = await doing.then(
    () => null,
    (cause: unknown) => cause
  )
  if (thrown instanceof FailureError) return thrown.failure
  throw new Error(`no failure but ${String(thrown)}`)
}

/** Follows the scenario until it is as wanted. */
async function pulse(wanted: (now: Pulse) => boolean): Promise<Pulse> {
  const aborter = new AbortController()
  const timer = setTimeout(() => aborter.abort(), 60_000)
  try {
    for await (const now of talk.watch({ run, scenario }, aborter.signal)) {
      if (wanted(now)) return now
    }
  } finally {
    clearTimeout(timer)
  }
  throw new Error('the scenario did not get there in 60 s')
}

describe('asking', () => {
  it.each<[TalkForm, boolean]>([
    ['openai', true],
    ['openai', false],
    ['anthropic', true],
    ['anthropic', false]
  ])('in the %s form, streamed %s', async (form, stream) => {
    const { text, end } = await hear(form, stream)
    expect(text).toMatch(/^\d$/)
    expect(end.receipt).toMatch(/\S/)
    expect(end.release.releaseId).toMatch(/\S/)
    expect(end.release.step).not.toBeNull()
    expect(end.took).toBeGreaterThanOrEqual(end.firstAfter)
  })

  it('hands on the service’s words when it refuses', async () => {
    const asked = talk
      .ask({ run, scenario, form: 'openai', stream: true, turns: [], temperature: 0 })
      .next()
    expect(await failureOf(asked)).toMatchObject({
      code: 'ask-refused',
      detail: 'messages must be a non-empty list'
    })
  })

  it('says where one’s own program finds the service, and never the token', async () => {
    const door = await talk.doorway(run)
    expect(door).toMatchObject({ address, tokenName: 'REEF_TOKEN', token: true })
    expect(JSON.stringify(door)).not.toContain(TOKEN)
  })
})

describe('the client libraries as they come', () => {
  const headers = { 'x-reef-scenario': scenario }

  it('openai, streamed and not', async () => {
    const client = new OpenAI({
      baseURL: `${address}/v1`,
      apiKey: TOKEN,
      defaultHeaders: headers,
      maxRetries: 0
    })
    const body = {
      model: 'any',
      temperature: 0,
      messages: [{ role: 'user' as const, content: PROMPT }]
    }
    const { data, response } = await client.chat.completions.create(body).withResponse()
    expect(data.choices[0]?.message.content).toMatch(/^\d$/)
    expect(response.headers.get('x-reef-agent-record-id')).toMatch(/\S/)
    let text = ''
    for await (const chunk of await client.chat.completions.create({ ...body, stream: true })) {
      text += chunk.choices[0]?.delta.content ?? ''
    }
    expect(text).toBe(data.choices[0]?.message.content)
  })

  it('anthropic, streamed and not', async () => {
    const client = new Anthropic({
      baseURL: address,
      apiKey: TOKEN,
      defaultHeaders: headers,
      maxRetries: 0
    })
    const body = {
      model: 'any',
      max_tokens: 16,
      temperature: 0,
      messages: [{ role: 'user' as const, content: PROMPT }]
    }
    const { data, response } = await client.messages.create(body).withResponse()
    const [block] = data.content
    expect(block?.type === 'text' ? block.text : '').toMatch(/^\d$/)
    expect(response.headers.get('x-reef-agent-record-id')).toMatch(/\S/)
    const streamed = await client.messages.stream(body).finalText()
    expect(streamed).toBe(block?.type === 'text' ? block.text : '')
  })
})

describe('from an answer to the release that learnt from it', () => {
  it('batch, step, release; and the record tells all of it', async () => {
    const before = await pulse(() => true)
    const [first, second] = [await hear('openai', true), await hear('anthropic', true)]
    const id = first.end.receipt ?? ''
    const { id: report } = await talk.report({
      run,
      scenario,
      references: [id],
      score: 1,
      words: 'short and right'
    })
    const waiting = await talk.feedback({ run, scenario })
    expect(waiting.waiting.newest.map((record) => record.id)).toContain(report)
    await talk.report({ run, scenario, references: [second.end.receipt ?? ''], score: 0 })
    const after = await pulse(({ step }) => (step ?? 0) > (before.step ?? 0))
    expect(after.batch.need).toBe(2)
    const told = await talk.conversation({ run, scenario, id })
    expect(told).toMatchObject({
      reply: first.text,
      answer: { type: 'inference', learntBy: after.step },
      reports: [{ words: 'short and right', record: { id: report, score: 1, references: [id] } }]
    })
    expect(told.turns?.at(-1)).toEqual({ role: 'user', text: PROMPT })
    expect(told.answer?.release.releaseId).toBe(first.end.release.releaseId)
    // Asked by the report, the same conversation.
    expect(await talk.conversation({ run, scenario, id: report })).toEqual(told)
    const learnt = await talk.feedback({ run, scenario })
    expect(learnt.waiting.newest.map((record) => record.id)).not.toContain(report)
    const taught = await talk.learnt({ run, scenario, step: after.step ?? -1 })
    expect(taught.scores).toEqual({ n: 2, mean: 0.5, least: 0, most: 1 })
    expect(taught.records?.find((record) => record.id === report)).toMatchObject({
      score: 1,
      words: 'short and right',
      learntBy: after.step
    })
  })
})

describe('records', () => {
  it('come newest first, by page, each once', async () => {
    const whole = await talk.records({ run, scenario, limit: 200 })
    const paged: string[] = []
    let before: number | undefined
    do {
      const page = await talk.records({ run, scenario, limit: 3, before })
      paged.push(...page.records.map(({ id }) => id))
      before = page.next ?? undefined
    } while (before !== undefined)
    expect(paged).toEqual(whole.records.map(({ id }) => id))
    expect(whole.records).toHaveLength(whole.total)
    const sequences = whole.records.map(({ sequence }) => sequence)
    expect(sequences).toEqual([...sequences].sort((a, b) => b - a))
  })

  it('are found by what was asked, by words of a report and by id', async () => {
    await hear('openai', false, 'A question about marzipan.')
    const find = async (text: string): Promise<string[]> =>
      (await talk.records({ run, scenario, text, limit: 100 })).records.map(({ type }) => type)
    expect(await find('MARZIPAN')).toEqual(['inference'])
    expect(await find('short and right')).toEqual(['report'])
    expect(await find('nobody ever said this')).toEqual([])
    const newest = await talk.records({ run, scenario, type: 'report', limit: 1 })
    const [report] = newest.records
    expect(await find(report?.id ?? '')).toEqual(['report'])
  })
})

describe('where the feedback is', () => {
  it('names answers without report, reports without answer or score, and refusals', async () => {
    const alone = await hear('openai', true)
    const { id: nameless } = await talk.report({ run, scenario, references: [], score: 1 })
    const { id: unscored } = await talk.report({
      run,
      scenario,
      references: [alone.end.receipt ?? ''],
      words: 'no number'
    })
    const other = await hear('openai', true)
    const refusal = await failureOf(
      talk.report({ run, scenario, references: ['nobody'], score: 1 })
    )
    expect(refusal.code).toBe('report-refused')
    expect(refusal.detail).toContain("report reference 'nobody' must identify")
    const summary = await talk.feedback({ run, scenario })
    expect(summary.unreported.newest[0]?.id).toBe(other.end.receipt)
    expect(summary.astray.newest.map(({ record }) => record.id)).toContain(nameless)
    expect(summary.unscored.newest[0]?.id).toBe(unscored)
    const [newest] = summary.refused.newest
    expect(newest).toMatchObject({ of: 'report' })
    expect(newest?.text).toContain("report reference 'nobody'")
    // The question without a turn, from above.
    const asked = summary.refused.newest.filter(({ of }) => of === 'question')
    expect(asked.map(({ text }) => text)).toContainEqual(
      expect.stringContaining('messages must be a non-empty list')
    )
    expect(summary.complete).toBe(true)
  })
})

describe('scenarios', () => {
  it('are made, set to a mode, noticed as a slip, and retired', async () => {
    const made = await talk.createScenario({ run, name: 'practise' })
    expect(made).toEqual({ name: 'practise', created: true })
    expect(await talk.createScenario({ run, name: 'practise' })).toMatchObject({ created: false })
    await talk.setMode({ run, scenario: 'practise', mode: 'manual' })
    const facts = await talk.scenarios(run)
    expect(facts.find(({ name }) => name === 'practise')).toMatchObject({
      mode: 'manual',
      looksLike: scenario,
      answers: 0
    })
    expect(facts.find(({ name }) => name === scenario)?.looksLike).toBeNull()
    await talk.retireScenario({ run, scenario: 'practise' })
    expect((await talk.scenarios(run)).map(({ name }) => name)).toEqual([scenario])
    expect((await failureOf(talk.records({ run, scenario: 'practise', limit: 10 }))).code).toBe(
      'service-refused'
    )
  })
})

describe('a scenario with a name beyond ASCII', () => {
  const name = '客服·夜班/a b?#%'

  it('is asked, reported on, read, and retired like any other', async () => {
    await talk.createScenario({ run, name })
    const turns = [{ role: 'user' as const, text: PROMPT }]
    const of = { run, scenario: name }
    let receipt = ''
    for await (const event of talk.ask({ ...of, form: 'openai', stream: true, turns }))
      if (event.kind === 'done') receipt = event.receipt ?? ''
    const { id } = await talk.report({ ...of, references: [receipt], score: 1 })
    const { records } = await talk.records({ ...of, limit: 10 })
    expect(records.map((record) => record.id)).toEqual([id, receipt])
    // As the snippet for one's own program says it.
    const client = new OpenAI({
      baseURL: `${address}/v1`,
      apiKey: TOKEN,
      defaultHeaders: { 'x-reef-scenario': Buffer.from(name).toString('latin1') },
      maxRetries: 0
    })
    await client.chat.completions.create({
      model: 'any',
      messages: [{ role: 'user', content: PROMPT }]
    })
    const facts = await talk.scenarios(run)
    expect(facts.find((one) => one.name === name)).toMatchObject({ answers: 2, reports: 1 })
    await talk.retireScenario({ run, scenario: name })
    expect((await talk.scenarios(run)).map((one) => one.name)).toEqual([scenario])
  })

  it.each(['..', '.', 'a\nb'])('%j is refused with words', async (bad) => {
    const failure = await failureOf(talk.createScenario({ run, name: bad }))
    expect(failure).toMatchObject({ code: 'scenario-name', where: JSON.stringify(bad) })
  })
})

describe('the same prompts to two releases', () => {
  it('each answers for itself, a person judges, and the service takes the scores', async () => {
    const trials = new TrialService({
      home: yard.home,
      talk,
      runs,
      secret: () => Promise.resolve(null),
      clock: systemClock,
      nameOf: async (id) => (await runs.store.read(id)).name
    })
    const { releases } = await runs.chain({ run, scenario })
    const newest = releases[0]?.step ?? 0
    expect(newest).toBeGreaterThan(0)
    const { id, sides } = await trials.make({
      sides: [
        { kind: 'release', run, step: 0 },
        { kind: 'release', run, step: newest }
      ],
      text: `${PROMPT}\nWhat is (1 + 1) mod 10? Answer with one digit.`,
      blind: true,
      temperature: 0
    })
    expect(sides.map(({ label, way }) => [label, way])).toEqual([
      ['r0', 'asked-release'],
      [`r${newest}`, 'asked-release']
    ])
    for await (const event of trials.collect(id)) void event
    await trials.judge({ id, row: 0, verdict: [1] })
    const { sent, refused, trial } = await trials.report(id)
    expect({ sent, refused }).toEqual({ sent: 2, refused: [] })
    // The one that was asked is the one that answered, though only the newest is served.
    const answers = trial.rows.flatMap(({ answers: both }) => both)
    expect(answers.map((one) => (one?.kind === 'text' ? one.release?.step : null))).toEqual([
      0,
      newest,
      0,
      newest
    ])
    const [a, b] = trial.rows[0]?.answers ?? []
    const receipts = [a, b].map((one) => (one?.kind === 'text' ? (one.receipt ?? '') : ''))
    const told = await Promise.all(
      receipts.map((receipt) => talk.conversation({ run, scenario, id: receipt }))
    )
    expect(told.map(({ reports }) => reports.map(({ record }) => record.score))).toEqual([[0], [1]])
    // What was sent is not sent again.
    expect(await trials.report(id)).toMatchObject({ sent: 0, refused: [] })
    // Recorded answers serve where nobody can be asked.
    const prompts = await trials.recordedPrompts({ run, step: 0, limit: 20 })
    expect(prompts).toContain(PROMPT)
  })
})

describe('what an ended run left', () => {
  it('is read from its files: records, contents, feedback, as the service told them', async () => {
    await pulse(({ job, batch }) => job === null && (batch.have ?? 0) < 2)
    const live = await talk.records({ run, scenario, limit: 200 })
    const answered = live.records.find(
      ({ learntBy, type }) => learntBy !== null && type === 'inference'
    )
    const id = answered?.id ?? ''
    const told = await talk.conversation({ run, scenario, id })
    const sorted = await talk.feedback({ run, scenario })
    expect((await failureOf(talk.kept(run))).code).toBe('not-live')
    await runs.stop({ run, force: false })
    await until(runs, run, ({ summary }) => ended(summary.state), 60_000)
    // A service may answer until its very end, so that there may be more; what was there is as it was.
    const kept = await talk.kept(run)
    expect(kept.scenarios).toContain(scenario)
    const left = await talk.records({ run, scenario, limit: 200 })
    const known = new Set(live.records.map((record) => record.id))
    expect(left.records.filter((record) => known.has(record.id))).toEqual(live.records)
    expect(await talk.conversation({ run, scenario, id })).toEqual(told)
    const after = await talk.feedback({ run, scenario })
    expect(after.batch).toEqual({ have: null, need: 2 })
    expect(after).toMatchObject({ complete: true, learnt: sorted.learnt, refused: sorted.refused })
    expect(
      (await talk.records({ run, scenario, text: 'marzipan', limit: 9 })).records
    ).toHaveLength(1)
    // What only a service can do says that nobody is there.
    expect((await failureOf(talk.doorway(run))).code).toBe('not-live')
  })
})
