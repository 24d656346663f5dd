import type { Failure } from '../../contract/failure'
import type { RollbackPlan } from '../../contract/releases'
import type { RunRecord } from '../runs'
import type { Answer } from './reef-client'

/** A plan that says so where what is served was read before the service was out of reach. Pure. */
export function withStaleness(
  plan: RollbackPlan,
  { attempts }: Pick<RunRecord, 'attempts'>
): RollbackPlan {
  const state = attempts.at(-1)?.state
  if (state?.kind !== 'unreachable') return plan
  const { en, zh } = state.why
  const since = new Date(state.since).toISOString()
  const stale = {
    en: `What is served was read before ${since}, and may be another release by now: since then the service could not be asked. ${en}`,
    zh: `在线版本是 ${since} 之前读到的，现在可能已不同：此后无法询问服务。${zh}`
  }
  return { ...plan, stale }
}

/** Statuses of a service that answers and does not know us. */
function refusesToken(answer: Answer<unknown>): boolean {
  return answer.kind === 'refused' && (answer.status === 401 || answer.status === 403)
}

/** Why a look at a service that runs came to nothing. Pure. */
export function unansweredText(answer: Exclude<Answer<unknown>, { kind: 'ok' }>): {
  en: string
  zh: string
} {
  if (answer.kind === 'refused' && refusesToken(answer))
    return {
      en: `The stack runs, but its service refuses the token of this Slipway (HTTP ${answer.status}): ${answer.text}`,
      zh: `运行栈仍在运行，但其服务拒绝了 Slipway 的 token（HTTP ${answer.status}）：${answer.text}`
    }
  const why = answer.kind === 'away' ? answer.why : `HTTP ${answer.status}: ${answer.text}`
  return {
    en: `The stack runs, but its service does not answer: ${why}`,
    zh: `运行栈仍在运行，但其服务没有应答：${why}`
  }
}

/** Why nothing was changed where what is served could not be read; `answer`: what the service says now. Pure. */
export function chainUnread(where: string, answer: Answer<unknown>): Failure {
  const failure: Failure = {
    code: 'chain-unread',
    what: {
      en: 'What is served now could not be read, so nothing was changed.',
      zh: '无法读取在线版本，因此未做任何更改。'
    },
    where
  }
  if (answer.kind === 'ok')
    return {
      ...failure,
      remedy: { en: 'The service answers again: try it now.', zh: '服务已恢复应答：请重试。' }
    }
  const said = answer.kind === 'away' ? answer.why : `HTTP ${answer.status}: ${answer.text}`
  return {
    ...failure,
    detail: said,
    remedy: refusesToken(answer)
      ? {
          en: 'The service refuses the token: set REEF_TOKEN as the stack has it where Slipway is started, and try again.',
          zh: '服务拒绝了 token：请在启动 Slipway 的环境中把 REEF_TOKEN 设为运行栈所用的值，然后重试。'
        }
      : { en: 'Try again when the service answers.', zh: '请在服务恢复应答后重试。' }
  }
}
