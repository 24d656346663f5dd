// @vitest-environment node
import { describe, expect, it } from 'vitest'
import type { Check, Verdict } from '@contract/preflight'
import {
  byArea,
  byNextStep,
  gateOf
} from '../../../../src-renderer/features/preflight/preflight-model'

function check(id: string, verdict: Verdict, judgement = false): Check {
  const text = { en: id, zh: id }
  return { id, group: 'disk', title: text, verdict, evidence: text, judgement, took: 1 }
}

function report(checks: Check[], running: string[] = []) {
  return { checks, running, verdict: 'fail' as const, took: 1 }
}

describe('preflight on the page', () => {
  it('groups by what to do next, the most pressing first', () => {
    const groups = byNextStep([
      check('a', 'pass'),
      check('b', 'skip'),
      check('c', 'fail'),
      check('d', 'warn'),
      check('e', 'unknown')
    ])
    expect(groups.map(({ step }) => step)).toEqual(['fix', 'know', 'unknown', 'fine', 'skipped'])
    expect(byArea([check('a', 'pass'), check('b', 'pass')])).toHaveLength(1)
  })

  it('blocks on a refusal at once, asks why for judgements, waits while checks run', () => {
    expect(gateOf(null, '').kind).toBe('running')
    expect(gateOf(report([check('a', 'fail')], ['b']), 'why').kind).toBe('blocked')
    expect(gateOf(report([check('a', 'fail', true)], ['b']), '').kind).toBe('running')
    expect(gateOf(report([check('a', 'fail', true)]), ' ').kind).toBe('ask-why')
    expect(gateOf(report([check('a', 'fail', true)]), 'tested').kind).toBe('clear')
    expect(gateOf(report([check('a', 'unknown')]), '').kind).toBe('clear')
    expect(gateOf(null, '', true).kind).toBe('clear')
  })
})
