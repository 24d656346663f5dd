import { z } from 'zod'
import { type ScenarioFacts, TrainingMode } from '../../contract/talk'
import { fail } from '../lib'
import { batchHave, type ReefStatus } from '../stacks'
import type { LiveDesk } from './desk'
import { valueOf } from './refusals'
import { meantName } from './similar-names'

const Listing = z.looseObject({
  scenarios: z.array(
    z.looseObject({
      scenario: z.string(),
      loaded: z.boolean().nullish(),
      release_id: z.string().nullish()
    })
  )
})
const Contract = z.looseObject({
  processor: z.string().nullish(),
  training_mode: TrainingMode.nullish().catch(null),
  status: z.string().nullish(),
  required_request_types: z.array(z.string()).nullish()
})
const Created = z.looseObject({ scenario: z.string(), release_id: z.string().nullish() })
const Retired = z.looseObject({ archived: z.array(z.string()).nullish() })

const ROUTE = '/reef/scenarios'
const routeOf = (scenario: string): string => `${ROUTE}/${encodeURIComponent(scenario)}`

/** Every scenario with its contract, its use, and whether its name looks like a slip of another's. */
export async function listScenarios(desk: LiveDesk): Promise<ScenarioFacts[]> {
  const { scenarios } = valueOf(await desk.client.call('GET', ROUTE, Listing), ROUTE)
  const status = valueOf(await desk.client.status(), '/reef/status')
  const facts: ScenarioFacts[] = []
  for (const { scenario: name, loaded, release_id: release } of scenarios) {
    facts.push(
      await factsOf(desk, status, { name, loaded: loaded ?? true, release: release ?? null })
    )
  }
  const used = facts.map(({ name, answers }) => ({ name, answers }))
  return facts.map((one) => ({ ...one, looksLike: meantName(one, used) }))
}

async function factsOf(
  desk: LiveDesk,
  status: ReefStatus,
  one: { name: string; loaded: boolean; release: string | null }
): Promise<ScenarioFacts> {
  const contract = await desk.client.call('GET', `${routeOf(one.name)}/contract`, Contract)
  const said = contract.kind === 'ok' ? contract.value : null
  const book = await desk.book(one.name)
  const answers = book.rows.filter(({ type }) => type === 'inference').length
  const reports = book.rows.filter(({ type }) => type === 'report').length
  return {
    name: one.name,
    loaded: one.loaded,
    release: desk.named(book, one.release),
    mode: said?.training_mode ?? null,
    status: said?.status ?? null,
    processor: said?.processor ?? null,
    requires: said?.required_request_types ?? [],
    answers,
    reports,
    batch: { have: batchHave(status, one.name), need: desk.access.batch },
    looksLike: null
  }
}

/** False for a name that would break a header, or lead an address elsewhere. */
function fitsAddress(name: string): boolean {
  return name !== '.' && name !== '..' && !/\p{Cc}/u.test(name)
}

/** Makes a scenario; one of that name is left as it is. */
export async function createScenario(
  desk: LiveDesk,
  { name, releaseId }: { name: string; releaseId?: string | undefined }
): Promise<{ name: string; created: boolean }> {
  const wanted = name.trim()
  if (wanted === '') {
    return fail({
      code: 'scenario-name',
      what: { en: 'A scenario needs a name.', zh: '场景需要一个名称。' },
      remedy: { en: 'Type a name.', zh: '请输入名称。' }
    })
  }
  if (!fitsAddress(wanted)) {
    return fail({
      code: 'scenario-name',
      what: {
        en: 'A scenario’s name stands in addresses and headers: it takes no control characters, and is not “.” or “..”.',
        zh: '场景名称会出现在地址和请求头中：不能含控制字符，也不能是“.”或“..”。'
      },
      where: JSON.stringify(wanted),
      remedy: { en: 'Type another name.', zh: '请换一个名称。' }
    })
  }
  const before = valueOf(await desk.client.scenarios(), ROUTE)
  const body = { name: wanted, ...(releaseId === undefined ? {} : { release_id: releaseId }) }
  const made = valueOf(await desk.client.call('POST', ROUTE, Created, body), ROUTE)
  return { name: made.scenario, created: !before.includes(made.scenario) }
}

/** Sets when a scenario trains. The service forgets it when it restarts. */
export async function setMode(desk: LiveDesk, scenario: string, mode: TrainingMode): Promise<void> {
  const route = `${routeOf(scenario)}/update`
  valueOf(await desk.client.call('POST', route, z.unknown(), { training_mode: mode }), route)
}

/** Retires a scenario; the answer names the files the service archived. */
export async function retireScenario(desk: LiveDesk, scenario: string): Promise<string[]> {
  const route = routeOf(scenario)
  const { archived } = valueOf(await desk.client.call('DELETE', route, Retired), route)
  desk.forget(scenario)
  return archived ?? []
}
