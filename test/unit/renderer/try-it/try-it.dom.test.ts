import { describe, expect, it } from 'vitest'
import { stageOf } from '../../../../src-renderer/features/try-it/learning-way'
import {
  snippetOf,
  type SnippetFacts,
  type SnippetLanguage
} from '../../../../src-renderer/features/try-it/snippets'
import {
  readNumber,
  readTemperature,
  turnsFor,
  type Exchange
} from '../../../../src-renderer/features/try-it/talk-store'

const door = {
  address: 'http://127.0.0.1:8911',
  token: true,
  tokenName: 'MY_TOKEN',
  model: 'practice/tiny-policy'
}

describe('snippets', () => {
  const languages: SnippetLanguage[] = ['curl', 'python', 'typescript']
  const forms: SnippetFacts['form'][] = ['openai', 'anthropic']
  const all = languages.flatMap((language) => forms.map((form) => [language, form] as const))

  it.each(all)('%s in the %s form: address, header, token by name', (language, form) => {
    const text = snippetOf(language, { door, scenario: "it's mine", form })
    expect(text).toContain('http://127.0.0.1:8911')
    expect(text).toContain('x-reef-scenario')
    expect(text).toContain('MY_TOKEN')
    expect(text).toContain('/reef/report')
  })

  it.each(all)('%s in the %s form names no token for an open service', (language, form) => {
    const open = { ...door, token: false }
    const text = snippetOf(language, { door: open, scenario: 's', form })
    expect(text).not.toMatch(/MY_TOKEN|REEF_TOKEN|Bearer/)
  })

  it.each<[SnippetLanguage, string]>([
    ['python', '"客服".encode()'],
    ['typescript', `Buffer.from("客服").toString('latin1')`]
  ])('%s sends a Chinese scenario as bytes, in both places', (language, expression) => {
    for (const form of forms) {
      const text = snippetOf(language, { door, scenario: '客服', form })
      expect(text.split(expression)).toHaveLength(3)
    }
  })

  it('a quote in a scenario does not end a shell word', () => {
    const text = snippetOf('curl', { door, scenario: "it's mine", form: 'openai' })
    expect(text).toContain(`-H 'x-reef-scenario: it'\\''s mine'`)
  })
})

describe('where a report is', () => {
  const pulse = (have: number | null, job: string | null) => ({
    answers: 1,
    reports: 1,
    batch: { have, need: 4 },
    step: 1,
    job
  })
  it.each([
    [3, pulse(0, null), 'released'],
    [null, pulse(2, null), 'batch'],
    [null, pulse(4, null), 'step'],
    [null, pulse(0, 'RUNNING'), 'step'],
    [null, pulse(null, null), 'batch'],
    [null, undefined, 'batch']
  ] as const)('learnt by %s, %j: %s', (learntBy, now, stage) => {
    expect(stageOf(learntBy, now)).toBe(stage)
  })

  it('in manual mode a full batch waits, until a step is under way', () => {
    expect(stageOf(null, pulse(4, null), 'manual')).toBe('batch')
    expect(stageOf(null, pulse(4, 'RUNNING'), 'manual')).toBe('step')
    expect(stageOf(null, pulse(4, null), 'hybrid')).toBe('step')
  })
})

describe('what a person typed', () => {
  it.each([
    ['', null],
    ['0.7', 0.7],
    ['2', 2],
    ['2.1', undefined],
    ['-1', undefined],
    ['warm', undefined]
  ])('as a temperature %j is %s', (text, value) => {
    expect(readTemperature(text)).toBe(value)
  })

  it.each([
    ['', null],
    ['  ', null],
    ['0.5', 0.5],
    ['−1', -1],
    ['one', undefined],
    ['Infinity', undefined]
  ])('%j is %s', (text, value) => {
    expect(readNumber(text)).toBe(value)
  })
})

it('sends earlier answers of the same scenario along, and none that never came', () => {
  const end = {
    kind: 'done' as const,
    receipt: 'r',
    release: { releaseId: null, step: null },
    firstAfter: 1,
    took: 1
  }
  const one = (id: number, scenario: string, state: Exchange['state']): Exchange => ({
    id,
    scenario,
    question: `q${id}`,
    text: `a${id}`,
    state,
    report: null
  })
  const before = [
    one(1, 's', { kind: 'done', end }),
    one(2, 's', { kind: 'stopped' }),
    one(3, 'other', { kind: 'done', end })
  ]
  expect(turnsFor(before, 's', 'new')).toEqual([
    { role: 'user', text: 'q1' },
    { role: 'assistant', text: 'a1' },
    { role: 'user', text: 'new' }
  ])
})
