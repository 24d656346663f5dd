import { messageOf, systemClock } from '../lib'
import { pass, skip, unknown, type CheckSpec, type Outcome } from './check-spec'
import type { LaunchContext } from './launch-context'
import { NETWORK_MS, reach } from './reach'

const NAME = 'INFERENCE_BASE_URL'

/** What an inference service of one's own answered to a question that changes nothing: a status, nothing in time, or why not. */
export type InferenceAnswer =
  { kind: 'status'; status: number } | { kind: 'late' } | { kind: 'refused'; why: string }

export function inferenceOutcome(answer: InferenceAnswer, address: string): Outcome {
  switch (answer.kind) {
    case 'status': {
      const { status } = answer
      const evidence = {
        en: `${address} answers (${status}).`,
        zh: `${address} 有应答（${status}）。`
      }
      if (status < 500) return pass(evidence)
      return {
        verdict: 'warn',
        evidence,
        why: {
          en: 'The service is there, but not well: rollouts will wait or fail.',
          zh: '服务存在但异常：rollout 会等待或失败。'
        }
      }
    }
    case 'late':
      return unknown({ en: `${address} does not answer.`, zh: `${address} 没有应答。` })
    case 'refused':
      return {
        verdict: 'fail',
        evidence: {
          en: `Nobody answers at ${address}: ${answer.why}.`,
          zh: `${address} 无人应答：${answer.why}。`
        },
        why: {
          en: 'Every rollout asks the inference service there.',
          zh: '每个 rollout 都会向该推理服务请求。'
        },
        remedy: {
          en: `Start the inference service, or set ${NAME} to the host:port where it answers.`,
          zh: `请启动推理服务，或把 ${NAME} 设为其 host:port。`
        },
        judgement: true
      }
  }
}

async function ask(address: string, signal: AbortSignal): Promise<InferenceAnswer> {
  const base = /^https?:\/\//.test(address) ? address : `http://${address}`
  try {
    const reached = await reach(base, systemClock, signal)
    if (reached.kind !== 'there') return reached
    const answer = await fetch(`${base.replace(/\/+$/, '')}/health`, { signal })
    await answer.body?.cancel()
    return { kind: 'status', status: answer.status }
  } catch (thrown) {
    if (signal.aborted) return { kind: 'late' }
    const cause = thrown instanceof Error ? thrown.cause : undefined
    return { kind: 'refused', why: messageOf(cause ?? thrown) }
  }
}

/** A driver that is started directly does not bring its own inference service up: it must be there. */
export const ownInference: CheckSpec<LaunchContext> = {
  id: 'nexrl/inference',
  group: 'nexrl',
  title: { en: 'Inference service', zh: '推理服务' },
  deadline: NETWORK_MS,
  async run(context, signal) {
    const { nexrl } = context.plan
    if (nexrl?.service !== 'own')
      return skip({ en: 'The training service brings it.', zh: '由训练服务提供。' })
    if (nexrl.way === 'kubernetes')
      return skip({ en: 'NexRL’s launcher starts it.', zh: '由 NexRL 启动器启动。' })
    const address = context.variable(NAME) ?? ''
    if (address === '') return skip({ en: `${NAME} is not set.`, zh: `未设置 ${NAME}。` })
    if (!(await context.here()))
      return skip({
        en: `${address} is asked from the target’s machine only.`,
        zh: `${address} 只能从目标机器访问。`
      })
    return inferenceOutcome(await ask(address, signal), address)
  }
}
