import { describe, expect, it } from 'vitest'
import type { Finding } from '@contract/recipes'
import { saysFirst, worstFirst } from '../../../../src-renderer/features/recipes/problem-order'

const finding = (rule: string, severity: Finding['severity'], line: number): Finding => ({
  rule,
  severity,
  line,
  column: 1,
  endLine: line,
  endColumn: 2,
  path: '',
  message: { en: rule, zh: rule },
  explanation: { en: '', zh: '' },
  source: 'a source'
})

describe('problems of a recipe', () => {
  it('begin with what is wrong with the YAML itself, wherever it stands', () => {
    const sorted = worstFirst([
      finding('reef/missing', 'error', 1),
      finding('style/note', 'hint', 2),
      finding('yaml/exponent', 'hint', 3),
      finding('yaml/syntax', 'error', 40),
      finding('v2/misspelt-section', 'error', 20),
      finding('reef/other', 'warning', 5)
    ])
    expect(sorted.map(({ rule }) => rule)).toEqual([
      'yaml/syntax',
      'v2/misspelt-section',
      'reef/missing',
      'reef/other',
      'style/note',
      'yaml/exponent'
    ])
  })

  it('say what to mend first only where something may follow from it', () => {
    const broken = finding('yaml/syntax', 'error', 4)
    const follows = finding('reef/missing', 'error', 1)
    expect(saysFirst([follows, broken])).toBe(true)
    expect(saysFirst([broken])).toBe(false)
    expect(saysFirst([follows, finding('yaml/exponent', 'hint', 2)])).toBe(false)
    expect(saysFirst([])).toBe(false)
  })
})
