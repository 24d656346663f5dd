import { expect, it } from 'vitest'
import type { Desk } from '../../../../src-main/engine/talk/desk'
import { firstWordsOf } from '../../../../src-main/engine/talk/first-words'
import { learntFrom, saidBy } from '../../../../src-main/engine/talk/learnt'
import type { RecordBook } from '../../../../src-main/engine/talk/record-book'

const redact = (text: string): string => text.replace('s3cret', '…')
const payload = (question: string, content: string) => ({
  request: {
    messages: [
      { role: 'system', content: 'rules' },
      { role: 'user', content: question }
    ]
  },
  response: { choices: [{ message: { role: 'assistant', content } }] }
})

it('gives the first line of the last question and of its answer, redacted and cut', () => {
  const said = saidBy(payload('What is 4 + 9?\nThink.', `s3cret ${'é'.repeat(200)}`), redact)
  expect(said?.question).toBe('What is 4 + 9?')
  expect(said?.answer).toBe(`… ${'é'.repeat(118)}…`)
  expect(saidBy({ anything: 1 }, redact)).toBeNull()
})

it('gives one line of a record for a list: the question and its answer, or the words of a report', () => {
  const words = (content: unknown): string | null => firstWordsOf(content, redact)
  expect(words(payload('What is 4 + 9?\nThink.', 's3cret 13'))).toBe('What is 4 + 9? → … 13')
  expect(words({ feedback: 'too\nlong', score: 1 })).toBe('too')
  expect(words({ feedback: 's3cret', score: 1 })).toBe('…')
  expect([words({ score: 1 }), words(null)]).toEqual([null, null])
})

it('reads what the first reports of a step were about, and no more of them', async () => {
  const count = 20
  const rows = Array.from({ length: count }, (_, i) => ({
    id: `report-${i}`,
    type: 'report',
    score: 1,
    references: [`answer-${i}`],
    sequence: i
  }))
  const read: string[] = []
  const book = { rows, scenario: 'main', learntBy: () => 3 } as unknown as RecordBook
  const desk = {
    chainStep: (_: string, step: number) => step,
    shown: (_: unknown, row: { id: string }) => ({ ...row }),
    content: (_: string, id: string) => {
      if (id.startsWith('answer')) read.push(id)
      return Promise.resolve(payload(`Q ${id}`, 'A'))
    }
  } as unknown as Desk
  const { records, scores } = await learntFrom(desk, book, 3, redact)
  expect(scores?.n).toBe(count)
  expect(records).toHaveLength(count)
  expect(read).toHaveLength(8)
  expect(records?.[0]).toMatchObject({ said: { question: 'Q answer-19', answer: 'A' } })
  expect(records?.[8]).toMatchObject({ said: null })
})
