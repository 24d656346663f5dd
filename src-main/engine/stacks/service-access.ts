import { fail } from '../lib'
import type { RunRecord } from '../runs'
import { isFinal } from './attempt-state'
import type { RecipeForPlan } from './recipe-for-plan'

/** Where a run's HTTP service is and with which token it is asked. The value never leaves the engine. */
export interface ServiceAccess {
  run: string
  address: string
  token: string | null
  /** Environment variable the recipe takes the token from; null when it stands in the recipe or there is none. */
  tokenName: string | null
  model: string | null
  /** Reports that make one step, where the plan knows. */
  batch: number | null
  scenarios: readonly string[]
}

/** Throws FailureError `not-live` when the newest attempt has ended or has no address yet. */
export async function accessOf(
  record: RunRecord,
  recipe: RecipeForPlan,
  secret: (name: string) => Promise<string | null>
): Promise<ServiceAccess> {
  const last = record.attempts.at(-1)
  if (last === undefined || last.address === null || isFinal(last.state)) return notLive(record.id)
  const { token } = recipe
  const value =
    token.kind === 'literal'
      ? token.value
      : token.kind === 'environment'
        ? (await secret(token.name)) || null
        : null
  return {
    run: record.id,
    address: last.address,
    token: value,
    tokenName: token.kind === 'environment' ? token.name : null,
    model: record.recipe.model,
    batch: last.plan.batch,
    scenarios: record.seen.scenarios
  }
}

/** Refuses to ask a service that is not there. */
export function notLive(run: string): never {
  return fail({
    code: 'not-live',
    what: {
      en: 'This run is not serving, so there is nobody to ask.',
      zh: '该运行没有在提供服务，无法向其发送请求。'
    },
    where: run,
    remedy: {
      en: 'Start it again, or choose a run that serves.',
      zh: '请重新启动，或选择正在服务的运行。'
    }
  })
}
