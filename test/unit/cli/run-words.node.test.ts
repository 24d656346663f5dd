import { describe, expect, it } from 'vitest'
import { isSameEnd, overWord } from '../../../src-main/cli/run-words'
import type { RunSummary } from '../../../src-main/contract/run'

type Ended = Extract<RunSummary['state'], { kind: 'stopped' }>

const ended = (at: number): Ended => ({
  kind: 'stopped',
  at,
  exit: { kind: 'code', code: 0 },
  asked: true
})

describe('a stop', () => {
  it('of a run that was over says since when, and one that ends it does not', () => {
    const at = Date.UTC(2026, 0, 2, 3, 4, 5)
    expect(isSameEnd(ended(at), ended(at))).toBe(true)
    expect(isSameEnd(ended(at), ended(at + 1))).toBe(false)
    expect(isSameEnd({ kind: 'serving', since: 0 }, ended(at))).toBe(false)
    expect(overWord(ended(at)).en).toBe('was already stopped at 2026-01-02T03:04:05.000Z')
  })
})
