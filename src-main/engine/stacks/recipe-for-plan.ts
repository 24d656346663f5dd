import type { Override, Plan } from '../../contract/launch'
import type { RecipeFacts, Dialect } from '../../contract/recipes'
import { fail } from '../lib'
import { resolveRecipe, type ResolvedRecipe } from '../recipes'

/** Where the token of the service comes from. A literal one stands in the recipe and is never copied elsewhere. */
export type TokenSource =
  { kind: 'none' } | { kind: 'literal'; value: string } | { kind: 'environment'; name: string }

/** What planning and watching need to know of a resolved recipe. */
export interface RecipeForPlan {
  name: string
  dialect: Dialect
  practice: boolean
  family: string | null
  implementation: string | null
  model: string | null
  host: string
  port: number
  token: TokenSource
  /** As the recipe says; relative paths count from the folder the stack is started in. */
  runDir: string
  checkpointDir: string | null
  recordDir: string
  batch: number | null
  /** Training steps after which the stack ends; null for a stream. */
  lastStep: number | null
  gpus: Plan['gpus']['roles']
  ports: { port: number; what: string }[]
  rollback: 'api' | 'redeploy' | 'none'
  /** Whether a training driver comes up before the HTTP service. */
  trains: boolean
  /** Seconds the launcher itself waits for the training side and for the HTTP side. */
  readyTimeout: { driver: number; http: number }
  /** Environment variables the recipe asks for. */
  environment: string[]
  /** Whether it trains an adapter over a frozen base. */
  lora: boolean
  /** Whether a checkpoint holds what training needs to go on from it. */
  savesOptimizer: boolean
  /**
   * Fields that name folders in which the stack keeps its state, with their values, defaults included: a branch needs
   * every one of them new.
   */
  storage: { path: string; value: string }[]
  /** Fields beside `inference.model-path` that name the model training begins with, where the recipe sets them. */
  startsFrom: { path: string; value: string }[]
  /** Directories the stack will write. */
  writes: { path: string; what: string }[]
  sentences: RecipeFacts['sentences']
}

const ENVIRONMENT = /\$\{(\w+)(?::\?)?\}|\$\{oc\.env:(\w+)[^}]{0,400}\}/g

/** Fields that name folders in which a stack keeps its state. */
const storageFields = [
  'storage.artifact-repository',
  'storage.artifact-work-dir',
  'storage.artifact-cache-dir',
  'storage.agent-record-dir',
  'training.config.checkpoint-dir',
  'training.options.save',
  'training.options.save-hf',
  'training.options.load',
  'training.options.critic-save',
  'training.options.critic-load',
  'reef.run-dir'
]

/** Without a checkpoint of its own to load, training begins with the reference model where one is named. */
const modelFields = ['training.options.ref-load', 'training.options.hf-checkpoint']

/** A value that is put together from other fields follows them by itself. */
const FOLLOWS = /\$\{[A-Za-z_][\w-]*(?:\.[\w-]+)+\}/

/**
 * What planning needs of a recipe, read by the same resolution that checks it: both layouts of Reef, NexRL with the
 * files beside it, overrides applied, references followed, defaults filled in.
 * @throws FailureError `recipe-unreadable`
 */
export function readRecipeForPlan(
  recipe: string,
  options: {
    path: string
    overrides: readonly Override[]
    environment: Readonly<Record<string, string | undefined>>
    /** Texts of the files beside a NexRL recipe, by name. */
    siblings?: Readonly<Record<string, string>>
  }
): RecipeForPlan {
  const resolved = resolveRecipe({ ...options, text: recipe })
  refuseUnreadable(resolved, options.path)
  const { dialect, facts, trainer } = resolved
  const practice = facts.practice
  const trains = trainer !== 'none' && (practice || facts.model !== null)
  const runDir = resolved.text('reef.run-dir') ?? '.reef/run'
  const recordDir = resolved.text('storage.agent-record-dir') ?? '.reef/agent-record'
  const checkpointDir = resolved.text('training.config.checkpoint-dir') ?? null
  const port = resolved.number('reef.port') ?? 8900
  return {
    name: nameOf(options.path, practice, facts.family),
    dialect,
    practice,
    family: facts.family,
    implementation: facts.implementation,
    model: facts.model,
    host: resolved.text('reef.host') ?? '127.0.0.1',
    port,
    token: tokenOf(resolved, options.environment),
    runDir,
    checkpointDir,
    recordDir,
    batch: facts.batch,
    lastStep: lastStepOf(resolved),
    gpus: facts.gpus.map((one) => ({ ...one })),
    ports: [{ port, what: 'reef' }],
    rollback: facts.rollback,
    trains,
    readyTimeout: {
      driver: driverTimeout(resolved, practice),
      http: resolved.number('reef.ready-timeout') ?? 30
    },
    environment: namesIn(recipe),
    lora: !practice && (resolved.number('training.options.megatron-lora-rank') ?? 0) > 0,
    savesOptimizer: resolved.bool('training.options.no-save-optim') !== true,
    storage: ownFields(resolved, storageFields).filter(
      // The practice stack's relative defaults move with the folder it is started in, and so do its logs.
      ({ path, written }) => !practice || (written && path !== 'reef.run-dir')
    ),
    startsFrom: ownFields(resolved, modelFields).filter(({ written }) => written),
    writes: [
      { path: runDir, what: 'logs' },
      { path: recordDir, what: 'records' },
      ...(checkpointDir === null ? [] : [{ path: checkpointDir, what: 'checkpoints' }])
    ],
    sentences: facts.sentences
  }
}

/** Fields that say something of their own, as the recipe spells them: both spellings at once are refused. */
function ownFields(
  resolved: ResolvedRecipe,
  paths: readonly string[]
): { path: string; value: string; written: boolean }[] {
  return paths.flatMap((path) => {
    const field = resolved.field(path)
    if (field === undefined || field.text === '' || FOLLOWS.test(field.raw)) return []
    return [{ path: field.path, value: field.text, written: field.origin.kind !== 'default' }]
  })
}

function refuseUnreadable({ unreadable }: ResolvedRecipe, where: string): void {
  if (unreadable === null) return
  fail({
    code: 'recipe-unreadable',
    what: {
      en: 'The recipe is not a YAML object that can be read.',
      zh: '该 recipe 不是可读取的 YAML 对象。'
    },
    where,
    detail: unreadable,
    remedy: {
      en: 'Open it in the recipe editor: the place is marked there.',
      zh: '请在 recipe 编辑器中打开，出错位置会被标出。'
    }
  })
}

/** A token that is exactly one variable is known by its name; one of any other form stands in the recipe. */
function tokenOf(
  resolved: ResolvedRecipe,
  environment: Readonly<Record<string, string | undefined>>
): TokenSource {
  const field = resolved.field('reef.token')
  // Unset, the variable leaves no text; the recipe still asks for it by name.
  const named = /^\$\{(\w+)(?::\?)?\}$/.exec(rawToken(resolved))?.[1]
  if (named !== undefined) return { kind: 'environment', name: named }
  if (field === undefined || field.text === '') return { kind: 'none' }
  if (field.origin.kind === 'environment' && environment[field.origin.name] === field.text)
    return { kind: 'environment', name: field.origin.name }
  return { kind: 'literal', value: field.text }
}

/** The token as written, one reference followed. */
function rawToken(resolved: ResolvedRecipe): string {
  const written = [...resolved.fields()]
  const rawOf = (path: string): string =>
    written.find((one) => one.path.replaceAll('_', '-') === path.replaceAll('_', '-'))?.raw ?? ''
  const raw = rawOf('reef.token')
  const target = /^\$\{([A-Za-z_][\w-]*(?:\.[\w-]+)+)\}$/.exec(raw)?.[1]
  return target === undefined ? raw : rawOf(target)
}

/** A stream is given more training jobs than anybody waits for. */
const STREAM = 1_000_000

/** Slime ends after `num-rollout` training jobs, whatever came before them. */
function lastStepOf(resolved: ResolvedRecipe): number | null {
  if (resolved.trainer !== 'slime' && !resolved.facts.practice) return null
  const jobs = resolved.number('training.options.num-rollout')
  return jobs === undefined || jobs >= STREAM ? null : jobs
}

/** Seconds the launcher waits for the training side; an unversioned stack has one limit for all its services. */
function driverTimeout(resolved: ResolvedRecipe, practice: boolean): number {
  if (resolved.dialect === 'reef-unversioned') return resolved.number('reef.ready-timeout') ?? 3600
  const field = resolved.field('training.ready-timeout')
  const asked = field?.origin.kind === 'default' ? undefined : Number(field?.text)
  return asked !== undefined && Number.isFinite(asked) ? asked : practice ? 60 : 3600
}

/** Environment names the text asks for, in the order of their first use. */
function namesIn(text: string): string[] {
  const names = [...text.matchAll(ENVIRONMENT)].flatMap(([, reef, nexrl]) => reef ?? nexrl ?? [])
  return [...new Set(names)]
}

function nameOf(path: string, practice: boolean, family: string | null): string {
  const base = (path.split(/[\\/]/).pop() ?? path).replace(/\.ya?ml$/i, '')
  return practice && family !== null ? `Practice: ${family.toUpperCase()}` : base
}
