// @vitest-environment node
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RunSummary } from '@contract/run'
import { sampleRuns } from '../../../support/fixture/runs'
import {
  heldFor,
  isActive,
  lookOf,
  needsAttention,
  runLength,
  wordOf
} from '../../../../src-renderer/features/runs/attempt-state'
import { readFilter } from '../../../../src-renderer/features/runs/filter'
import { moveCursor, rowsOf, tally, type Row } from '../../../../src-renderer/features/runs/rows'

const NOW = Date.UTC(2026, 10, 30, 12)
const runs = sampleRuns(NOW)

function found(text: string): string[] {
  const filter = readFilter(text)
  return filter.kind === 'ok' ? runs.filter(filter.matches).map((run) => run.id) : ['bad']
}

describe('readFilter', () => {
  it.each([
    ['', runs.map((run) => run.id)],
    ['practice-sao', ['r-0413']],
    ['tag:deepmath', ['r-0412', 'r-0390']],
    ['tag:deepmath state:running', ['r-0412']],
    ['tag:deepmath -state:running', ['r-0390']],
    ['state:failed', ['r-0398']],
    ['state:done', ['r-0390']],
    ['target:reef', ['r-0405']],
    ['is:practice', ['r-0413']],
    ['is:starred deepmath', ['r-0412', 'r-0390']],
    ['tag:', runs.map((run) => run.id)],
    ['nothing-has-this-name', []]
  ])('%j', (text, expected) => {
    expect(found(text)).toEqual(expected)
  })

  it('names a field that does not exist', () => {
    expect(readFilter('deepmath owner:me')).toEqual({ kind: 'bad-field', word: 'owner' })
  })

  it('a word and its negation never match the same run', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z0-9.]{1,6}$/), (word) => {
        const yes = found(word)
        const no = found(`-${word}`)
        expect(yes.filter((id) => no.includes(id))).toEqual([])
        expect(yes.length + no.length).toBe(runs.length)
      })
    )
  })
})

const idsOf = (rows: readonly Row[]): string[] =>
  rows.map((row) => {
    switch (row.kind) {
      case 'group':
        return `[${row.group} ${row.count}]`
      case 'run':
        return row.run.id
      case 'damaged':
        return `!${row.damaged.id}`
    }
  })

describe('rowsOf', () => {
  const text = { en: 'cut', zh: '截断' }
  const damaged = [{ id: 'r-0377', folder: '/x', why: text, remedy: text }]
  const all = (): boolean => true

  it('groups what needs a look first and shows damaged folders last', () => {
    expect(idsOf(rowsOf({ runs, damaged }, { kind: 'all' }, all, []))).toEqual([
      '[attention 2]',
      'r-0398',
      'r-0405',
      '[running 3]',
      'r-0414',
      'r-0413',
      'r-0412',
      '[finished 2]',
      'r-0390',
      'r-0388',
      '[damaged 1]',
      '!r-0377'
    ])
  })

  it('keeps damaged folders in sight when a filter hides every run', () => {
    const rows = rowsOf({ runs, damaged }, { kind: 'all' }, () => false, [])
    expect(idsOf(rows)).toEqual(['[damaged 1]', '!r-0377'])
  })

  it('folds a group and still says how many are in it', () => {
    const rows = rowsOf({ runs, damaged: [] }, { kind: 'all' }, all, ['running'])
    expect(idsOf(rows)).toContain('[running 3]')
    expect(idsOf(rows)).not.toContain('r-0412')
  })

  it('shows archived runs only in their own view', () => {
    expect(idsOf(rowsOf({ runs, damaged }, { kind: 'archived' }, all, []))).toEqual([
      '[finished 1]',
      'r-0200'
    ])
  })
})

describe('moveCursor', () => {
  const rows = rowsOf({ runs, damaged: [] }, { kind: 'all' }, () => true, [])

  it('steps over group heads and stops at the ends', () => {
    expect(moveCursor(rows, null, 1)).toBe('r-0398')
    expect(moveCursor(rows, 'r-0405', 1)).toBe('r-0414')
    expect(moveCursor(rows, 'r-0398', -1)).toBe('r-0398')
    expect(moveCursor(rows, 'r-0388', 1)).toBe('r-0388')
    expect(moveCursor(rows, null, -1)).toBe('r-0388')
    expect(moveCursor([], null, 1)).toBeNull()
  })
})

it('tally counts what is not archived', () => {
  const counts = tally(runs)
  expect(counts).toMatchObject({ all: 7, active: 4, attention: 2, archived: 1 })
  expect(counts.tags[0]).toEqual({ tag: 'deepmath', count: 2 })
})

describe('attempt states', () => {
  const states: RunSummary['state'][] = runs.map((run) => run.state)

  it('every state has an icon, a tone and a word', () => {
    for (const state of states) {
      expect(lookOf(state).icon).toBeDefined()
      expect(wordOf(state)).not.toBe('')
    }
  })

  it('only a clean exit is done', () => {
    const at = NOW
    expect(wordOf({ kind: 'stopped', at, exit: { kind: 'code', code: 0 } })).toBe('done')
    expect(wordOf({ kind: 'stopped', at, exit: { kind: 'code', code: 0 }, asked: true })).toBe(
      'stopped'
    )
    expect(wordOf({ kind: 'stopped', at, exit: { kind: 'code', code: 1 } })).toBe('stopped')
    expect(wordOf({ kind: 'stopped', at, exit: { kind: 'unknown' } })).toBe('stopped')
  })

  it('what was imported is over, by its own name, and as long as its files say', () => {
    const [some] = runs
    if (some === undefined) throw new Error('no run')
    const imported = (lasted: number | null) => ({ kind: 'imported', at: NOW, lasted }) as const
    expect(wordOf(imported(null))).toBe('imported')
    expect(isActive(imported(null))).toBe(false)
    const lengths = [null, 90_000].map((each) => runLength({ ...some, state: imported(each) }, NOW))
    expect(lengths).toEqual([null, 90_000])
  })

  it('quiet needs a look and goes on', () => {
    const quiet = { kind: 'quiet', since: NOW - 5000, why: { en: '', zh: '' } } as const
    expect([isActive(quiet), needsAttention(quiet)]).toEqual([true, true])
    expect(heldFor(quiet, NOW - 60_000, NOW)).toBe(5000)
    expect(heldFor({ kind: 'training', since: NOW, step: 3 }, NOW - 60_000, NOW)).toBe(60_000)
    expect(heldFor({ kind: 'stopped', at: NOW, exit: { kind: 'oom' } }, 0, NOW)).toBeNull()
  })
})

it('never calls done what may not have ended by itself, and lets a person look at it', () => {
  const why = { en: 'restarted', zh: '已重启' }
  const ended = { kind: 'stopped', at: 1, exit: { kind: 'code', code: 0 }, why } as const
  expect([wordOf(ended), needsAttention(ended), lookOf(ended).tone]).toEqual([
    'done',
    false,
    'ready'
  ])
  const unsure = { ...ended, unsure: true } as const
  expect([wordOf(unsure), needsAttention(unsure), lookOf(unsure).tone]).toEqual([
    'stopped',
    true,
    'warn'
  ])
})
