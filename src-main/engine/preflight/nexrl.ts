import { dirname, join } from 'node:path'
import type { NexrlVariable } from '../../contract/nexrl'
import type { Text } from '../../contract/text'
import { pass, skip, unknown, type CheckSpec, type Outcome } from './check-spec'
import { columnsOf, countRows, type RowCount } from './data-rows'
import {
  filesOf,
  numberSetting,
  setting,
  stackPath,
  textOf,
  type LaunchContext,
  type VariableState
} from './launch-context'
import { variableState } from './machine-report'
import { launcherThere, PYTHON_PROBE, pythonOutcome } from './nexrl-install'
import { ownInference } from './own-inference'
import type { ToolAnswer } from './tools'
import { unsetVariable } from './unset-variable'
import { usesWeaver, weaverAccess } from './weaver-access'

const NONE: Text = { en: '', zh: '' }

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
  const folder = context.request.nexrl?.python ?? target.python
  const command = folder === null ? 'python3' : join(folder, 'bin', 'python')
  // As the launch does it: a package that lies in the checkout counts as installed.
  const checkout = context.plan.nexrl?.checkout ?? null
  const args = ['-c', PYTHON_PROBE, ...(checkout === null ? [] : [checkout])]
  return pythonOutcome(await context.tool(command, args, signal), {
    weaver: usesWeaver(context),
    launcherOnly: context.plan.nexrl?.way === 'kubernetes'
  })
})

const launcher = spec('launcher', { en: 'Launcher file', zh: '启动器文件' }, launcherThere)

/** Whether every training file has the column the prompts are read from. */
export function columnsOutcome(
  found: readonly { path: string; columns: readonly string[] | null }[],
  wanted: string
): Outcome {
  const known = found.filter(({ columns }) => columns !== null)
  if (known.length === 0)
    return unknown({
      en: 'The columns of the data files cannot be read.',
      zh: '无法读取数据文件的列。'
    })
  const without = known.find(({ columns }) => columns?.includes(wanted) === false)
  if (without === undefined)
    return pass({
      en: `Column "${wanted}" is in ${known.length} of ${found.length} files.`,
      zh: `${found.length} 个文件中有 ${known.length} 个含列“${wanted}”。`
    })
  const seen = (without.columns ?? []).slice(0, MOST_COLUMNS).join(', ')
  return {
    verdict: 'fail',
    evidence: {
      en: `${without.path} has no column "${wanted}"; it has: ${seen}.`,
      zh: `${without.path} 没有列“${wanted}”；现有：${seen}。`
    },
    why: {
      en: 'The data loader takes each prompt from that column.',
      zh: '数据加载器从该列读取 prompt。'
    },
    remedy: {
      en: 'Set data.prompt_key to the column that holds the prompts.',
      zh: '请把 data.prompt_key 设为存放 prompt 的列。'
    },
    judgement: true
  }
}

const columns = spec('columns', { en: 'Columns of the data', zh: '数据列' }, async (context) => {
  const named = dataFiles(context).filter(({ training }) => training)
  if (named.length === 0)
    return skip({ en: 'The recipe names no data file.', zh: '该配方未指定数据文件。' })
  if (unsetIn(named).length > 0)
    return skip({
      en: '“Data files” says why they cannot be looked at yet.',
      zh: '“数据文件”说明了为何尚不能查看。'
    })
  const found = await Promise.all(
    named.map(async ({ path }) => ({
      path,
      columns: await columnsOf(filesOf(context), stackPath(context, path))
    }))
  )
  return columnsOutcome(found, setting(context, 'data.prompt_key') ?? 'prompt')
})

/** Whether the data lasts as long as the training: the loader reads it once, and its end is the run's. */
export function dataOutcome(
  counted: readonly { path: string; count: RowCount }[],
  { batch, steps, dropLast }: { batch: number; steps: number | null; dropLast: boolean }
): Outcome {
  const of = (kind: RowCount['kind']): string[] =>
    counted.flatMap(({ path, count }) => (count.kind === kind ? [path] : []))
  const gone = of('missing')
  if (gone.length > 0)
    return {
      verdict: 'fail',
      evidence: { en: `Not there: ${gone.join(', ')}.`, zh: `不存在：${gone.join('、')}。` },
      why: { en: 'The data loader opens them at the start.', zh: '数据加载器启动时会打开它们。' }
    }
  const strange = of('format')
  if (strange.length > 0)
    return {
      verdict: 'fail',
      evidence: {
        en: `Neither parquet, csv nor jsonl: ${strange.join(', ')}.`,
        zh: `不是 parquet、csv 或 jsonl：${strange.join('、')}。`
      },
      why: { en: 'The data loader reads no other format.', zh: '数据加载器不支持其他格式。' }
    }
  if (of('uncounted').length > 0)
    return pass({
      en: `${counted.length} files are there; not all rows could be counted.`,
      zh: `${counted.length} 个文件均存在；部分行数无法统计。`
    })
  const rows = counted.reduce((sum, { count }) => sum + (count.kind === 'rows' ? count.rows : 0), 0)
  const batches = dropLast ? Math.floor(rows / batch) : Math.ceil(rows / batch)
  const evidence = {
    en: `${rows} rows in ${counted.length} files: ${batches} batches of ${batch}.`,
    zh: `${counted.length} 个文件共 ${rows} 行：${batches} 个批次，每批 ${batch}。`
  }
  if (steps === null || batches >= steps) return pass(evidence)
  return {
    verdict: 'warn',
    evidence,
    why: {
      en: `The recipe asks for ${steps} steps, but the loader reads its data once: the run ends early, without an error.`,
      zh: `配方要求 ${steps} 步，但加载器只读取一遍数据：运行会提前结束且不报错。`
    },
    remedy: {
      en: `Give it more data, or set trainer.total_train_steps to ${batches}.`,
      zh: `请增加数据，或把 trainer.total_train_steps 设为 ${batches}。`
    }
  }
}

interface DataFile {
  path: string
  training: boolean
  /** Variable its path is made of and that is not set: then there is no such path yet. */
  unset: string | null
}

/** The data files that the recipe names, each once, as far as they are known before the launch. */
function dataFiles(context: LaunchContext): DataFile[] {
  if (setting(context, 'data.type') === 'mock') return []
  const mock = setting(context, 'validate.data.type') === 'mock'
  const named = new Map<string, DataFile>()
  for (const one of context.recipe.resolved) {
    const path = one.value.trim()
    const training = !one.path.startsWith('validate.')
    if (!/(?:^|\.)data_files(?:\[|$)/.test(one.path) || (mock && !training)) continue
    if (path === '' || path.includes('${')) continue
    const before = named.get(path)
    const unset = unsetVariable(context.recipe, one)
    named.set(path, { path, unset, training: training || before?.training === true })
  }
  return [...named.values()]
}

function unsetIn(files: readonly DataFile[]): string[] {
  return [...new Set(files.flatMap(({ unset }) => unset ?? []))]
}

function notYet(names: readonly string[]): Text {
  return {
    en: `Cannot be looked at until ${names.join(', ')} is set.`,
    zh: `需先设置 ${names.join('、')} 才能查看。`
  }
}

const data = spec('data', { en: 'Data files', zh: '数据文件' }, async (context) => {
  if (setting(context, 'data.type') === 'mock')
    return skip({ en: 'The recipe makes its data up.', zh: '该配方使用模拟数据。' })
  const known = dataFiles(context)
  if (known.length === 0)
    return skip({ en: 'The recipe names no data file.', zh: '该配方未指定数据文件。' })
  const unset = unsetIn(known)
  if (unset.length > 0) return unknown(notYet(unset))
  const counted = await Promise.all(
    known.map(async ({ path, training }) => ({
      path,
      training,
      count: await countRows(filesOf(context), stackPath(context, path))
    }))
  )
  const absent = counted.filter(({ count }) => count.kind === 'missing')
  return dataOutcome(absent.length > 0 ? absent : counted.filter(({ training }) => training), {
    batch: numberSetting(context, 32, 'data.batch_size'),
    steps: context.plan.nexrl?.totalSteps ?? null,
    dropLast: setting(context, 'data.drop_last') === 'true'
  })
})

const MOST_COLUMNS = 12
const VOLCANO = 'jobs.batch.volcano.sh'
/** What one request to the cluster may take; kubectl's own default is for ever. */
const KUBECTL_SECONDS = 3

/** Whether the launcher's cluster can be reached. Needed only where the launcher is chosen. */
export function clusterOutcome(answer: ToolAnswer | null, namespace: string): Outcome {
  if (answer === null || answer.kind === 'missing')
    return {
      verdict: 'fail',
      evidence: { en: 'There is no kubectl command here.', zh: '此处没有 kubectl 命令。' },
      why: {
        en: 'NexRL’s launcher applies its jobs with it.',
        zh: 'NexRL 启动器用它提交作业。'
      },
      remedy: {
        en: 'Install kubectl, or start the driver directly.',
        zh: '请安装 kubectl，或直接启动驱动。'
      }
    }
  if (answer.kind === 'late')
    return unknown({ en: 'The cluster does not answer.', zh: '集群没有应答。' })
  if (answer.code === 0)
    return pass({ en: `Namespace ${namespace}.`, zh: `命名空间 ${namespace}。` })
  return {
    verdict: 'fail',
    evidence: {
      en: `Namespace ${namespace}: ${answer.stderr.trim().slice(0, 200)}`,
      zh: `命名空间 ${namespace}：${answer.stderr.trim().slice(0, 200)}`
    },
    remedy: {
      en: 'Set NEXRL_SYSTEM_NAMESPACE to one that exists and that you may use.',
      zh: '请把 NEXRL_SYSTEM_NAMESPACE 设为存在且有权限的命名空间。'
    }
  }
}

function volcanoOutcome(answer: ToolAnswer, namespace: string): Outcome {
  if (answer.kind === 'done' && answer.code === 0)
    return pass({
      en: `Namespace ${namespace} and Volcano are there.`,
      zh: `命名空间 ${namespace} 与 Volcano 均存在。`
    })
  return {
    verdict: answer.kind === 'late' ? 'unknown' : 'fail',
    evidence: { en: 'The cluster knows no Volcano jobs.', zh: '集群中没有 Volcano 作业类型。' },
    remedy: { en: 'Install the Volcano scheduler.', zh: '请安装 Volcano 调度器。' }
  }
}

/** Only NexRL's own launcher speaks to a cluster; the driver that is started here does not. */
const kubectl = spec('kubectl', { en: 'kubectl', zh: 'kubectl' }, async (context, signal) => {
  if (context.plan.nexrl?.way !== 'kubernetes')
    return skip({
      en: 'The driver is started directly and needs no cluster.',
      zh: 'driver 直接启动，不需要集群。'
    })
  const namespace = context.variable('NEXRL_SYSTEM_NAMESPACE') ?? 'nexrl'
  const limit = `--request-timeout=${KUBECTL_SECONDS}s`
  const asked = (what: readonly string[]): Promise<ToolAnswer> =>
    context.tool('kubectl', ['get', ...what, limit], signal)
  const answer = (await context.here()) ? await asked(['namespace', namespace, '-o', 'name']) : null
  const ready = clusterOutcome(answer, namespace)
  return ready.verdict === 'pass' ? volcanoOutcome(await asked(['crd', VOLCANO]), namespace) : ready
})

/**
 * What a launch must find in the environment; the driver resolves every reference at start and stops at the first missing.
 * `refused`: names it surely stops without. The others may come from elsewhere: a cluster's secrets, the recipe itself.
 */
export function environmentOutcome(
  variables: readonly NexrlVariable[],
  states: ReadonlyMap<string, VariableState>,
  refused: ReadonlySet<string> = new Set()
): Outcome {
  const wanted = variables.filter(({ need, from }) => need === 'required' && from === 'person')
  const fake = wanted.filter(({ name }) => states.get(name) === 'placeholder')
  const missing = wanted.filter(({ name }) => {
    const state = states.get(name)
    return state === undefined || state === 'empty'
  })
  const all = [...missing, ...fake]
  if (all.length > 0) {
    return {
      verdict: 'fail',
      evidence: wantingWords(
        missing.map(({ name }) => name),
        fake.map(({ name }) => name)
      ),
      why: {
        en: all.map(({ name, why }) => `${name}: ${why.en}`).join(' '),
        zh: all.map(({ name, why }) => `${name}：${why.zh}`).join(' ')
      },
      remedy: {
        en: 'Set them where Slipway is started; keys can also be stored in Settings.',
        zh: '请在启动 Slipway 的环境中设置；密钥也可在设置中保存。'
      },
      judgement: !missing.some(({ name }) => refused.has(name))
    }
  }
  const names = wanted.map(({ name }) => name)
  return pass({ en: `Set: ${names.join(', ')}.`, zh: `已设置：${names.join('、')}。` })
}

function wantingWords(missing: readonly string[], fake: readonly string[]): Text {
  const of = (names: readonly string[], text: Text): Text => (names.length === 0 ? NONE : text)
  const unset = of(missing, {
    en: `Not set: ${missing.join(', ')}.`,
    zh: `未设置：${missing.join('、')}。`
  })
  const sample = of(fake, {
    en: `Still what an example puts there: ${fake.join(', ')}.`,
    zh: `仍是示例中的占位值：${fake.join('、')}。`
  })
  return { en: `${unset.en} ${sample.en}`.trim(), zh: unset.zh + sample.zh }
}

/** Names the driver stops without for certain: the recipe takes a value from them and gives no default. */
function refusedNames({ plan, recipe }: LaunchContext): ReadonlySet<string> {
  // In a pod they may come from secrets of the cluster.
  if (plan.nexrl?.way !== 'driver') return new Set()
  return new Set(recipe.resolved.flatMap((value) => unsetVariable(recipe, value) ?? []))
}

const environment = spec(
  'environment',
  { en: 'What the driver reads', zh: '驱动读取的变量' },
  (context) =>
    Promise.resolve(
      environmentOutcome(
        context.plan.nexrl?.variables ?? [],
        context.environment,
        refusedNames(context)
      )
    )
)

/** Lines of a setup script that would put an empty or an example's value in the place of a real key. */
export function overwrittenKeys(script: string): { line: number; name: string }[] {
  return script.split('\n').flatMap((text, index) => {
    const found = /^\s*(?:export\s+)?([A-Z][A-Z0-9_]*(?:KEY|TOKEN|BASE_URL|HOST))=(.*)$/.exec(text)
    if (found?.[1] === undefined) return []
    const value = (found[2] ?? '')
      .replace(/\s+#.*$/, '')
      .replace(/^["']|["']$/g, '')
      .trim()
    const fake = value === '' || variableState(value) === 'placeholder'
    return fake ? [{ line: index + 1, name: found[1] }] : []
  })
}

const setupScript = spec(
  'setup-script',
  { en: 'Setup script', zh: '环境脚本' },
  async (context) => {
    const name = setting(context, 'environment.setup_script') ?? ''
    if (name === '' || name === 'null')
      return skip({ en: 'The recipe names none.', zh: '该配方未指定。' })
    if (context.plan.nexrl?.way !== 'kubernetes')
      return skip({
        en: 'Only the pod of NexRL’s launcher sources it.',
        zh: '只有 NexRL 启动器的 pod 会执行它。'
      })
    const path = join(dirname(context.request.recipe), name)
    const text = await textOf(context, path)
    if (text === null)
      return {
        verdict: 'fail',
        evidence: { en: `Not there: ${path}.`, zh: `不存在：${path}。` }
      }
    const found = overwrittenKeys(text)
    if (found.length === 0) return pass({ en: 'It overwrites no key.', zh: '不会覆盖任何密钥。' })
    const where = found.map(({ line, name: key }) => `${key} (${line})`).join(', ')
    return {
      verdict: 'fail',
      evidence: { en: `${path}: ${where}`, zh: `${path}：${where}` },
      why: {
        en: 'The pod sources it after the real keys are set, and these lines replace them.',
        zh: 'pod 在设置真实密钥之后才执行它，这些行会将其覆盖。'
      },
      remedy: {
        en: 'Take those lines out, or put the real values there.',
        zh: '请删除这些行，或填入真实值。'
      },
      judgement: true
    }
  }
)

export const nexrlChecks: readonly CheckSpec<LaunchContext>[] = [
  python,
  launcher,
  environment,
  data,
  columns,
  setupScript,
  kubectl,
  ownInference,
  weaverAccess
]
