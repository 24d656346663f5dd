import { afterAll, beforeAll, expect, it } from 'vitest'
import type { FeedbackSummary } from '../../src-main/contract/talk'
import type { RunDetail } from '../../src-main/contract/run'
import { answerOf, slipway, type Outcome } from '../support/built-cli'
import { endStacksBelow } from '../support/kill-stack'
import { practiceYard, type Yard } from '../support/run-service'

const PROMPT = 'What is (4 + 9) mod 10? Answer with one digit.'

let yard: Yard
let run: string

const cli = (...words: string[]): Promise<Outcome> => slipway(yard.home, ...words)

beforeAll(async () => {
  yard = await practiceYard()
  const launched = await cli(
    ...['launch', yard.recipe, '--set', 'training.options.traffic=off'],
    ...['--set', 'recipe.config.batch-size=2', '--set', 'training.options.global-batch-size=2']
  )
  run = answerOf<{ run: { id: string } }>(launched).run.id
  const last = Date.now() + 60_000
  for (;;) {
    const detail = answerOf<RunDetail>(await cli('show', run))
    if (detail.scenarios.length > 0) return
    if (Date.now() > last) throw new Error(JSON.stringify(detail.summary))
  }
}, 120_000)

afterAll(async () => {
  await endStacksBelow(yard.root)
  await yard.remove()
})

interface Answer {
  scenario: string
  answer: string
  receipt: string
}

type Feedback = { feedback: (FeedbackSummary & { scenario: string })[] }

it('an answer is asked for in both forms, scored by its receipt, and its feedback is found again', async () => {
  const first = answerOf<Answer>(await cli('ask', run, PROMPT))
  expect(first).toMatchObject({ scenario: 'practice', release: { step: 0 } })
  expect(first.answer).not.toBe('')
  const second = answerOf<Answer>(await cli('ask', run, PROMPT, '--anthropic'))
  expect(second.receipt).not.toBe(first.receipt)

  const said = answerOf<{ id: string }>(
    await cli('report', run, first.receipt, '--score', '0.5', '--words', 'nearly')
  )
  expect(said.id).not.toBe('')
  const refused = await cli('report', run, 'nobody', '--score', '1')
  expect(refused.code).toBe(1)
  expect(refused.err).toContain('must identify an existing inference')

  const [found] = answerOf<Feedback>(await cli('feedback', run)).feedback
  expect(found).toMatchObject({
    scenario: 'practice',
    answers: 2,
    reports: 1,
    complete: true,
    batch: { need: 2 },
    waiting: { count: 1 },
    unreported: { count: 1 }
  })
  expect(found?.refused.newest.map(({ text }) => text).join()).toContain('nobody')
}, 120_000)

it('a scenario that the question itself made is told as new', async () => {
  const asked = await cli('ask', run, PROMPT, '--scenario', 'practise')
  expect(answerOf<Answer>(asked).scenario).toBe('practise')
  expect(asked.err).toContain('“practise” is a new scenario of this run, beside practice.')
}, 120_000)

it('what says nothing, names nobody or is no score is refused before anything is sent', async () => {
  expect((await cli('report', run, 'x')).err).toContain('The report says nothing.')
  expect((await cli('report', run, 'x', '--score', 'good')).err).toContain('“good” is no score.')
  expect((await cli('ask', run, ' ')).err).toContain('No question is named')
  expect((await cli('ask', run, 'hello', '--scenario', '')).err).toContain('No scenario is named')
}, 120_000)
