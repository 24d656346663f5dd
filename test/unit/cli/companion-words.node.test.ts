import { expect, it } from 'vitest'
import { companionRow } from '../../../src-main/cli/companion-words'
import type { CompanionStatus } from '../../../src-main/contract/run'

const english = (en: string): string => en
const one = (name: string, state: CompanionStatus['state'], restarts = 0): CompanionStatus => ({
  name,
  where: 'process',
  state,
  restarts,
  log: null
})

it('says in one row what each companion does, and nothing where there is none', () => {
  expect(companionRow([], english)).toEqual([])
  const two = [
    one('agent', { kind: 'running' }, 2),
    one('agent-2', { kind: 'ended', exit: { kind: 'code', code: 1 } })
  ]
  expect(companionRow(two, english)).toEqual([
    ['companions', 'agent running, 2 restarts; agent-2 ended (exit 1)']
  ])
})
