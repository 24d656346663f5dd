import { expect, test, describe } from 'vitest'
import { applyEdits, checkRecipe, noHubId, ruleBook } from '../../../../src-main/engine/recipes'
import { fixedRules } from '../../../../src-main/engine/recipes/rule-fixes'
import { baseInput, brokenInput, ruleCases } from './rule-cases'

/** Notices that a sound recipe of their kind carries; for these, the sound base of another kind must stay silent. */
const notices = new Set([
  'batch/grid-of-agent',
  'practice/backend',
  'nexrl/keys-in-clear',
  'nexrl/weights-expire'
])

describe('each rule', () => {
  test.each(ruleCases.map((one) => [one.rule, one] as const))(
    '%s fires on its mistake and not without it',
    (rule, one) => {
      const broken = checkRecipe(brokenInput(one))
      expect(broken.findings.map((finding) => finding.rule)).toContain(rule)
      const sound = baseInput(notices.has(rule) ? 'sao' : one.base)
      expect(checkRecipe(sound).findings.map((finding) => finding.rule)).not.toContain(rule)
    }
  )

  test.each(ruleCases.map((one) => [one.rule, one] as const))(
    '%s: its fix, where it has one, ends the finding',
    (rule, one) => {
      const input = brokenInput(one)
      const before = checkRecipe(input).findings.filter((finding) => finding.rule === rule)
      const fix = before.find((finding) => finding.fix !== undefined)?.fix
      if (fix === undefined) return
      expect(fixedRules).toContain(rule)
      const after = checkRecipe({ ...input, text: applyEdits(input.text, fix.edits) })
      expect(after.findings.filter((finding) => finding.rule === rule).length).toBeLessThan(
        before.length
      )
      expect(after.findings.some((finding) => finding.rule === 'yaml/syntax')).toBe(false)
    }
  )
})

test('every rule has a case, a unique id, both languages and a source', () => {
  const cases = new Set(ruleCases.map((one) => one.rule))
  expect(ruleBook.filter((rule) => !cases.has(rule.id)).map((rule) => rule.id)).toEqual([])
  expect(new Set(ruleBook.map((rule) => rule.id)).size).toBe(ruleBook.length)
  expect(fixedRules.filter((id) => ruleBook.every((rule) => rule.id !== id))).toEqual([])
  for (const rule of ruleBook) {
    expect(rule.id).toMatch(/^[a-z0-9-]+\/[a-z0-9-]+$/)
    expect(rule.source).not.toBe('')
    expect(rule.explanation.en.length).toBeGreaterThan(10)
    expect(rule.explanation.zh).toMatch(/\p{Script=Han}/u)
    expect(rule.message.zh).not.toBe(rule.message.en === '{what}' ? '' : rule.message.en)
  }
})

test.each(['sao', 'tttd', 'old', 'practice', 'nexrl'] as const)(
  'the sound %s recipe has no error',
  (base) => {
    const result = checkRecipe(baseInput(base))
    const loud = result.findings.filter(
      (finding) => finding.severity !== 'hint' && finding.rule !== 'nexrl/weights-expire'
    )
    expect(loud.map((finding) => `${finding.rule} ${finding.line} ${finding.message.en}`)).toEqual(
      []
    )
  }
)

describe('a section whose name is written wrong', () => {
  const { text, ...rest } = baseInput('sao')
  const typed = { ...rest, text: text.replace('\ntraining:\n', '\ntrainning:\n') }

  test('leads the list, and its fields are judged as if the name were right', () => {
    const { findings } = checkRecipe(typed)
    expect(findings[0]).toMatchObject({ rule: 'v2/misspelt-section', severity: 'error' })
    expect(findings[0]?.message.en).toContain('did you mean training?')
    expect(findings.filter(({ severity }) => severity !== 'hint')).toHaveLength(1)
    const sound = checkRecipe({ ...rest, text }).findings.map(({ rule }) => rule)
    expect(
      findings.map(({ rule }) => rule).filter((rule) => rule !== 'v2/misspelt-section')
    ).toEqual(sound)
  })

  test('still has its own mistakes, at their place in the file', () => {
    const broken = { ...typed, text: typed.text.replace('    use-critic: true\n', '') }
    const found = checkRecipe(broken).findings.find(({ rule }) => rule === 'sao/critic')
    expect(found).toBeDefined()
    const fix = checkRecipe(typed).findings[0]?.fix
    expect(applyEdits(typed.text, fix?.edits ?? [])).toBe(text)
  })

  test('is not guessed where what was meant is there as well', () => {
    const twice = { ...rest, text: `${text}\ntrainning: {}\n` }
    const rules = checkRecipe(twice).findings.map(({ rule }) => rule)
    expect(rules).toContain('v2/unknown-section')
    expect(rules).not.toContain('v2/misspelt-section')
  })
})

test.each([
  ['Qwen/Qwen3-8B', null],
  ['gpt2', null],
  ['/models/any thing', null],
  ['./a/b/c', null],
  ['s3://a/b/c', null],
  ['a/b/c', 'more than one slash'],
  ['Qwen/Qwen3 8B', 'a blank'],
  ['Qwen/Qwen3-8B?', '“?”'],
  ['/a', null],
  ['a/', 'empty'],
  ['a--b', '“--”']
])('%s as the id of a hub', (id, why) => {
  const said = noHubId(id)?.en ?? null
  if (why === null) expect(said).toBeNull()
  else expect(said).toContain(why)
})
