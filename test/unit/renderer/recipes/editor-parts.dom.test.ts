import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ResolvedValue } from '@contract/recipes'
import { hexColour } from '../../../../src-renderer/editor/hex-colour'
import { outlineOf, type OutlineEntry } from '../../../../src-renderer/editor/outline'
import { matchingRows } from '../../../../src-renderer/features/recipes/match-rows'

describe('a colour for the editor', () => {
  it('takes every form the tokens use', () => {
    expect(hexColour(' #0f1115')).toBe('#0f1115')
    expect(hexColour('#fff')).toBe('#ffffff')
    expect(hexColour('rgba(255, 255, 255, 0.08)')).toBe('#ffffff14')
    expect(hexColour('rgb(1 2 3)')).toBe('#010203ff')
  })

  it('is black for what it cannot read', () => {
    expect(hexColour('')).toBe('#000000')
    expect(hexColour('color-mix(in srgb, red, blue)')).toBe('#000000')
  })
})

const names = (entries: readonly OutlineEntry[]): unknown =>
  entries.map((entry) =>
    entry.children.length === 0 ? entry.name : [entry.name, names(entry.children)]
  )

describe('the outline of a recipe', () => {
  it('nests keys by indentation and knows the lines each one holds', () => {
    const text =
      '# head\nreef:\n  port: 8900\n\n  # said\n  host: a\nrecipe:\n  config:\n    lr: 1\n'
    const outline = outlineOf(text)
    expect(names(outline)).toEqual([
      ['reef', ['port', 'host']],
      ['recipe', [['config', ['lr']]]]
    ])
    expect(outline[0]).toMatchObject({ line: 2, column: 1, endLine: 6 })
    expect(outline[1]?.children[0]).toMatchObject({ line: 8, column: 3, endLine: 9 })
  })

  it('takes the keys of list items and skips folded text that is no key', () => {
    const text =
      'services:\n  - name: a\n    run: x\n  - name: b\nflags: >-\n  --lr 1\n  --save x\n'
    expect(names(outlineOf(text))).toEqual([['services', ['name', 'run', 'name']], 'flags'])
    expect(outlineOf(text)[1]).toMatchObject({ line: 5, endLine: 7 })
  })

  it('never throws, and every entry lies inside the text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', ':', ' ', '\n', '-', '#', '"') }),
        (text) => {
          const lines = text.split('\n').length
          const check = (entry: OutlineEntry): void => {
            expect(entry.line).toBeGreaterThan(0)
            expect(entry.endLine).toBeGreaterThanOrEqual(entry.line)
            expect(entry.endLine).toBeLessThanOrEqual(lines)
            entry.children.forEach(check)
          }
          outlineOf(text).forEach(check)
        }
      )
    )
  })
})

describe('the filter of resolved values', () => {
  const row = (path: string, value: string): ResolvedValue => ({
    path,
    value,
    origin: { kind: 'default' }
  })
  const rows = [row('training.options.lr', '1e-6'), row('training.config.global_batch_size', '128')]

  it('shows all for an empty filter', () => {
    expect(matchingRows(rows, '  ')).toBe(rows)
  })

  it('wants every word, in field or value, and takes dash and underscore as one', () => {
    expect(matchingRows(rows, 'BATCH-size 128')).toEqual([rows[1]])
    expect(matchingRows(rows, 'lr 1e-6')).toEqual([rows[0]])
    expect(matchingRows(rows, 'batch 1e-6')).toEqual([])
  })
})
