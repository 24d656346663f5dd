import { expect, it } from 'vitest'
import type { Finding } from '../../../../src-main/contract/recipes'
import { findingChecks } from '../../../../src-main/engine/preflight/recipe-findings'
import { checkRecipe } from '../../../../src-main/engine/recipes'

const text = { en: 'x', zh: 'x' }
const finding = (rule: string, severity: Finding['severity']): Finding => ({
  rule,
  severity,
  path: 'a.b',
  line: 3,
  column: 1,
  endLine: 3,
  endColumn: 2,
  message: text,
  explanation: text,
  source: ''
})

it('findings of the checker are checks of their own weight, batch and loss first', async () => {
  const recipe = checkRecipe({ path: 'a.yaml', text: 'schema-version: 2\n' })
  const findings = [
    finding('reef/host', 'warning'),
    finding('note', 'hint'),
    finding('batch/step', 'error')
  ]
  const checks = findingChecks({ ...recipe, findings })
  expect(checks.map(({ id }) => id.split('/')[1])).toEqual(['batch', 'reef'])
  const { signal } = new AbortController()
  const outcomes = await Promise.all(checks.map((check) => check.run(null, signal)))
  expect(outcomes.map(({ verdict }) => verdict)).toEqual(['fail', 'warn'])
  const [clean] = findingChecks({ ...recipe, findings: [finding('note', 'hint')] })
  expect((await clean?.run(null, signal))?.verdict).toBe('pass')
})

it('a misspelt section comes first, one thing is said once, and an open service by its own check', () => {
  const recipe = checkRecipe({ path: 'a.yaml', text: 'schema-version: 2\n' })
  const findings = [
    finding('batch/step', 'error'),
    { ...finding('batch/step', 'error'), path: 'c.d', line: 9 },
    finding('service/open', 'warning'),
    finding('nexrl/missing-variable', 'error'),
    finding('v2/misspelt-section', 'error')
  ]
  const ids = findingChecks({ ...recipe, findings }).map(({ id }) => id)
  expect(ids).toEqual(['recipe/v2/misspelt-section/0', 'recipe/batch/step/1'])
})
