import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bodyOf, readPieces } from '../../../../src-main/engine/talk/answer-forms'
import { replyOf, turnsOf, wordsOf } from '../../../../src-main/engine/talk/contents'
import { type FeedbackScene, sortFeedback } from '../../../../src-main/engine/talk/feedback'
import type { BookRow } from '../../../../src-main/engine/talk/record-book'
import { refusalIn } from '../../../../src-main/engine/talk/refusals'
import { meantName } from '../../../../src-main/engine/talk/similar-names'

describe('a name that was meant to be another', () => {
  const used = [
    { name: 'algebra-day', answers: 400 },
    { name: 'day-1', answers: 90 },
    { name: 'day-2', answers: 3 },
    { name: 'ab', answers: 50 }
  ]
  it.each<[string, number, string | null]>([
    ['algebra-dya', 2, 'algebra-day'],
    ['Algebra_Day', 2, 'algebra-day'],
    ['algebra day', 2, 'algebra-day'],
    ['algebra-day', 400, null],
    ['geometry', 2, null],
    ['day-2', 3, null],
    ['ac', 1, null],
    ['algebra-dax', 900, null]
  ])('%s with %d answers: %s', (name, answers, meant) => {
    expect(meantName({ name, answers }, used)).toBe(meant)
  })

  it('never names the scenario itself, whatever it is called', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(), (name, answers) => {
        expect(meantName({ name, answers }, [{ name, answers }])).toBeNull()
      })
    )
  })
})

describe('a question in either form', () => {
  const turns = [
    { role: 'system' as const, text: 'Be short.' },
    { role: 'user' as const, text: 'Hello' }
  ]
  it('openai keeps the system turn among the messages', () => {
    expect(bodyOf({ form: 'openai', stream: true, model: 'm', turns, temperature: 0 })).toEqual({
      model: 'm',
      stream: true,
      temperature: 0,
      messages: [
        { role: 'system', content: 'Be short.' },
        { role: 'user', content: 'Hello' }
      ]
    })
  })

  it('anthropic keeps it apart and names a limit', () => {
    expect(bodyOf({ form: 'anthropic', stream: false, model: 'm', turns })).toEqual({
      model: 'm',
      stream: false,
      max_tokens: 1024,
      system: 'Be short.',
      messages: [{ role: 'user', content: 'Hello' }]
    })
  })
})

describe('what an event of an answer says', () => {
  it.each<['openai' | 'anthropic', unknown, unknown[]]>([
    ['openai', { choices: [{ delta: { content: 'a' } }] }, [{ kind: 'text', text: 'a' }]],
    ['openai', { choices: [{ delta: {} }] }, []],
    ['openai', { choices: [{ message: { content: 'b' } }] }, [{ kind: 'text', text: 'b' }]],
    [
      'openai',
      { choices: [], reef: { agent_record_id: 'r' } },
      [{ kind: 'receipt', id: 'r' }, { kind: 'end' }]
    ],
    ['openai', { error: { message: 'no' } }, [{ kind: 'broken', words: 'no' }]],
    [
      'anthropic',
      { type: 'content_block_delta', delta: { type: 'text_delta', text: 'c' } },
      [{ kind: 'text', text: 'c' }]
    ],
    ['anthropic', { type: 'ping' }, []],
    ['anthropic', { type: 'message', content: [{ text: 'd' }] }, [{ kind: 'text', text: 'd' }]],
    [
      'anthropic',
      { type: 'message_stop', reef: { agent_record_id: 'r' } },
      [{ kind: 'receipt', id: 'r' }, { kind: 'end' }]
    ],
    ['anthropic', { type: 'message_stop' }, [{ kind: 'end' }]],
    ['openai', { choices: [{ delta: {}, finish_reason: 'length' }] }, [{ kind: 'end' }]],
    ['openai', { choices: [{ delta: {}, finish_reason: null }] }, []],
    ['anthropic', { type: 'error', error: { message: 'no' } }, [{ kind: 'broken', words: 'no' }]]
  ])('%s %j', (form, event, pieces) => {
    expect(readPieces(form, JSON.stringify(event))).toEqual(pieces)
  })

  it('the end at the end mark, and no data makes it throw', () => {
    expect(readPieces('openai', '[DONE]')).toEqual([{ kind: 'end' }])
    fc.assert(
      fc.property(fc.constantFrom('openai', 'anthropic'), fc.string(), (form, data) => {
        expect(Array.isArray(readPieces(form, data))).toBe(true)
      })
    )
    fc.assert(
      fc.property(fc.constantFrom('openai', 'anthropic'), fc.json(), (form, data) => {
        expect(Array.isArray(readPieces(form, data))).toBe(true)
      })
    )
  })
})

describe('contents of records', () => {
  it('openai, anthropic and a plain text', () => {
    const request = {
      system: 'S',
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Q' }] }]
    }
    expect(turnsOf({ request })).toEqual([
      { role: 'system', text: 'S' },
      { role: 'user', text: 'Q' }
    ])
    const choices = [{ message: { role: 'assistant', content: 'A' } }]
    expect(replyOf({ response: { choices } })).toBe('A')
    expect(replyOf({ response: { content: [{ type: 'text', text: 'B' }] } })).toBe('B')
    expect(replyOf({ response: { text: 'C' } })).toBe('C')
    expect(wordsOf({ feedback: { why: 'x' }, metadata: {} })).toEqual({
      words: '{"why":"x"}',
      metadata: null
    })
  })

  it('anything else is no conversation and no error', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (payload) => {
        turnsOf(payload)
        replyOf(payload)
        wordsOf(payload)
      })
    )
    expect(turnsOf({ blob: 1 })).toBeNull()
    expect(replyOf({ blob: 1 })).toBeNull()
  })
})

describe('a refusal in the log', () => {
  it('is the service’s words with the status', () => {
    const line =
      "2026-11-30 04:00:00 ERROR POST /reef/report failed with ValueError: report reference 'x' must identify an existing inference in scenario 's' (HTTP 400)"
    expect(refusalIn(line)).toEqual({
      of: 'report',
      text: "ValueError: report reference 'x' must identify an existing inference in scenario 's' (HTTP 400)"
    })
    const question = 'POST /v1/chat/completions failed with ScenarioNotFound: no such (HTTP 404)'
    expect(refusalIn(question)).toEqual({
      of: 'question',
      text: 'ScenarioNotFound: no such (HTTP 404)'
    })
    expect(refusalIn('GET /reef/status failed with X: y (HTTP 500)')).toBeNull()
  })
})

describe('where feedback went', () => {
  const row = (id: string, type: string, more: Partial<BookRow> = {}): BookRow => ({
    id,
    type,
    sequence: 0,
    createdAt: null,
    references: [],
    score: null,
    releaseId: null,
    ...more
  })
  const rows = [
    row('a1', 'inference'),
    row('a2', 'inference'),
    row('a3', 'inference'),
    row('learnt', 'report', { references: ['a1'], score: 1 }),
    row('waits', 'report', { references: ['a2'], score: 0 }),
    row('words', 'report', { references: ['a2'] }),
    row('nameless', 'report', { score: 1 }),
    row('foreign', 'report', { references: ['b1'], score: 1 }),
    row('lost', 'report', { references: ['zz'], score: 1 })
  ]
  const scene: FeedbackScene = {
    rows,
    has: (id) => ['a1', 'a2', 'a3'].includes(id),
    reportsOn: (id) => rows.filter(({ references }) => references.includes(id)).length,
    learntBy: ({ id }) => (id === 'learnt' ? 4 : null),
    elsewhere: (id) => (id === 'b1' ? 'other' : null),
    partial: false
  }
  const ids = (list: readonly BookRow[]): string[] => list.map(({ id }) => id)

  it('each record is in its place, newest first', () => {
    const sorted = sortFeedback(scene)
    expect(sorted).toMatchObject({ answers: 3, reports: 6, learnt: 1 })
    expect(ids(sorted.unreported)).toEqual(['a3'])
    expect(ids(sorted.waiting)).toEqual(['waits'])
    expect(ids(sorted.unscored)).toEqual(['words'])
    expect(ids(sorted.astray.map((one) => one.row))).toEqual(['lost', 'foreign', 'nameless'])
    expect(sorted.astray[1]?.why.en).toContain('“other”')
  })

  it('a reference not found proves nothing while records are still being read', () => {
    const sorted = sortFeedback({ ...scene, partial: true })
    expect(ids(sorted.astray.map((one) => one.row))).toEqual(['foreign', 'nameless'])
  })
})
