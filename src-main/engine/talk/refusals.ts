import { FailureError, fail } from '../lib'
import type { Answer } from '../stacks'

/** A report or a question the service turned away. `at` in Unix milliseconds, null when the log does not say. */
export interface Refusal {
  at: number | null
  of: 'report' | 'question'
  text: string
}

/** Lines of the log that tell of one (`reef/service/errors.py`). */
export const REFUSED =
  'POST /(reef/report|v1/chat/completions|v1/messages|v1/responses) failed with (.+? \\(HTTP \\d{3}\\))'
const refusal = new RegExp(REFUSED)

/** The service's words of a refused report or question in a line of its log; null for other lines. */
export function refusalIn(line: string): Pick<Refusal, 'of' | 'text'> | null {
  const [, route, text] = refusal.exec(line) ?? []
  if (route === undefined || text === undefined) return null
  return { of: route === 'reef/report' ? 'report' : 'question', text }
}

/** The value of an answer; any other becomes a failure with the service's own words. */
export function valueOf<T>(answer: Answer<T>, where: string, code = 'service-refused'): T {
  switch (answer.kind) {
    case 'ok':
      return answer.value
    case 'refused':
      throw refused(answer.status, answer.text, where, code)
    case 'away':
      return fail({
        code: 'service-away',
        what: { en: 'The service did not answer.', zh: '服务没有应答。' },
        where,
        detail: answer.why,
        remedy: {
          en: 'See whether it is still running (in the Stack tab, or with `slipway show RUN`), then try again.',
          zh: '请查看它是否仍在运行（“运行栈”标签页，或 `slipway show RUN`），然后重试。'
        }
      })
  }
}

/** A refusal as a failure a person reads: status, words, and what usually helps. */
export function refused(status: number, text: string, where: string, code: string): FailureError {
  return new FailureError({
    code,
    what: {
      en: `The service refused (HTTP ${status}).`,
      zh: `服务拒绝了请求（HTTP ${status}）。`
    },
    where,
    detail: text,
    remedy: remedyOf(status)
  })
}

function remedyOf(status: number): { en: string; zh: string } {
  switch (status) {
    case 401:
    case 403:
      return {
        en: 'Its token differs from the one Slipway has. Check the value of the token variable.',
        zh: '它的令牌与 Slipway 所持的不同。请检查令牌变量的值。'
      }
    case 404:
      return {
        en: 'The scenario or record is not there any more. Look at the list again.',
        zh: '该场景或记录已不存在。请刷新列表。'
      }
    case 409:
      return {
        en: 'Something else is under way or was changed meanwhile. Wait for the step to end and try again.',
        zh: '另有操作正在进行，或内容已被改动。请等当前步结束后重试。'
      }
    default:
      return {
        en: 'Its own words stand below; change what they name and send again.',
        zh: '下面是服务的原话；请按其所指修改后重新发送。'
      }
  }
}
