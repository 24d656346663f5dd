import { describe, expect, it } from 'vitest'
import { sizeWords } from '../../../src-main/cli/checkpoints'
import { reportFailure } from '../../../src-main/cli/engine-client'
import { findRelease } from '../../../src-main/cli/names'
import { tookWords } from '../../../src-main/cli/release-detail'
import { releaseWords } from '../../../src-main/cli/run-words'
import type { Release } from '../../../src-main/contract/releases'
import { FailureError } from '../../../src-main/engine/lib'

function release(
  step: number,
  releaseId: string,
  rollbackTargetStep: number | null = null
): Release {
  return {
    step,
    commitStep: step,
    baseStep: null,
    releaseId,
    parentReleaseId: null,
    contentId: releaseId,
    contentKind: 'live_weights',
    result: 'published',
    operation: rollbackTargetStep === null ? 'training' : 'rollback',
    served: false,
    restorable: true,
    notRestorable: null,
    recordedAt: null,
    rollbackTarget: null,
    rollbackTargetStep,
    leftBehind: false,
    attempt: 1,
    metrics: {},
    consumed: null,
    took: null,
    checkpoint: null
  }
}

const chain = [
  release(16, 'abc6d1e2f3a4b5c6'),
  release(15, '77aa77aa00000001'),
  release(14, '77aa77aa00000002'),
  release(12, '1234567890abcdef')
]

describe('a release named on the command line', () => {
  it.each([
    ['r12', 12],
    ['12', 12],
    ['abc6d1e2f3a4b5c6', 16],
    ['abc6d1e2', 16],
    ['12345678', 12],
    ['77aa77aa00000002', 14]
  ])('%s', (wanted, step) => {
    expect(findRelease(chain, wanted).step).toBe(step)
  })

  it.each([
    ['abc', 'release-unknown'],
    ['abc6d1e', 'release-unknown'],
    ['r99', 'release-unknown'],
    ['abc6d1e9', 'release-unknown'],
    ['77aa77aa', 'release-ambiguous']
  ])('%s is refused, with what to do', (wanted, code) => {
    const thrown = ((): unknown => {
      try {
        return findRelease(chain, wanted)
      } catch (cause) {
        return cause
      }
    })()
    expect(thrown).toBeInstanceOf(FailureError)
    expect(thrown).toMatchObject({
      failure: { code, remedy: { en: expect.stringMatching(/\S/) as string } }
    })
  })
})

it('a rollback says where it went back to', () => {
  expect(releaseWords(release(7, 'x', 3)).operation).toEqual({ en: 'back to r3', zh: '回到 r3' })
  expect(releaseWords(release(7, 'x')).operation.en).toBe('training')
})

it.each([
  [400, '0.4 s'],
  [2000, '2 s'],
  [90_000, '90 s'],
  [150_000, '2.5 min']
])('%i ms', (took, said) => {
  expect(tookWords(took).en).toBe(said)
})

it.each([
  [0, '0 B'],
  [999, '999 B'],
  [4200, '4.2 kB'],
  [1_500_000, '1.5 MB'],
  [16_000_000_000, '16.0 GB']
])('%i bytes', (bytes, said) => {
  expect(sizeWords(bytes)).toBe(said)
})

it('with --json a failure is one line of JSON, whatever was thrown', () => {
  for (const thrown of [
    new FailureError({ code: 'run-unknown', what: { en: 'No run.', zh: '没有。' } }),
    new Error('broken')
  ]) {
    const said: string[] = []
    const io = {
      out: () => undefined,
      err: (text: string) => void said.push(text),
      exit: () => undefined,
      language: 'en' as const,
      json: () => true
    }
    expect(reportFailure(io, thrown)).toBe(1)
    expect(said).toHaveLength(1)
    expect(JSON.parse(said[0] ?? '')).toMatchObject({
      error: { code: thrown instanceof FailureError ? 'run-unknown' : 'unexpected' }
    })
  }
})
