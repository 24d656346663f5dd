import { delimiter, dirname, isAbsolute, join } from 'node:path'
import type { LaunchRequest, Plan } from '../../contract/launch'
import type { NexrlPlan, NexrlWay } from '../../contract/nexrl'
import type { TargetRef } from '../../contract/run'
import type { Text } from '../../contract/text'
import { fail } from '../lib'
import {
  driverLine,
  hydraOverrides,
  launcherCommand,
  type LauncherFound,
  launcherLine,
  type NexrlRecipeFacts,
  nexrlVariables,
  readNexrlRecipe
} from '../nexrl'
import { isSecretVariable } from '../recipes'
import type { Target } from '../targets'
import { planShell } from './plan-shell'

/** Image of NexRL's own release; only a default (`cli/utils/config_manager.py`). */
const IMAGE = 'nexagi/nexrl:v1.4.0'
/** The run folder as a container sees it. */
const INSIDE = '/run/slipway'
const RUN_FOLDER = '<run>'
/** The first forward pass of a training service starts its pods, which takes minutes. */
const START_DEADLINE = 3600
/** Name of the one service a NexRL launch has. */
export const DRIVER = 'nexrl-driver'

/** What planning a NexRL launch knows of the place. Looked up before; planning looks at nothing. */
export interface NexrlPlace {
  ref: TargetRef
  /** The Python that runs the driver or the launcher. */
  python: string
  /** Null: as a process. */
  image: string | null
  checkout: string | null
  launcher: LauncherFound
  /** The script of ours that calls the launcher and follows its pod. */
  follower: string
  /** What the engine's environment holds. Only values that are no secret reach a plan. */
  environment: Readonly<Record<string, string | undefined>>
}

const t = (en: string, zh: string): Text => ({ en, zh })

/** Folder of one attempt's files: the driver writes its resolved configuration and its log copies there. */
function experiment(attempt: number, image: string | null): string {
  return `${image === null ? RUN_FOLDER : INSIDE}/experiment-${attempt}`
}

function variablesOf(
  recipe: NexrlRecipeFacts,
  request: LaunchRequest,
  place: NexrlPlace,
  way: NexrlWay
): { nexrl: NexrlPlan['variables']; environment: Plan['environment'] } {
  const variables = nexrlVariables(recipe, way)
  const own: Readonly<Record<string, string | null>> = {
    TRAIN_CONFIG: request.recipe,
    EXPERIMENT_PATH: experiment(1, place.image),
    NEXRL_PATH: place.checkout
  }
  const environment: Plan['environment'] = []
  for (const { name, from } of variables) {
    if (from === 'launch') {
      const value = own[name] ?? null
      if (value !== null) environment.push({ name, value })
    } else if (isSecretVariable(name)) environment.push({ name, value: null })
    else {
      const value = place.environment[name]
      if (value !== undefined && value !== '') environment.push({ name, value })
    }
  }
  if (place.checkout !== null && way === 'driver') {
    environment.push({ name: 'PYTHONPATH', value: place.checkout })
  }
  environment.push({ name: 'PYTHONUNBUFFERED', value: '1' })
  return { nexrl: variables, environment }
}

function mountsOf(
  request: LaunchRequest,
  place: NexrlPlace,
  environment: Plan['environment']
): Plan['mounts'] {
  if (place.image === null) return []
  const valueOf = (name: string): string | null =>
    environment.find((one) => one.name === name)?.value ?? null
  const recipe = dirname(request.recipe)
  const inCheckout = place.checkout !== null && recipe.startsWith(`${place.checkout}/`)
  const folders = [
    ...(place.checkout === null ? [] : [place.checkout]),
    ...(inCheckout ? [] : [recipe]),
    ...['NEXRL_DATA_PATH', 'NEXRL_MODEL_PATH'].flatMap((name) => valueOf(name) ?? [])
  ].filter((folder) => isAbsolute(folder))
  return [
    { host: RUN_FOLDER, container: INSIDE, readOnly: false },
    // At the same path as outside: recipe and data name each other by absolute paths.
    ...[...new Set(folders)].map((folder) => ({ host: folder, container: folder, readOnly: true }))
  ]
}

/** Folders a pod of the cluster has to see where they are here: the launcher hands on paths, no files (`cli/run.py`). */
function sharedFolders(
  request: LaunchRequest,
  place: NexrlPlace,
  environment: Plan['environment']
): string[] {
  const named = ['NEXRL_DATA_PATH', 'NEXRL_MODEL_PATH'].flatMap(
    (name) => environment.find((one) => one.name === name)?.value ?? []
  )
  const all = new Set([
    dirname(request.recipe),
    ...(place.checkout === null ? [] : [place.checkout]),
    ...named
  ])
  return [...all].filter(
    (folder) => ![...all].some((other) => folder !== other && folder.startsWith(`${other}/`))
  )
}

function notesOf(
  recipe: NexrlRecipeFacts,
  way: NexrlWay,
  choice: {
    mode: NexrlPlan['mode']
    runNexrl: boolean
    extendEvery: number
    shared: readonly string[]
  }
): Text[] {
  const notes: Text[] = []
  if (way === 'kubernetes' && choice.mode !== recipe.mode) {
    notes.push(
      recipe.mode === 'self-hosted'
        ? t(
            'The recipe trains on GPUs of one’s own, and this mode starts none: the driver will find no services.',
            '该配方使用自有 GPU 训练，而此模式不会启动任何服务：驱动将找不到它们。'
          )
        : t(
            'The recipe trains in a training service; self-hosted mode starts GPU workers and an inference service beside it, or stops for want of their sizes.',
            '该配方使用训练服务；self-hosted 模式会另外启动 GPU worker 与推理服务，或因缺少其规格而中止。'
          )
    )
  }
  if (way === 'kubernetes' && !choice.runNexrl) {
    notes.push(
      t(
        'Without --run-nexrl an idle pod is launched: nothing trains until someone starts it by hand.',
        '未加 --run-nexrl，只会启动空闲 pod：需有人手动启动才会训练。'
      )
    )
  }
  if (way === 'kubernetes') {
    notes.push(
      t(
        `The pod needs these at the same paths, on storage it shares with this machine: ${choice.shared.join(', ')}. Nothing here can look into it.`,
        `pod 内必须能以相同路径访问以下目录（与本机共享存储）：${choice.shared.join('、')}。此处无法代为查看。`
      )
    )
  }
  if (way === 'driver' && recipe.setupScript !== null) {
    notes.push(
      t(
        'The recipe’s setup script is sourced by NexRL’s pod only; here the variables must be set before.',
        '配方的环境脚本只在 NexRL 的 pod 中执行；此处需事先设置好变量。'
      )
    )
  }
  if (recipe.service !== 'own') {
    notes.push(
      t(
        'The configuration, keys in clear text, is written by NexRL into its log and train_config_resolved.yaml' +
          (recipe.sinks.includes('wandb') ? ', and sent to Weights & Biases.' : '.'),
        'NexRL 会把含明文密钥的配置写入日志和 train_config_resolved.yaml' +
          (recipe.sinks.includes('wandb') ? '，并上传到 Weights & Biases。' : '。')
      )
    )
  }
  if (recipe.service === 'weaver' && choice.extendEvery === 0) {
    notes.push(
      t(
        'The weights of every step expire an hour after export, the last ones too, unless their life is extended.',
        '每步权重在导出一小时后失效，最后一步也不例外，除非延长其有效期。'
      )
    )
  }
  return notes
}

function services(way: NexrlWay): Plan['services'] {
  return [
    {
      name: DRIVER,
      readiness:
        way === 'driver'
          ? t(
              'Ready when the log says “Starting training loop”.',
              '日志出现“Starting training loop”即就绪。'
            )
          : t(
              'Ready when the pod’s log says “Starting training loop”.',
              'pod 日志出现“Starting training loop”即就绪。'
            ),
      deadline: START_DEADLINE
    }
  ]
}

function commandOf(
  recipe: NexrlRecipeFacts,
  request: LaunchRequest,
  place: NexrlPlace,
  part: NexrlPlan
): { argv: readonly string[]; shown: readonly string[] } {
  if (part.way === 'driver') {
    const overrides = hydraOverrides(request.overrides, recipe.fields)
    const argv = driverLine(place.python, request.recipe, overrides)
    return { argv, shown: argv }
  }
  if (request.overrides.length > 0) {
    return fail({
      code: 'nexrl-launcher-overrides',
      what: t(
        'NexRL’s Kubernetes launcher takes no overrides.',
        'NexRL 的 Kubernetes 启动器不接受覆盖项。'
      ),
      where: request.overrides.map(({ path }) => path).join(', '),
      remedy: t(
        'Duplicate the recipe and change the fields there, or start the driver directly.',
        '请复制配方后在其中修改，或直接启动驱动。'
      )
    })
  }
  const command = launcherCommand(place.launcher, place.python)
  if (command === null) {
    return fail({
      code: 'nexrl-launcher-missing',
      what: t(
        'There is neither a nexrl command nor cli/run.py or scripts/run.py in the checkout.',
        '既没有 nexrl 命令，检出目录中也没有 cli/run.py 或 scripts/run.py。'
      ),
      where: place.checkout ?? request.recipe,
      remedy: t(
        'Name the folder of a NexRL checkout, or install it: pip install -e .',
        '请指定 NexRL 检出目录，或安装：pip install -e .'
      )
    })
  }
  const shown = launcherLine(command, {
    mode: part.mode,
    recipe: request.recipe,
    runNexrl: part.runNexrl,
    tag: part.tag,
    inferenceUrl: request.nexrl?.inferenceUrl ?? ''
  })
  const argv = ['node', place.follower, '--namespace', part.namespace ?? 'nexrl', '--', ...shown]
  return { argv, shown }
}

function partOf(
  recipe: NexrlRecipeFacts,
  request: LaunchRequest,
  place: NexrlPlace
): Omit<NexrlPlan, 'variables'> {
  const chosen = request.nexrl ?? {}
  const mode = chosen.mode ?? recipe.mode
  const way = chosen.way ?? 'driver'
  const { syncMode, totalSteps, prompts, repeats, workers, heartbeat, service } = recipe
  return {
    way,
    mode,
    runNexrl: chosen.runNexrl ?? true,
    tag: chosen.tag ?? '',
    checkout: place.checkout,
    namespace:
      way === 'kubernetes' ? (place.environment['NEXRL_SYSTEM_NAMESPACE'] ?? 'nexrl') : null,
    service,
    syncMode,
    totalSteps,
    prompts,
    repeats,
    workers,
    heartbeat,
    extendEvery: chosen.extendEvery ?? 0
  }
}

function refuseMixedUp(request: LaunchRequest, part: Omit<NexrlPlan, 'variables'>): void {
  const url = request.nexrl?.inferenceUrl ?? ''
  if (url !== '' && part.mode === 'training-service') {
    fail({
      code: 'nexrl-inference-url',
      what: t(
        'An inference address is only for self-hosted mode.',
        '推理地址只用于 self-hosted 模式。'
      ),
      where: '--inference-url',
      remedy: t('Leave it empty.', '请留空。')
    })
  }
  if (url.includes('://')) {
    fail({
      code: 'nexrl-inference-url',
      what: t(
        'The inference address is host:port, without http://.',
        '推理地址应为 host:port，不带 http://。'
      ),
      where: url
    })
  }
  if (part.way === 'kubernetes' && request.target !== 'local') {
    fail({
      code: 'nexrl-launcher-target',
      what: t(
        'NexRL’s launcher speaks to the cluster by kubectl of this machine; it is started here only.',
        'NexRL 启动器通过本机的 kubectl 访问集群，只能在本机启动。'
      ),
      where: request.target
    })
  }
}

/** What launching a NexRL recipe will do. Pure: starts and looks at nothing. */
export function planNexrl(
  recipe: NexrlRecipeFacts,
  request: LaunchRequest,
  place: NexrlPlace
): Plan {
  const part = partOf(recipe, request, place)
  refuseMixedUp(request, part)
  const { nexrl: variables, environment } = variablesOf(recipe, request, place, part.way)
  const nexrl: NexrlPlan = { ...part, variables }
  const { argv, shown } = commandOf(recipe, request, place, nexrl)
  const cwd = experiment(1, place.image)
  const { facts } = recipe
  const plan: Omit<Plan, 'shell'> = {
    target: place.ref,
    recipePath: request.recipe,
    practice: false,
    image: place.image,
    argv: [...argv],
    cwd: part.way === 'kubernetes' && place.checkout !== null ? place.checkout : cwd,
    notes: notesOf(recipe, part.way, {
      ...part,
      shared: sharedFolders(request, place, environment)
    }),
    mounts: mountsOf(request, place, environment),
    environment,
    ports: [],
    // The driver computes nothing on a GPU: its services do.
    gpus: { count: 0, devices: [], roles: [] },
    shmBytes: null,
    services: services(part.way),
    companions: request.companions,
    overrides: request.overrides,
    writes: [{ path: cwd, what: 'logs' }],
    summary: facts.sentences,
    rollback: 'none',
    batch: facts.batch,
    lastStep: nexrl.totalSteps,
    nexrl
  }
  return { ...plan, shell: planShell({ ...plan, argv: [...shown] }) }
}

/** The same for a later attempt: a folder of its own for the driver's files. */
export function nexrlAttempt(
  plan: Plan,
  change: { run: string; attempt: number; overrides: readonly Plan['overrides'][number][] }
): Plan {
  const named = (text: string): string =>
    text
      .replace(RUN_FOLDER, () => change.run)
      .replace(/\/experiment-\d+$/, `/experiment-${change.attempt}`)
  const kept = plan.overrides.filter(
    (one) => !change.overrides.some((other) => other.path === one.path)
  )
  const overrides = [...kept, ...change.overrides]
  const mark = (path: string): string =>
    plan.argv.some((word) => word.startsWith(`++${path}=`)) ? '++' : ''
  const old = (word: string): boolean =>
    plan.overrides.some(({ path }) => word.startsWith(`${mark(path)}${path}=`))
  const again = overrides.map((one) => `${mark(one.path)}${hydraOverrides([one], null).join('')}`)
  const next: Omit<Plan, 'shell'> = {
    ...plan,
    overrides,
    argv: [...plan.argv.filter((word) => !old(word)), ...again],
    cwd: named(plan.cwd),
    environment: plan.environment.map((one) =>
      one.value === null ? one : { ...one, value: named(one.value) }
    ),
    mounts: plan.mounts.map((mount) => ({ ...mount, host: named(mount.host) })),
    writes: plan.writes.map((one) => ({ ...one, path: named(one.path) }))
  }
  const shown =
    plan.nexrl?.way === 'kubernetes' ? next.argv.slice(next.argv.indexOf('--') + 1) : next.argv
  return { ...next, shell: planShell({ ...next, argv: shown }) }
}

/** The NexRL checkout a recipe lies in, or null. */
async function checkoutOf(target: Target, recipe: string): Promise<string | null> {
  for (let folder = dirname(recipe); folder !== dirname(folder); folder = dirname(folder)) {
    for (const mark of ['nexrl/main.py', 'cli/run.py', 'scripts/run.py']) {
      if ((await target.files.stat(join(folder, mark))) !== null) return folder
    }
  }
  return null
}

/** Folders of the PATH: where a Python that nobody named comes from, its console scripts come from, too. */
function pathOf(environment: Readonly<Record<string, string | undefined>>): string[] {
  return (environment['PATH'] ?? '').split(delimiter).filter((folder) => isAbsolute(folder))
}

async function consoleScript(
  folders: readonly string[],
  there: (path: string) => Promise<boolean>
): Promise<string | null> {
  for (const folder of folders) {
    const script = join(folder, 'nexrl')
    if (await there(script)) return script
  }
  return null
}

/** Looks up the place and plans; null when the recipe is another stack's. */
export async function planNexrlOn(
  target: Target,
  request: LaunchRequest,
  options: {
    text: string
    resources: string
    environment: Readonly<Record<string, string | undefined>>
  }
): Promise<{ plan: Plan; recipe: NexrlRecipeFacts } | null> {
  const { environment, resources, text } = options
  const recipe = await readNexrlRecipe({
    path: request.recipe,
    text,
    overrides: request.overrides,
    environment
  })
  if (recipe === null) return null
  const { spec } = target
  const docker = spec.kind === 'docker'
  const folder = request.nexrl?.python ?? (spec.kind === 'process' ? spec.python : null)
  const here = folder === null ? null : join(folder, 'bin')
  const checkout =
    request.nexrl?.checkout ??
    (await checkoutOf(target, request.recipe)) ??
    (environment['NEXRL_PATH'] || null)
  const there = async (path: string): Promise<boolean> => (await target.files.stat(path)) !== null
  const script =
    request.nexrl?.way === 'kubernetes'
      ? await consoleScript(here === null ? pathOf(environment) : [here], there)
      : null
  const place: NexrlPlace = {
    ref: { id: spec.id, name: spec.name, kind: spec.kind },
    python: docker || here === null ? (docker ? 'python' : 'python3') : join(here, 'python'),
    image: docker ? (request.container?.image ?? IMAGE) : null,
    checkout,
    launcher: {
      nexrl: script,
      cliRun: checkout !== null && (await there(join(checkout, 'cli', 'run.py'))),
      scriptsRun: checkout !== null && (await there(join(checkout, 'scripts', 'run.py')))
    },
    follower: join(resources, 'nexrl-launcher', 'main.mjs'),
    environment
  }
  return { plan: planNexrl(recipe, request, place), recipe }
}
