import { join } from 'node:path'
import { messageOf } from '../lib'
import { pass, skip, unknown, type CheckSpec, type Outcome } from './check-spec'
import { filesOf, stackPath, type LaunchContext } from './launch-context'
import type { ToolAnswer } from './tools'

const LEAST_MINOR = 12
/** Source: `nex-weaver`'s own default server. */
const WEAVER = 'https://weaver-console.nex-agi.cn'
const WEAVER_MS = 4000

/** Prints one line: version, then whether the light and the full parts of the package are there. */
const PROBE = `
import sys, importlib.util as u
print(sys.version_info[0], sys.version_info[1], int(u.find_spec("nexrl") is not None),
      int(u.find_spec("ray") is not None and u.find_spec("torch") is not None),
      int(u.find_spec("weaver") is not None))
`

/** What the Python of the target says of itself and of NexRL. */
export function pythonOutcome(answer: ToolAnswer, needsWeaver: boolean): Outcome {
  if (answer.kind !== 'done' || answer.code !== 0)
    return {
      verdict: answer.kind === 'late' ? 'unknown' : 'fail',
      evidence: { en: 'Python does not start there.', zh: '无法启动该 Python。' },
      remedy: {
        en: 'Name the folder of a Python 3.12 environment in the target’s settings.',
        zh: '请在目标设置中指定 Python 3.12 环境的目录。'
      }
    }
  const [major = 0, minor = 0, nexrl, core, weaver] = answer.stdout.trim().split(/\s+/).map(Number)
  const version = `${major}.${minor}`
  if (major < 3 || minor < LEAST_MINOR)
    return {
      verdict: 'fail',
      evidence: { en: `It is Python ${version}.`, zh: `Python 版本为 ${version}。` },
      why: { en: 'NexRL needs 3.12 or newer.', zh: 'NexRL 需要 3.12 或更新版本。' }
    }
  if (nexrl !== 1)
    return {
      verdict: 'fail',
      evidence: { en: `Python ${version} without NexRL.`, zh: `Python ${version} 中没有 NexRL。` },
      remedy: { en: 'Install it from a NexRL checkout.', zh: '请从 NexRL 检出目录安装。' },
      command: 'pip install -e ".[core]"'
    }
  if (core !== 1)
    return {
      verdict: 'fail',
      evidence: {
        en: `Python ${version} with the light install of NexRL only.`,
        zh: `Python ${version} 只有 NexRL 的轻量安装。`
      },
      why: {
        en: 'The light install has the command line only; the driver needs the core part.',
        zh: '轻量安装只含命令行，driver 需要 core 部分。'
      },
      command: 'pip install -e ".[core]"'
    }
  if (needsWeaver && weaver !== 1)
    return {
      verdict: 'fail',
      evidence: { en: 'The Weaver package is not there.', zh: '缺少 Weaver 包。' },
      command: 'pip install nex-weaver'
    }
  return pass({ en: `Python ${version} with NexRL.`, zh: `Python ${version}，已安装 NexRL。` })
}

function usesWeaver(context: LaunchContext): boolean {
  return context.recipe.resolved.some(
    ({ path, value }) => /backend$|sync_method$/.test(path) && value === 'weaver'
  )
}

function spec(
  id: string,
  title: { en: string; zh: string },
  run: CheckSpec<LaunchContext>['run']
): CheckSpec<LaunchContext> {
  return { id: `nexrl/${id}`, group: 'nexrl', title, deadline: 10_000, run }
}

const python = spec('python', { en: 'Python', zh: 'Python' }, async (context, signal) => {
  const { spec: target } = context.target
  if (target.kind !== 'process')
    return skip({ en: 'Python is in the image.', zh: 'Python 位于镜像中。' })
  const command = target.python === null ? 'python3' : join(target.python, 'bin', 'python')
  return pythonOutcome(await context.tool(command, ['-c', PROBE], signal), usesWeaver(context))
})

const data = spec('data', { en: 'Data files', zh: '数据文件' }, async (context) => {
  const named = context.recipe.resolved.flatMap(({ path, value }) =>
    /(?:^|\.)(?:data_files|train_files|val_files|data_path)(?:\.|\[|$)/.test(path)
      ? value.replace(/[[\]"']/g, '').split(',')
      : []
  )
  const paths = named.map((one) => one.trim()).filter((one) => one !== '' && !one.includes('${'))
  if (paths.length === 0)
    return skip({ en: 'The recipe names no data file.', zh: '该配方未指定数据文件。' })
  const facts = await Promise.all(
    paths.map((path) => filesOf(context).stat(stackPath(context, path)))
  )
  const gone = paths.filter((_, index) => facts[index] === null)
  if (gone.length === 0)
    return pass({ en: `${paths.length} files are there.`, zh: `${paths.length} 个文件均存在。` })
  return {
    verdict: 'fail',
    evidence: { en: `Not there: ${gone.join(', ')}.`, zh: `不存在：${gone.join('、')}。` },
    why: { en: 'The data loader opens them at the start.', zh: '数据加载器启动时会打开它们。' }
  }
})

/** Only NexRL's own launcher speaks to a cluster; the driver that is started here does not. */
const kubectl = spec('kubectl', { en: 'kubectl', zh: 'kubectl' }, async (context, signal) => {
  const namespace = context.variable('NEXRL_SYSTEM_NAMESPACE') ?? 'nexrl'
  const answer = (await context.here())
    ? await context.tool('kubectl', ['get', 'namespace', namespace, '-o', 'name'], signal)
    : null
  if (answer?.kind === 'done' && answer.code === 0)
    return pass({ en: `Namespace ${namespace} is there.`, zh: `命名空间 ${namespace} 存在。` })
  return skip({
    en: `No cluster with a namespace ${namespace}; the driver is started directly and needs none.`,
    zh: `没有含命名空间 ${namespace} 的集群；driver 直接启动，不需要集群。`
  })
})

/** What a read-only call to Weaver's catalogue says. */
export function weaverOutcome(status: number, server: string): Outcome {
  if (status >= 200 && status < 300)
    return pass({ en: `${server} answers and takes the key.`, zh: `${server} 可用，密钥有效。` })
  const evidence = { en: `${server} answers ${status}.`, zh: `${server} 返回 ${status}。` }
  if (status === 401 || status === 403)
    return {
      verdict: 'fail',
      evidence,
      why: { en: 'The key is not accepted.', zh: '密钥未被接受。' },
      remedy: { en: 'Set WEAVER_API_KEY to a valid key.', zh: '请把 WEAVER_API_KEY 设为有效密钥。' }
    }
  return { verdict: 'warn', evidence }
}

const weaver = spec('weaver', { en: 'Weaver', zh: 'Weaver' }, async (context, signal) => {
  if (!usesWeaver(context)) return skip({ en: 'Not used.', zh: '未使用。' })
  const key = context.variable('WEAVER_API_KEY') ?? ''
  const state = context.environment.get('WEAVER_API_KEY')
  if (state !== 'set')
    return {
      verdict: 'fail',
      evidence: {
        en: `WEAVER_API_KEY: ${state ?? 'not set'}.`,
        zh: `WEAVER_API_KEY：${state ?? '未设置'}。`
      },
      why: {
        en: 'NexRL stops: WEAVER_API_KEY is required but not found in environment variables or config.',
        zh: 'NexRL 会退出：WEAVER_API_KEY is required but not found in environment variables or config。'
      },
      judgement: true
    }
  const server = (context.variable('WEAVER_BASE_URL') || WEAVER).replace(/\/+$/, '')
  const late = AbortSignal.timeout(WEAVER_MS)
  const stop = new AbortController()
  for (const one of [late, signal])
    one.addEventListener('abort', () => stop.abort(), { once: true })
  try {
    const answer = await fetch(`${server}/api/v1/model-catalog?limit=1&offset=0`, {
      headers: { 'X-WEAVER-API-KEY': key },
      signal: stop.signal
    })
    await answer.body?.cancel()
    return weaverOutcome(answer.status, server)
  } catch (thrown) {
    const said = messageOf(thrown)
    return unknown({ en: `${server} does not answer: ${said}`, zh: `${server} 没有应答：${said}` })
  }
})

export const nexrlChecks: readonly CheckSpec<LaunchContext>[] = [python, data, kubectl, weaver]
