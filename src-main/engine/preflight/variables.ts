import { pass, skip, type CheckSpec, type Outcome } from './check-spec'
import { setting, switchedOn, type LaunchContext, type VariableState } from './launch-context'

/** Variables that open a service to everybody when they are not there. */
const TOKEN = 'REEF_TOKEN'
const WHO = { en: 'Who may speak to it', zh: '访问权限' }
const loopback = /^(?:127\.|localhost$|::1$)/

/** What the named variables say, values unseen. Missing ones are only worth knowing: many have a default. */
export function variablesOutcome(
  names: readonly string[],
  states: ReadonlyMap<string, VariableState>
): Outcome {
  const of = (wanted: VariableState | undefined): string[] =>
    names.filter((name) => states.get(name) === wanted)
  const fake = of('placeholder')
  const absent = [...of(undefined), ...of('empty')].filter((name) => name !== TOKEN)
  if (fake.length > 0)
    return {
      verdict: 'fail',
      evidence: {
        en: `${fake.join(', ')}: still what an example puts there.`,
        zh: `${fake.join('、')} 仍是示例中的占位值。`
      },
      why: {
        en: 'A placeholder is sent as a key and refused, often hours later.',
        zh: '占位值会被当作密钥发送并遭拒绝，往往要数小时后才发现。'
      },
      remedy: {
        en: 'Give it its real value where Slipway is started.',
        zh: '请在启动 Slipway 的环境中设置真实值。'
      },
      judgement: true
    }
  if (absent.length > 0)
    return {
      verdict: 'warn',
      evidence: {
        en: `Not set or empty: ${absent.join(', ')}.`,
        zh: `未设置或为空：${absent.join('、')}。`
      },
      remedy: {
        en: 'Set them before Slipway is started, unless the recipe’s default is meant.',
        zh: '除非有意使用配方默认值，请在启动 Slipway 前设置。'
      }
    }
  const seen = of('set')
  if (seen.length > 0)
    return pass({ en: `Set: ${seen.join(', ')}.`, zh: `已设置：${seen.join('、')}。` })
  return pass(
    names.includes(TOKEN)
      ? {
          en: `Only ${TOKEN}, which is not set: “${WHO.en}” judges that.`,
          zh: `仅 ${TOKEN}，未设置：由“${WHO.zh}”判断。`
        }
      : { en: 'The recipe asks for none.', zh: '该配方不需要。' }
  )
}

const variables: CheckSpec<LaunchContext> = {
  id: 'environment/variables',
  group: 'environment',
  title: { en: 'Keys and variables', zh: '密钥与环境变量' },
  deadline: 2000,
  run(context) {
    // What the driver stops without is judged once, by its own check.
    const required = new Set(
      context.plan.nexrl?.variables.flatMap(({ name, need }) => (need === 'required' ? name : []))
    )
    const names = context.plan.environment.flatMap(({ name, value }) =>
      value === null && !required.has(name) ? [name] : []
    )
    if (required.size > 0 && names.length === 0)
      return Promise.resolve(
        skip({
          en: '“What the driver reads” judges them.',
          zh: '由“驱动读取的变量”判断。'
        })
      )
    return Promise.resolve(variablesOutcome(names, context.environment))
  }
}

/** Whether strangers could send reports to the service. */
const token: CheckSpec<LaunchContext> = {
  id: 'environment/token',
  group: 'environment',
  title: WHO,
  deadline: 2000,
  run(context) {
    if (context.plan.nexrl !== undefined)
      return Promise.resolve(
        skip({ en: 'A NexRL driver serves nothing.', zh: 'NexRL driver 不提供服务。' })
      )
    const host = setting(context, 'reef.host') ?? '127.0.0.1'
    const written = setting(context, 'reef.token')
    const open =
      written === undefined || (written.includes(TOKEN) && context.environment.get(TOKEN) !== 'set')
    if (!open) return Promise.resolve(pass({ en: 'A token is required.', zh: '需要 token。' }))
    if (loopback.test(host))
      return Promise.resolve(
        pass({
          en: `No token; it listens on ${host}, this machine only.`,
          zh: `没有 token；只监听本机 ${host}。`
        })
      )
    return Promise.resolve({
      verdict: 'warn',
      evidence: { en: `No token, and it listens on ${host}.`, zh: `没有 token，且监听 ${host}。` },
      why: {
        en: 'Anybody on the network can use the model, and teach it by sending reports.',
        zh: '网络中的任何人都能使用模型，并通过上报反馈影响训练。'
      },
      remedy: {
        en: 'Set REEF_TOKEN, or listen on 127.0.0.1.',
        zh: '请设置 REEF_TOKEN，或只监听 127.0.0.1。'
      },
      // In a container 127.0.0.1 may be the container's own.
      ...(context.plan.image === null
        ? {
            fix: {
              kind: 'override' as const,
              title: { en: 'Listen on 127.0.0.1', zh: '只监听 127.0.0.1' },
              path: 'reef.host',
              value: '127.0.0.1'
            }
          }
        : {})
    })
  }
}

/** Weights & Biases asks for a login on the terminal, where nobody sits. */
const wandb: CheckSpec<LaunchContext> = {
  id: 'environment/wandb',
  group: 'environment',
  title: { en: 'Weights & Biases', zh: 'Weights & Biases' },
  deadline: 2000,
  run(context) {
    if (context.plan.nexrl !== undefined)
      return Promise.resolve(
        skip({
          en: 'NexRL has keys of its own for it, which “What the driver reads” names.',
          zh: 'NexRL 使用自己的密钥变量，见“驱动读取的变量”。'
        })
      )
    const used = switchedOn(context, 'use-wandb')
    if (!used) return Promise.resolve(skip({ en: 'Not used.', zh: '未使用。' }))
    const mode = context.variable('WANDB_MODE') ?? 'online'
    if (mode !== 'online')
      return Promise.resolve(pass({ en: `WANDB_MODE is ${mode}.`, zh: `WANDB_MODE 为 ${mode}。` }))
    const key = context.environment.get('WANDB_API_KEY')
    if (key === 'set')
      return Promise.resolve(pass({ en: 'WANDB_API_KEY is set.', zh: '已设置 WANDB_API_KEY。' }))
    return Promise.resolve({
      verdict: 'warn',
      evidence: {
        en: `WANDB_API_KEY: ${key ?? 'not set'}.`,
        zh: `WANDB_API_KEY：${key ?? '未设置'}。`
      },
      why: {
        en: 'Without a key the first log call stops the trainer, unless a login is kept in ~/.netrc.',
        zh: '没有密钥且 ~/.netrc 中没有登录信息时，首次记录会使训练器退出。'
      },
      remedy: {
        en: 'Set the key, or WANDB_MODE=offline.',
        zh: '请设置密钥，或设 WANDB_MODE=offline。'
      }
    })
  }
}

/** A proxy that also catches calls to the machine itself breaks the router. */
const proxy: CheckSpec<LaunchContext> = {
  id: 'environment/proxy',
  group: 'environment',
  title: { en: 'Proxy', zh: '代理' },
  deadline: 2000,
  run({ variable, plan }) {
    if (plan.nexrl !== undefined && plan.nexrl.service !== 'own')
      return Promise.resolve(
        skip({
          en: 'Nothing of it calls this machine itself.',
          zh: '它不会请求本机自身。'
        })
      )
    const first = (...names: string[]): string | undefined =>
      names.map(variable).find((value) => value !== undefined && value !== '')
    const set = first('http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY')
    const except = first('no_proxy', 'NO_PROXY') ?? ''
    if (set === undefined || plan.image !== null)
      return Promise.resolve(pass({ en: 'None is in the way.', zh: '没有代理影响。' }))
    if (/127\.0\.0\.1|\*/.test(except))
      return Promise.resolve(
        pass({ en: 'no_proxy excepts this machine.', zh: 'no_proxy 已排除本机。' })
      )
    return Promise.resolve({
      verdict: 'warn',
      evidence: {
        en: 'http_proxy is set and no_proxy does not except 127.0.0.1.',
        zh: '设置了 http_proxy，但 no_proxy 未排除 127.0.0.1。'
      },
      why: {
        en: 'Calls between router and engines go to the proxy and come back as 503 or 504.',
        zh: 'router 与引擎之间的请求会走代理并返回 503 或 504。'
      },
      command: 'export no_proxy=127.0.0.1,localhost'
    })
  }
}

export const variableChecks: readonly CheckSpec<LaunchContext>[] = [variables, token, wandb, proxy]
