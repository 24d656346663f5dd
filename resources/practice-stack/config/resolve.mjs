/** From tree and command line to checked settings, each with its source. */
import {
  ConfigError,
  FIELDS,
  FREE_SECTIONS,
  OPTIONS,
  RECIPE_FIELDS,
  SECTIONS,
  TOLERATED_OPTIONS
} from './fields.mjs'
import { fillEnvironment, fillReferences, parseRecipe, readRecipe } from './document.mjs'
import { checkRelations } from './relations.mjs'
import { convert, requireMap } from './values.mjs'

/** @typedef {{ value: any, source: string }} Setting */
/** @typedef {Record<string, Setting>} Settings */

/** Maps whose keys the recipe is free to choose. */
const FREE_MAPS = [
  'inference.options',
  'inference.handler-config',
  'recipe.runtime',
  'training.config',
  'observability.wandb',
  'observability.tracing'
]

/** @param {string} name */
const publicName = (name) => name.replaceAll('_', '-')

/**
 * `--a.b.c value` and `--a.b.c=value` pairs.
 * @param {readonly string[]} flags
 * @returns {Map<string, unknown>}
 */
export function parseFlags(flags) {
  const values = new Map()
  for (let index = 0; index < flags.length; index += 1) {
    const match = /^--([\w-]+(?:\.[\w-]+)+)(?:=(.*))?$/s.exec(flags[index])
    if (match === null) throw new ConfigError(`unrecognized arguments: ${flags[index]}`)
    const value = match[2] ?? flags[(index += 1)]
    if (value === undefined) throw new ConfigError(`argument --${match[1]}: expected one argument`)
    values.set(publicName(match[1]), value)
  }
  return values
}

/**
 * @param {string} path of the recipe
 * @param {readonly string[]} flags
 * @param {NodeJS.ProcessEnv} environment
 * @returns {Settings}
 * @throws {ConfigError}
 */
export function resolveConfig(path, flags, environment) {
  const overrides = parseFlags(flags)
  const tree = parseRecipe(path, readRecipe(path))
  try {
    checkShape(tree)
    const filled = fillEnvironment(path, tree, environment, new Set(overrides.keys()))
    const withFlags = applyFlags(filled, overrides)
    return collectSettings(fillReferences(withFlags), overrides, environment)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const named = error.message.startsWith('config ')
    throw named ? error : new ConfigError(`config ${path}: ${error.message}`)
  }
}

/** @param {Record<string, any>} tree */
function checkShape(tree) {
  const version = tree['schema-version'] ?? tree['schema_version']
  if (version !== 2) throw new ConfigError('unsupported schema-version; expected 2')
  if ('service' in tree || 'services' in tree) {
    throw new ConfigError(
      'schema-version 2 does not accept service/services: move HTTP settings to reef; processes are ' +
        'assembled by Reef and the selected recipe'
    )
  }
  const names = Object.keys(tree).filter((name) => publicName(name) !== 'schema-version')
  const unknown = names.filter((name) => !SECTIONS.includes(name))
  if (unknown.length > 0) {
    throw new ConfigError(`unknown config sections: ${unknown.sort().join(', ')}`)
  }
  for (const name of names) requireMap(name, tree[name])
  if (tree['execution']?.['services'] !== undefined) {
    throw new ConfigError(
      'execution.services belongs to legacy process stacks; configure component resources instead'
    )
  }
}

/**
 * The tree with the command line's values in the place of the file's.
 * @param {Record<string, any>} tree
 * @param {ReadonlyMap<string, unknown>} overrides
 */
function applyFlags(tree, overrides) {
  const copy = structuredClone(tree)
  for (const [path, value] of overrides) {
    let node = copy
    const parts = path.split('.')
    const last = parts.pop() ?? ''
    for (const part of parts) node = node[existingName(node, part)] ??= {}
    node[existingName(node, last)] = value
  }
  return copy
}

/**
 * @param {Record<string, any>} node
 * @param {string} part
 */
function existingName(node, part) {
  return Object.keys(node).find((name) => publicName(name) === part) ?? part
}

/**
 * @param {Record<string, any>} tree
 * @param {ReadonlyMap<string, unknown>} overrides
 * @param {NodeJS.ProcessEnv} environment
 */
function collectSettings(tree, overrides, environment) {
  const given = flatten(tree)
  /** @type {(path: string) => string} */
  const origin = (path) => (overrides.has(path) ? 'command line' : 'file')
  const implementation = String(given.get('recipe.implementation') ?? 'recipe')
  const recipeFields = RECIPE_FIELDS[implementation]
  if (recipeFields === undefined) {
    throw new ConfigError(
      `recipe.implementation '${implementation}' is not one the practice stack plays: ` +
        `use ${Object.keys(RECIPE_FIELDS).join(' or ')}`
    )
  }
  const declared = declaredFields(recipeFields)
  refuseUnknown(given, declared)
  /** @type {Settings} */
  const settings = {}
  for (const [path, field] of Object.entries(declared)) {
    const raw = given.get(path)
    if (given.has(path) && raw === null && field.nullable !== true) {
      throw new ConfigError(`${path} does not accept null; omit the field to use its default`)
    }
    const fallback = field.environment === undefined ? '' : (environment[field.environment] ?? '')
    if (raw !== undefined && raw !== null && raw !== '') {
      settings[path] = { value: convert(path, field, raw), source: origin(path) }
    } else if (fallback !== '') {
      const source = `environment ${field.environment}`
      settings[path] = { value: convert(path, field, fallback), source }
    } else settings[path] = { value: field.default ?? null, source: 'default' }
  }
  for (const [path, value] of given) {
    if (!(path in declared)) settings[path] = { value, source: origin(path) }
  }
  checkRelations(settings)
  return settings
}

/**
 * @param {Readonly<Record<string, import('./fields.mjs').Field>>} recipeFields
 * @returns {Record<string, import('./fields.mjs').Field>}
 */
function declaredFields(recipeFields) {
  /** @type {(prefix: string, fields: object) => object} */
  const under = (prefix, fields) =>
    Object.fromEntries(Object.entries(fields).map(([name, field]) => [`${prefix}.${name}`, field]))
  return {
    ...FIELDS,
    ...under('recipe.config', recipeFields),
    ...under('training.options', OPTIONS)
  }
}

/**
 * Public path → value, one level below the sections and below the two maps with declared content.
 * @param {Record<string, any>} tree
 */
function flatten(tree) {
  /** @type {Map<string, any>} */
  const flat = new Map()
  for (const [section, content] of Object.entries(tree)) {
    if (publicName(section) === 'schema-version') continue
    for (const [name, value] of Object.entries(content)) {
      const path = `${section}.${publicName(name)}`
      if (!['recipe.config', 'training.options', 'training.config'].includes(path)) {
        addOnce(flat, path, value, 'duplicate config field: ')
        continue
      }
      requireMap(path, value ?? {})
      for (const [inner, item] of Object.entries(value ?? {})) {
        const full =
          path === 'training.config' ? `${path}.${inner}` : `${path}.${publicName(inner)}`
        addOnce(flat, full, item, `duplicate ${path} field: `)
      }
    }
  }
  return flat
}

/**
 * @param {Map<string, any>} flat
 * @param {string} path
 * @param {unknown} value
 * @param {string} complaint
 */
function addOnce(flat, path, value, complaint) {
  if (flat.has(path)) throw new ConfigError(`${complaint}${path}`)
  flat.set(path, value)
}

/**
 * @param {ReadonlyMap<string, any>} given
 * @param {Record<string, unknown>} declared
 */
function refuseUnknown(given, declared) {
  const unknown = []
  for (const path of given.keys()) {
    const [section, name = ''] = path.split('.')
    const free = FREE_SECTIONS.includes(section) || FREE_MAPS.some((map) => path.startsWith(map))
    if (free || path in declared) continue
    if (path.startsWith('recipe.config.')) {
      throw new ConfigError(recipeFieldComplaint(path.slice('recipe.config.'.length)))
    }
    if (path.startsWith('training.options.')) refuseOption(path.slice('training.options.'.length))
    else unknown.push(`${section}.${name}`)
  }
  if (unknown.length > 0) throw new ConfigError(`unknown config fields: ${unknown.join(', ')}`)
}

/** @param {string} name */
function recipeFieldComplaint(name) {
  return name === 'optimization'
    ? 'SAO objective options are backend-owned; configure the Slime implementation with training.options'
    : `unknown recipe.config field: ${name}`
}

/** @param {string} name */
function refuseOption(name) {
  if (/^(sglang-|router-|rollout-num-gpus|rollout-external|prefill-num-servers)/.test(name)) {
    throw new ConfigError(
      `training.options.${name} configures inference; use inference.num-gpus, ` +
        'inference.tensor-parallel-size or inference.options instead'
    )
  }
  if (name === 'colocate' || name === 'offload-rollout') {
    throw new ConfigError(
      `training.options.${name} places the model; use training.colocate instead`
    )
  }
  if (!TOLERATED_OPTIONS.includes(name)) {
    throw new ConfigError(
      `training.options.${name} is no option of the practice backend: it has ` +
        Object.keys(OPTIONS).join(', ')
    )
  }
}
