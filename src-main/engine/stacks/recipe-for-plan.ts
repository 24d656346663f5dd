import { parse } from 'yaml'
import type { Override } from '../../contract/launch'
import type { RecipeFacts, Dialect } from '../../contract/recipes'
import { fail, messageOf } from '../lib'

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
  gpus: { role: string; gpus: number }[]
  ports: { port: number; what: string }[]
  rollback: 'api' | 'redeploy' | 'none'
  /** Whether a training driver comes up before the HTTP service. */
  trains: boolean
  /** Seconds the launcher itself waits for the training side and for the HTTP side. */
  readyTimeout: { driver: number; http: number }
  /** Environment variables the recipe asks for. */
  environment: string[]
  /** Fields that name folders in which the stack keeps its state, with their values. */
  storage: { path: string; value: string }[]
  /** Directories the stack will write. */
  writes: { path: string; what: string }[]
  sentences: RecipeFacts['sentences']
}

type Tree = Record<string, unknown>

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** `a-b` and `a_b` are one name to Reef. */
function child(tree: unknown, name: string): unknown {
  if (!isTree(tree)) return undefined
  return tree[name] ?? tree[name.replaceAll('-', '_')] ?? tree[name.replaceAll('_', '-')]
}

function at(tree: Tree, path: string): unknown {
  return path.split('.').reduce<unknown>(child, tree)
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

function number(value: unknown, otherwise: number): number {
  const parsed = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof parsed === 'number' && Number.isFinite(parsed) ? parsed : otherwise
}

function override(tree: Tree, { path, value }: Override): void {
  const parts = path.split('.')
  const last = parts.pop() ?? ''
  let here = tree
  for (const part of parts) {
    const next = child(here, part)
    const made: Tree = isTree(next) ? next : {}
    if (!isTree(next)) here[part] = made
    here = made
  }
  delete here[last.replaceAll('-', '_')]
  delete here[last.replaceAll('_', '-')]
  here[last] = value
}

const ENVIRONMENT = /\$\{(\w+)(?::\?)?\}/g

function tokenOf(raw: unknown): TokenSource {
  const value = text(raw)
  if (value === null) return { kind: 'none' }
  const named = /^\$\{(\w+)(?::\?)?\}$/.exec(value)
  return named?.[1] === undefined
    ? { kind: 'literal', value }
    : { kind: 'environment', name: named[1] }
}

function parseTree(recipe: string, where: string): Tree {
  let tree: unknown
  try {
    tree = parse(recipe)
  } catch (cause) {
    return fail(
      {
        code: 'recipe-unreadable',
        what: { en: 'The recipe is not valid YAML.', zh: '该配方不是有效的 YAML。' },
        where,
        detail: messageOf(cause)
      },
      cause
    )
  }
  if (isTree(tree)) return tree
  return fail({
    code: 'recipe-unreadable',
    what: {
      en: 'The recipe must be a YAML object at its root.',
      zh: '配方的根必须是一个 YAML 对象。'
    },
    where
  })
}

const storageFields = [
  'storage.artifact-repository',
  'storage.artifact-work-dir',
  'storage.artifact-cache-dir',
  'storage.agent-record-dir',
  'training.config.checkpoint-dir'
]

const families: Readonly<Record<string, string>> = {
  SAORecipe: 'sao',
  SAOGrpoControlRecipe: 'sao-grpo-dis',
  TTTDRecipe: 'tttd',
  OpenClawRLRecipe: 'openclawrl',
  OPDRecipe: 'opd'
}

function substitute(
  value: unknown,
  environment: Readonly<Record<string, string | undefined>>
): unknown {
  return typeof value === 'string'
    ? value.replace(ENVIRONMENT, (_, name: string) => environment[name] ?? '')
    : value
}

/**
 * Reads what planning needs from a recipe with `schema-version: 2` (`docs/reference/configuration.rst`), overrides
 * applied, defaults filled in. Only values that planning uses are resolved.
 * @throws FailureError `recipe-unreadable`
 */
export function readRecipeForPlan(
  recipe: string,
  options: {
    path: string
    overrides: readonly Override[]
    environment: Readonly<Record<string, string | undefined>>
  }
): RecipeForPlan {
  const tree = parseTree(recipe, options.path)
  for (const one of options.overrides) override(tree, one)
  const get = (path: string): unknown => substitute(at(tree, path), options.environment)
  const implementation = text(get('recipe.implementation'))
  const className = implementation?.split(':').pop() ?? ''
  const practice = get('training.backend') === 'practice'
  const family = families[className] ?? null
  const trains = text(get('inference.model-path')) !== null && implementation !== 'recipe'
  const port = number(get('reef.port'), 8900)
  const checkpointDir = text(get('training.config.checkpoint-dir'))
  const recordDir = text(get('storage.agent-record-dir')) ?? '.reef/agent-record'
  const runDir = text(get('reef.run-dir')) ?? '.reef/run'
  const grid =
    number(get('recipe.config.groups-per-step'), 0) *
    number(get('recipe.config.rollouts-per-group'), 0)
  const batch = number(get('recipe.config.batch-size'), grid)
  const inferenceGpus = number(get('inference.num-gpus'), 0)
  const actorGpus = number(get('training.options.actor-num-gpus-per-node'), 0)
  const asked = get('training.options.rollback')
  return {
    name: nameOf(options.path, practice, family),
    dialect: at(tree, 'schema-version') === 2 ? 'reef-v2' : 'unknown',
    practice,
    family,
    implementation,
    model: text(get('inference.model-path')),
    host: text(get('reef.host')) ?? '127.0.0.1',
    port,
    token: tokenOf(at(tree, 'reef.token')),
    runDir,
    checkpointDir,
    recordDir,
    batch: batch > 0 ? batch : null,
    gpus: practice
      ? []
      : [
          { role: 'inference', gpus: inferenceGpus },
          { role: 'training', gpus: actorGpus }
        ].filter((role) => role.gpus > 0),
    ports: [{ port, what: 'reef' }],
    rollback: practice && asked !== 'redeploy' ? 'api' : trains || practice ? 'redeploy' : 'none',
    trains: trains || practice,
    readyTimeout: {
      driver: number(get('training.ready-timeout'), practice ? 60 : 3600),
      http: number(get('reef.ready-timeout'), 30)
    },
    environment: [...new Set([...recipe.matchAll(ENVIRONMENT)].flatMap((match) => match[1] ?? []))],
    storage: storageFields.flatMap((path) => {
      const value = text(get(path))
      return value === null ? [] : [{ path, value }]
    }),
    writes: [
      { path: runDir, what: 'logs' },
      { path: recordDir, what: 'records' },
      ...(checkpointDir === null ? [] : [{ path: checkpointDir, what: 'checkpoints' }])
    ],
    sentences: []
  }
}

function nameOf(path: string, practice: boolean, family: string | null): string {
  const base = (path.split(/[\\/]/).pop() ?? path).replace(/\.ya?ml$/i, '')
  return practice && family !== null ? `Practice: ${family.toUpperCase()}` : base
}
