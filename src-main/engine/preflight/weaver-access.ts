import type { CatalogueModel } from '../../contract/weaver'
import { FailureError, systemClock } from '../lib'
import { WEAVER_SERVER, WeaverClient } from '../weaver'
import { pass, skip, unknown, type CheckSpec, type Outcome } from './check-spec'
import { setting, type LaunchContext } from './launch-context'
import { NETWORK_MS, reach, type Reach } from './reach'

export function usesWeaver(context: LaunchContext): boolean {
  return context.recipe.resolved.some(
    ({ path, value }) => /backend$|sync_method$/.test(path) && value === 'weaver'
  )
}

/** What the recipe wants of Weaver: a base model, and how it is trained (`lora` is the service's own default). */
export interface WantedModel {
  name: string | null
  mode: string
}

/** What Weaver's catalogue, asked by a read-only call, says of a launch. */
export function weaverOutcome(
  catalogue: readonly CatalogueModel[],
  wanted: WantedModel,
  server: string
): Outcome {
  const answers = {
    en: `${server} answers and takes the key`,
    zh: `${server} 可用，密钥有效`
  }
  const { name, mode } = wanted
  if (name === null) return pass({ en: `${answers.en}.`, zh: `${answers.zh}。` })
  const model = catalogue.find((one) => one.name === name)
  const modes = model?.modes.map((one) => one.mode) ?? []
  if (modes.includes(mode))
    return pass({
      en: `${answers.en}; it trains ${name} (${mode}).`,
      zh: `${answers.zh}；支持训练 ${name}（${mode}）。`
    })
  const offers = modes.join(', ')
  return {
    verdict: 'warn',
    evidence:
      model === undefined
        ? {
            en: `${answers.en}, but does not list ${name}.`,
            zh: `${answers.zh}，但目录中没有 ${name}。`
          }
        : {
            en: `${answers.en}, but trains ${name} only as ${offers}, not as ${mode}.`,
            zh: `${answers.zh}，但 ${name} 仅支持 ${offers}，不支持 ${mode}。`
          },
    why: {
      en: 'A mode without a price is not supported; the first training call would be refused.',
      zh: '没有价格的模式不受支持；第一次训练请求会被拒绝。'
    },
    remedy: {
      en: 'Choose a model and a mode from Settings → Weaver.',
      zh: '请从“设置 → Weaver”中选择受支持的模型与模式。'
    }
  }
}

/** Nobody is there: said at once, for the network may be back before the launch. */
function weaverAway(server: string, reached: Exclude<Reach, { kind: 'there' }>): Outcome {
  return unknown(
    reached.kind === 'late'
      ? { en: `${server} does not answer.`, zh: `${server} 没有应答。` }
      : {
          en: `${server} cannot be reached: ${reached.why}.`,
          zh: `无法连接 ${server}：${reached.why}。`
        },
    {
      en: 'Check the network, and WEAVER_BASE_URL where it is set.',
      zh: '请检查网络；若设置了 WEAVER_BASE_URL，请核对其值。'
    }
  )
}

/** What a call that Weaver did not answer as wished says. */
export function weaverTrouble({ failure }: FailureError, server: string): Outcome {
  const said = failure.detail === undefined ? '' : ` (${failure.detail})`
  const evidence = {
    en: `${server}: ${failure.what.en}${said}`,
    zh: `${server}：${failure.what.zh}${said}`
  }
  const { remedy } = failure
  switch (failure.code) {
    case 'weaver-unanswered':
      return unknown(evidence, remedy)
    case 'weaver-key-refused':
      return { verdict: 'fail', evidence, ...(remedy === undefined ? {} : { remedy }) }
    default:
      return { verdict: 'warn', evidence, ...(remedy === undefined ? {} : { remedy }) }
  }
}

/** Weaver reachable, the key accepted, and the recipe's model on offer: by one read-only question. */
export const weaverAccess: CheckSpec<LaunchContext> = {
  id: 'nexrl/weaver',
  group: 'nexrl',
  title: { en: 'Weaver', zh: 'Weaver' },
  deadline: NETWORK_MS,
  async run(context, signal) {
    if (!usesWeaver(context)) return skip({ en: 'Not used.', zh: '未使用。' })
    const key = context.variable('WEAVER_API_KEY') ?? ''
    const state = context.environment.get('WEAVER_API_KEY')
    if (state !== 'set')
      return skip({
        en: 'Not asked without WEAVER_API_KEY, which “What the driver reads” judges.',
        zh: '没有 WEAVER_API_KEY 就不询问；该变量由“驱动读取的变量”判断。'
      })
    const server = (context.variable('WEAVER_BASE_URL') || WEAVER_SERVER).replace(/\/+$/, '')
    const reached = await reach(server, systemClock, signal)
    if (reached.kind !== 'there') return weaverAway(server, reached)
    const client = new WeaverClient({ server, key, clock: systemClock, tries: 1 }, signal)
    const wanted = {
      name: setting(context, 'service.inference_service.model') ?? null,
      mode: setting(context, 'service.weaver_service.training_mode') ?? 'lora'
    }
    try {
      return weaverOutcome(await client.catalogue(), wanted, server)
    } catch (thrown) {
      if (thrown instanceof FailureError) return weaverTrouble(thrown, server)
      throw thrown
    }
  }
}
