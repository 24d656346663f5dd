import { expect, it } from 'vitest'
import { FailureError } from '../../../../src-main/engine/lib'
import { refuseLongReason } from '../../../../src-main/engine/stacks'

it('keeps a reason of up to two thousand characters, and says how long a longer one is', () => {
  expect(() => refuseLongReason('x'.repeat(2000))).not.toThrow()
  let thrown: unknown
  try {
    refuseLongReason('x'.repeat(2001))
  } catch (cause) {
    thrown = cause
  }
  expect(thrown).toBeInstanceOf(FailureError)
  expect(thrown).toMatchObject({ failure: { code: 'reason-too-long' } })
  expect(String(thrown instanceof FailureError ? thrown.failure.what.en : '')).toContain('2001')
})
