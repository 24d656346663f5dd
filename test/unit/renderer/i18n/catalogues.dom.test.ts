// @vitest-environment node
import { describe, expect, it } from 'vitest'
import { en } from '../../../../src-renderer/i18n/en'
import { zh } from '../../../../src-renderer/i18n/zh'

type Catalogue = { readonly [key: string]: string | Catalogue }

function flat(catalogue: Catalogue, prefix = ''): [string, string][] {
  return Object.entries(catalogue).flatMap(([key, value]) =>
    typeof value === 'string'
      ? [[prefix + key, value] as [string, string]]
      : flat(value, `${prefix}${key}.`)
  )
}

const holes = (text: string): string[] =>
  [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name ?? '').sort()

const english = flat(en)
const chinese = new Map(flat(zh))

describe('catalogues', () => {
  it('have the same keys in both languages', () => {
    expect([...chinese.keys()].sort()).toEqual(english.map(([key]) => key).sort())
  })

  it('say something in every entry', () => {
    expect([...english, ...chinese].filter(([, text]) => text.trim() === '')).toEqual([])
  })

  it('fill the same holes in both languages', () => {
    const differing = english.filter(([key, text]) => {
      const other = chinese.get(key) ?? ''
      return JSON.stringify(holes(text)) !== JSON.stringify(holes(other))
    })
    expect(differing).toEqual([])
  })

  it('have a plural form for every singular one', () => {
    const keys = new Set(english.map(([key]) => key))
    const alone = [...keys].filter(
      (key) => key.endsWith('_one') && !keys.has(key.replace(/_one$/, '_other'))
    )
    expect(alone).toEqual([])
  })
})
