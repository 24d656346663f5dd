import { ORPCError } from '@orpc/client'
import type { Failure } from '@contract/failure'
import type { Text } from '@contract/text'

function isText(value: unknown): value is Text {
  return (
    typeof value === 'object' &&
    value !== null &&
    'en' in value &&
    typeof value.en === 'string' &&
    'zh' in value &&
    typeof value.zh === 'string'
  )
}

function isFailure(value: unknown): value is Failure {
  return (
    typeof value === 'object' &&
    value !== null &&
    'code' in value &&
    typeof value.code === 'string' &&
    'what' in value &&
    isText(value.what)
  )
}

/** What a person is told about anything a call may throw. The engine's own Failure is passed through. */
export function failureOf(thrown: unknown): Failure {
  if (thrown instanceof ORPCError && isFailure(thrown.data)) return thrown.data
  const detail = thrown instanceof Error ? thrown.message : String(thrown)
  return {
    code: 'unexpected',
    what: {
      en: 'The engine did not answer as expected.',
      zh: '引擎没有给出预期的应答。'
    },
    remedy: {
      en: 'Try again. If it stays, start Slipway again; runs are not affected.',
      zh: '请重试。若仍然如此，请重新启动 Slipway；运行不受影响。'
    },
    detail
  }
}
