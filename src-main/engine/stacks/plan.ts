import type { LaunchRequest, Override, Plan } from '../../contract/launch'
import type { TargetRef } from '../../contract/run'
import type { Text } from '../../contract/text'
import type { RecipeForPlan } from './recipe-for-plan'
import { nexrlAttempt } from './nexrl-plan'
import type { ComposeFacts } from './compose-facts'
import { composed, composeOverride } from './compose-plan'
import { CHECKOUT, RUN_FOLDER, throughMounts } from './mounts'
import { planShell } from './plan-shell'
import { PRACTICE_COMMAND } from '../targets'

/** Where a container stack finds its things, defaults filled in. Paths are on the target's machine. */
export interface ContainerPlaces {
  image: string
  models: string
  state: string
  checkout: string
  /** Null: all. */
  gpus: string[] | null
  /** Null: what Reef's own instructions give. */
  shmBytes: number | null
  /** Null: the image's own user. */
  user: string | null
}

/** What planning knows about the place. Everything here was looked up before; planning itself looks at nothing. */
export type TargetFacts =
  | {
      kind: 'practice-process'
      ref: TargetRef
      /** The practice stack's main file. */
      main: string
      /** A free port, when the recipe's own is taken. */
      insteadOfPort: number | null
    }
  | { kind: 'reef-process'; ref: TargetRef; /** The `reef` command. */ command: string }
  | {
      kind: 'reef-container'
      ref: TargetRef
      choices: ContainerPlaces
      /** Absent or null: it is made through the engine's API. */
      compose?: ComposeFacts | null
    }
  | {
      kind: 'practice-container'
      ref: TargetRef
      image: string
      insteadOfPort: number | null
      /** `published` where the engine's network is not this machine's. */
      network: 'host' | 'published'
      /** `uid:gid`, so that what it writes belongs to whoever runs Slipway; null: the image's own user. */
      user: string | null
    }

const GIB = 1024 ** 3

/** Output must reach the log unmerged, uncoloured and at once, or lines are lost to a reader. */
const plainOutput: readonly { name: string; value: string }[] = [
  { name: 'RAY_DEDUP_LOGS', value: '0' },
  { name: 'RAY_COLOR_PREFIX', value: '0' },
  { name: 'PYTHONUNBUFFERED', value: '1' }
]

/** Overrides as the launcher's flags: `--inference.model-path=value`. */
export function overrideFlags(overrides: readonly Override[]): string[] {
  return overrides.map(({ path, value }) => `--${path}=${value}`)
}

function services(recipe: RecipeForPlan): Plan['services'] {
  const driver = {
    name: 'slime-driver',
    readiness: {
      en: 'Ready when the driver has written its ready mark.',
      zh: '驱动写出就绪标记后即就绪。'
    },
    // The launcher gives up by itself at its own limit; ours only catches a launcher that does not.
    deadline: recipe.readyTimeout.driver + 60
  }
  const http = {
    name: 'reef',
    readiness: {
      en: 'Ready when /healthz answers, /reef/status has no error and inference is admitted.',
      zh: '当 /healthz 有应答、/reef/status 无错误且推理准入已开放时就绪。'
    },
    deadline: recipe.readyTimeout.http + 60
  }
  return recipe.trains ? [driver, http] : [http]
}

function environmentOf(recipe: RecipeForPlan, plain: boolean): Plan['environment'] {
  const named = recipe.environment.map((name) => ({ name, value: null }))
  return plain ? [...named, ...plainOutput] : named
}

function summary(recipe: RecipeForPlan): Text[] {
  if (recipe.sentences.length > 0) return recipe.sentences
  if (recipe.batch === null) return []
  return [
    {
      en: `Every ${recipe.batch} reported rollouts make one optimizer step.`,
      zh: `每 ${recipe.batch} 条带反馈的 rollout 构成一次优化步。`
    }
  ]
}

function moved(
  recipe: RecipeForPlan,
  port: number | null
): { overrides: Override[]; notes: Text[] } {
  if (port === null || port === recipe.port) return { overrides: [], notes: [] }
  return {
    overrides: [{ path: 'reef.port', value: String(port) }],
    notes: [
      {
        en: `Port ${recipe.port} is taken on this machine; this run uses ${port}.`,
        zh: `本机端口 ${recipe.port} 已被占用，本次运行改用 ${port}。`
      }
    ]
  }
}

/** One override a field: a later one takes the place of an earlier. */
function lastOfEach(overrides: readonly Override[]): Override[] {
  return [...new Map(overrides.map((one) => [one.path, one])).values()]
}

interface Frame {
  recipe: RecipeForPlan
  request: LaunchRequest
}

/** A plan whose shell line is still to be written. */
type Unwritten = Omit<Plan, 'shell'>

function common(
  { recipe, request }: Frame,
  overrides: Override[],
  port: number
): Omit<
  Plan,
  'target' | 'image' | 'argv' | 'cwd' | 'shell' | 'notes' | 'mounts' | 'environment' | 'shmBytes'
> {
  return {
    recipePath: request.recipe,
    practice: recipe.practice,
    ports: recipe.ports.map((one) => (one.port === recipe.port ? { ...one, port } : one)),
    gpus: {
      count: recipe.gpus.reduce((sum, role) => sum + role.gpus, 0),
      devices: null,
      roles: recipe.gpus
    },
    services: services(recipe),
    companions: request.companions,
    overrides,
    writes: recipe.writes,
    summary: summary(recipe),
    rollback: recipe.rollback,
    batch: recipe.batch,
    lastStep: recipe.lastStep
  }
}

function practiceProcess(
  frame: Frame,
  target: Extract<TargetFacts, { kind: 'practice-process' }>
): Unwritten {
  const { recipe, request } = frame
  const { overrides: port, notes } = moved(recipe, target.insteadOfPort)
  // Each attempt's logs get a folder of their own: a restart must not write over what the one before said.
  const logs = { path: 'reef.run-dir', value: '../logs/attempt-1/services' }
  const overrides = lastOfEach([...request.overrides, ...port, logs])
  const argv = ['node', target.main, 'serve', '-c', '../recipe.yaml', ...overrideFlags(overrides)]
  const cwd = `${RUN_FOLDER}/stack`
  return {
    ...common(frame, overrides, target.insteadOfPort ?? recipe.port),
    target: target.ref,
    image: null,
    argv,
    cwd,
    notes,
    mounts: [],
    environment: environmentOf(recipe, false),
    shmBytes: null
  }
}

function reefProcess(
  frame: Frame,
  target: Extract<TargetFacts, { kind: 'reef-process' }>
): Unwritten {
  const { recipe, request } = frame
  // The recipe's own place matters: its package is looked for in the folders above it.
  const argv = [target.command, 'serve', '-c', request.recipe, ...overrideFlags(request.overrides)]
  const environment = environmentOf(recipe, true)
  const cwd = `${RUN_FOLDER}/stack`
  return {
    ...common(frame, request.overrides, recipe.port),
    target: target.ref,
    image: null,
    argv,
    cwd,
    notes: [],
    mounts: [],
    environment,
    shmBytes: null
  }
}

/** Where a Reef container keeps what it learns. */
export const STATE = '/var/lib/reef'

function reefContainer(
  frame: Frame,
  target: Extract<TargetFacts, { kind: 'reef-container' }>
): Unwritten {
  const { recipe, request } = frame
  const { choices } = target
  const three: Plan['mounts'] = [
    { host: choices.models, container: '/root/models', readOnly: false },
    { host: choices.state, container: STATE, readOnly: false },
    { host: choices.checkout, container: CHECKOUT, readOnly: false }
  ]
  const inside = throughMounts(request.recipe, three)
  const folder = request.recipe.replace(/[\\/][^\\/]*$/, '')
  const file = request.recipe.slice(folder.length + 1)
  // A recipe outside the checkout gets a mount of its own, and the checkout's packages by PYTHONPATH.
  const mounts =
    inside === null
      ? [...three, { host: folder, container: '/workspace/recipe', readOnly: true }]
      : three
  const config = inside ?? `/workspace/recipe/${file}`
  const argv = ['reef', 'serve', '-c', config, ...overrideFlags(request.overrides)]
  const environment = [
    ...environmentOf(recipe, true),
    ...(inside === null ? [{ name: 'PYTHONPATH', value: CHECKOUT }] : [])
  ]
  const { gpus: roles } = common(frame, request.overrides, recipe.port)
  return {
    ...common(frame, request.overrides, recipe.port),
    // A recipe without a model of its own asks somewhere else for answers, and runs on machines without a GPU.
    gpus: { ...roles, devices: choices.gpus ?? (recipe.model === null ? [] : null) },
    target: target.ref,
    image: choices.image,
    argv,
    cwd: CHECKOUT,
    notes: [],
    mounts,
    environment,
    shmBytes: choices.shmBytes ?? 32 * GIB,
    ...(choices.user === null ? {} : { user: choices.user })
  }
}

function practiceContainer(
  frame: Frame,
  target: Extract<TargetFacts, { kind: 'practice-container' }>
): Unwritten {
  const { recipe, request } = frame
  const { overrides: port, notes } = moved(recipe, target.insteadOfPort)
  const logs = { path: 'reef.run-dir', value: '../logs/attempt-1/services' }
  // Listening on the container's own loopback would be out of reach of a published port.
  const host = target.network === 'published' ? [{ path: 'reef.host', value: '0.0.0.0' }] : []
  const overrides = lastOfEach([...request.overrides, ...port, ...host, logs])
  const argv = [...PRACTICE_COMMAND, 'serve', '-c', '../recipe.yaml', ...overrideFlags(overrides)]
  const mounts = [{ host: RUN_FOLDER, container: '/run/slipway', readOnly: false }]
  const cwd = '/run/slipway/stack'
  const environment = environmentOf(recipe, false)
  return {
    ...common(frame, overrides, target.insteadOfPort ?? recipe.port),
    target: target.ref,
    image: target.image,
    argv,
    cwd,
    notes,
    mounts,
    environment,
    shmBytes: null,
    network: target.network,
    ...(target.user === null ? {} : { user: target.user })
  }
}

function unwritten(frame: Frame, target: TargetFacts): Unwritten {
  switch (target.kind) {
    case 'practice-process':
      return practiceProcess(frame, target)
    case 'reef-process':
      return reefProcess(frame, target)
    case 'reef-container': {
      const plan = reefContainer(frame, target)
      const { compose = null, choices } = target
      return compose === null
        ? plan
        : composed(plan, compose, { ...choices, recipe: frame.request.recipe })
    }
    case 'practice-container':
      return practiceContainer(frame, target)
  }
}

/** What a launch will do, from the recipe, the request and facts about the place. Pure: starts and looks at nothing. */
export function planLaunch(
  recipe: RecipeForPlan,
  request: LaunchRequest,
  target: TargetFacts
): Plan {
  const plan = unwritten({ recipe, request }, target)
  return { ...plan, shell: planShell(plan) }
}

/** An attempt's plan with the image it really gets, which was not known when the plan was made. */
export function withImage<T extends { plan: Plan; command: string }>(
  attempt: T,
  image: string
): { plan: Plan; command: string } {
  const plan = { ...attempt.plan, image }
  const shell = planShell(plan)
  return { plan: { ...plan, shell }, command: shell }
}

/** The same plan for a later attempt: its own log folder, the run folder named, other overrides where given. */
export function planForAttempt(
  plan: Plan,
  change: { run: string; attempt: number; stack: string; overrides: readonly Override[] }
): Plan {
  if (plan.nexrl !== undefined) return nexrlAttempt(plan, change)
  const overrides = lastOfEach([...plan.overrides, ...change.overrides]).map((one) =>
    plan.practice && one.path === 'reef.run-dir'
      ? { ...one, value: `../logs/attempt-${change.attempt}/services` }
      : one
  )
  const flags = new Set(overrideFlags(plan.overrides))
  const named = (path: string): string => path.replace(RUN_FOLDER, () => change.run)
  const folder = named(plan.cwd)
  const cwd = plan.practice ? folder.replace(/\/stack(?:-\d+)?$/, () => `/${change.stack}`) : folder
  const port = overrides.find(({ path }) => path === 'reef.port')?.value
  const next: Unwritten = {
    ...plan,
    overrides,
    ports: plan.ports.map((one) =>
      one.what === 'reef' && port !== undefined ? { ...one, port: Number(port) } : one
    ),
    argv: [...plan.argv.filter((word) => !flags.has(word)), ...overrideFlags(overrides)],
    cwd,
    mounts: plan.mounts.map((mount) => ({ ...mount, host: named(mount.host) })),
    ...(plan.compose === undefined
      ? {}
      : { compose: { ...plan.compose, override: composeOverride(change) } })
  }
  return { ...next, shell: planShell(next) }
}
