import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { checkRecipe, listTemplates, newRecipeProposal } from '../../../../src-main/engine/recipes'

const folder = join(import.meta.dirname, '../../../../recipes')
const files = readdirSync(folder).filter(
  (name) => name.endsWith('.yaml') && !name.startsWith('practice-')
)
/** Every variable a template may ask for, set. */
const environment = {
  REEF_TOKEN: 'a-token-for-tests',
  UPSTREAM_URL: 'https://example.org',
  UPSTREAM_MODEL: 'm',
  UPSTREAM_API_KEY: 'k'
}

test.each(files)('%s has the findings its header names, and no others', (name) => {
  const text = readFileSync(join(folder, name), 'utf8')
  const named = /^# Findings on purpose: (.+)$/m.exec(text)?.[1]?.split(', ') ?? []
  const result = checkRecipe({ path: name, text, environment })
  expect([result.dialect, result.generation]).toEqual(['reef-v2', 'C'])
  expect([...new Set(result.findings.map((finding) => finding.rule))].sort()).toEqual(
    [...named].sort()
  )
  expect(result.facts.family).not.toBeNull()
})

test('every template is listed with a description in both languages', async () => {
  for (const entry of await listTemplates(folder)) {
    if (!files.includes(basename(entry.path))) continue
    expect(entry.description.en).not.toBe('')
    expect(entry.description.zh).toMatch(/\p{Script=Han}/u)
  }
})

test('proposals name templates that exist', () => {
  const improve = [
    'reasoning',
    'one-problem',
    'conversation',
    'demonstrated-skill',
    'smaller-model',
    'harness'
  ] as const
  const signal = [
    'score',
    'score-grid',
    'next-state',
    'demonstrations',
    'teacher',
    'requests',
    'none'
  ] as const
  const named = new Set(
    improve.flatMap((a) =>
      signal.flatMap((b) =>
        newRecipeProposal({ improve: a, signal: b, gpus: 8 }).map((one) => one.template)
      )
    )
  )
  for (const name of named) expect(readdirSync(folder)).toContain(name)
})

test.each(['practice-sao.yaml', 'practice-tttd.yaml'])(
  '%s checks clean but for the notice that it is practice',
  (name) => {
    const text = readFileSync(join(folder, name), 'utf8')
    const { findings, facts } = checkRecipe({ path: name, text, environment })
    expect(findings.filter((finding) => finding.severity !== 'hint')).toEqual([])
    expect(findings.map((finding) => finding.rule)).toContain('practice/backend')
    expect([facts.practice, facts.rollback]).toEqual([true, 'api'])
  }
)
