import { fail } from '../lib'
import { scenariosOnDisk } from '../releases'
import type { RunRecord } from '../runs'
import type { FileAccess } from '../targets'
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
  /** The practice stack, which can answer from any release. */
  practice: boolean
  scenarios: readonly string[]
}

/** The value of the service's token; null where there is none. */
export async function tokenValue(
  { token }: RecipeForPlan,
  secret: (name: string) => Promise<string | null>
): Promise<string | null> {
  switch (token.kind) {
    case 'literal':
      return token.value
    case 'environment':
      return (await secret(token.name)) || null
    case 'none':
      return null
  }
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
  return {
    run: record.id,
    address: last.address,
    token: await tokenValue(recipe, secret),
    tokenName: token.kind === 'environment' ? token.name : null,
    model: record.recipe.model,
    batch: last.plan.batch,
    practice: last.plan.practice,
    scenarios: record.seen.scenarios
  }
}

/** What an ended run left of its records, on its target. */
export interface KeptRecords {
  run: string
  /** Number of the attempt whose files they are: another one may have written since. */
  attempt: number
  files: FileAccess
  /** `storage.agent-record-dir` of the newest attempt, as a path of the target. */
  folder: string
  scenarios: readonly string[]
  batch: number | null
  /** The value of the service's token, to be hidden wherever it stands; null where there is none. */
  token: string | null
}

/** Throws FailureError `not-live` when the newest attempt has not ended or kept no records. */
export async function keptOf(
  record: RunRecord,
  files: () => Promise<FileAccess>,
  token: string | null
): Promise<KeptRecords> {
  const last = record.attempts.at(-1)
  // What is still written cannot be read beside its writer: half a transaction would be taken for a whole one.
  if (last === undefined || last.recordDir === null || !isFinal(last.state))
    return notLive(record.id)
  const there = await files()
  const named = await scenariosOnDisk(there, last.recordDir)
  return {
    run: record.id,
    attempt: last.number,
    files: there,
    folder: last.recordDir,
    scenarios: [...new Set([...record.seen.scenarios, ...named])],
    batch: last.plan.batch,
    token
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
