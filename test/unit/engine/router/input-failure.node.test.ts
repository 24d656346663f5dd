import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { inputFailure } from '../../../../src-main/engine/router/input-failure'

const schema = z.object({
  temperature: z.number().min(0).max(2).optional(),
  tokens: z.number().int().positive().optional(),
  by: z.enum(['step', 'time']).default('step'),
  sides: z.array(z.object({ run: z.string().min(3) })).max(1)
})

function said(input: unknown): { en: string; zh: string } {
  const { issues } = schema.safeParse(input).error ?? { issues: [] }
  return inputFailure(issues, input).what
}

describe('input that is not of the contract', () => {
  it.each<[unknown, string, string]>([
    [
      { sides: [], temperature: 9 },
      'temperature is 9; at most 2 is allowed.',
      'temperature 为 9；不得大于 2。'
    ],
    [
      { sides: [], temperature: -1 },
      'temperature is -1; at least 0 is allowed.',
      'temperature 为 -1；不得小于 0。'
    ],
    [{ sides: [], tokens: 0 }, 'tokens is 0; more than 0 is allowed.', 'tokens 为 0；须大于 0。'],
    [
      { sides: [], tokens: 1.5 },
      'tokens is 1.5; a whole number is allowed.',
      'tokens 为 1.5；须为整数。'
    ],
    [
      { sides: [], by: 'weekday' },
      'by is "weekday"; allowed: step, time.',
      'by 为 "weekday"；可用：step, time。'
    ],
    [{}, 'sides is missing; array is expected.', 'sides 为 缺失；应为 array。'],
    [
      { sides: [{ run: 'abc' }, { run: 'abd' }] },
      'sides is a list of 2; it may have at most 1.',
      'sides 为 含 2 项的列表；最多 1 个。'
    ]
  ])('%j', (input, en, zh) => {
    expect(said(input)).toEqual({ en, zh })
  })

  it('repeats no text but a word where one of a few was asked for', () => {
    expect(said({ sides: [{ run: 'pw' }] }).en).toBe(
      'sides.0.run is a text of 2 characters; it must have at least 3.'
    )
    expect(said({ sides: [], by: 'x'.repeat(41) }).en).toContain('by is a text of 41 characters;')
  })

  it('names three at most, and says something of what has no words', () => {
    const many = said({ sides: 1, temperature: 'x', tokens: 'x', by: 1 }).en
    expect(many.match(/;/g)).toHaveLength(3)
    expect(inputFailure([], null).what.en).toBe('A value given is not allowed.')
    expect(inputFailure([{ code: 'custom', message: 'odd' }], 'x').what.en).toBe(
      'The request is a text of 1 characters; refused: odd.'
    )
  })
})
