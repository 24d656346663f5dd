/** From the recipe's text to a tree: YAML, environment references, references to other fields. */
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { isMap, LineCounter, parseDocument, visit } from 'yaml'
import { ConfigError } from './fields.mjs'

/**
 * The text of a recipe; `~` is expanded, a relative path counts from the current folder.
 * @param {string} path
 */
export function readRecipe(path) {
  const expanded = path.startsWith('~/') ? join(homedir(), path.slice(2)) : path
  try {
    return readFileSync(expanded, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      throw new ConfigError(`config not found: ${path}`)
    }
    throw error
  }
}

/**
 * @param {string} path for messages
 * @param {string} text
 * @returns {Record<string, any>}
 */
export function parseRecipe(path, text) {
  const lineCounter = new LineCounter()
  const document = parseDocument(text, { uniqueKeys: false, lineCounter })
  const [problem] = document.errors
  if (problem !== undefined) {
    throw new ConfigError(`config ${path} is not valid YAML: ${problem.message}`)
  }
  const root = document.toJS() ?? {}
  if (typeof root !== 'object' || Array.isArray(root)) {
    throw new ConfigError(`config ${path} must be a YAML object at the root, not ${typeName(root)}`)
  }
  const repeated = repeatedKeys(document, lineCounter)
  if (repeated.length > 0) {
    throw new ConfigError(`config ${path} repeats YAML keys: ${repeated.join(', ')}`)
  }
  return root
}

/** @param {unknown} value */
function typeName(value) {
  if (Array.isArray(value)) return 'list'
  if (typeof value === 'string') return 'str'
  return typeof value === 'number' ? 'int' : 'bool'
}

/**
 * @param {import('yaml').Document} document
 * @param {LineCounter} lineCounter
 */
function repeatedKeys(document, lineCounter) {
  /** @type {string[]} */
  const found = []
  visit(document, {
    Map(_, map, parents) {
      const above = parents
        .map((parent) => (parent !== null && 'key' in parent ? `${parent.key}.` : ''))
        .join('')
      /** @type {Map<string, number[]>} */
      const lines = new Map()
      for (const pair of map.items) {
        const range = /** @type {any} */ (pair.key).range
        const name = String(pair.key)
        lines.set(name, [...(lines.get(name) ?? []), lineCounter.linePos(range[0]).line])
      }
      for (const [name, at] of lines) {
        if (at.length > 1) found.push(`${above}${name} (lines ${at.join(' and ')})`)
      }
    }
  })
  return isMap(document.contents) ? found : []
}

/**
 * Replaces texts of a tree, top down.
 * @param {any} node
 * @param {(text: string, path: string) => unknown} replace
 * @param {string} [path]
 * @returns {any}
 */
function mapTexts(node, replace, path = '') {
  if (typeof node === 'string') return replace(node, path)
  if (Array.isArray(node)) {
    return node.map((item, index) => mapTexts(item, replace, `${path}[${index}]`))
  }
  if (node === null || typeof node !== 'object') return node
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => [
      key,
      mapTexts(value, replace, path === '' ? key : `${path}.${key}`)
    ])
  )
}

/**
 * The environment pass: `${NAME}` becomes its value or nothing, `${NAME:?}` must have one.
 * @param {string} path
 * @param {Record<string, any>} tree
 * @param {NodeJS.ProcessEnv} environment
 * @param {ReadonlySet<string>} overridden public paths whose file value does not count
 */
export function fillEnvironment(path, tree, environment, overridden) {
  /** @type {string[]} */
  const missing = []
  const filled = mapTexts(tree, (text, field) =>
    text.replace(/\$\{(\w+)(:\?)?\}/g, (_, name, required) => {
      const value = environment[name] ?? (name === 'REEF_PYTHON' ? process.execPath : '')
      const open = required !== undefined && value.trim() === ''
      if (open && !overridden.has(field.replaceAll('_', '-'))) missing.push(`  ${name} (${field})`)
      return value
    })
  )
  if (missing.length > 0) {
    throw new ConfigError(
      `config ${path}: missing or empty required environment variables:\n${missing.join('\n')}`
    )
  }
  return filled
}

/**
 * The config pass: `${a.b.c}` is the value of another field; `{rollout_id}` is left alone.
 * @param {Record<string, any>} tree
 */
export function fillReferences(tree) {
  /** @type {(text: string, depth: number) => unknown} */
  const fill = (text, depth) => {
    if (depth > 20) throw new ConfigError(`config references go in a circle: ${text}`)
    const whole = /^\$\{([\w-]+(?:\.[\w-]+)+)\}$/.exec(text)
    if (whole !== null) {
      const value = lookUp(tree, whole[1])
      return typeof value === 'string' ? fill(value, depth + 1) : value
    }
    return text.replace(/\$\{([\w-]+(?:\.[\w-]+)+)\}/g, (_, reference) =>
      String(fill(String(lookUp(tree, reference)), depth + 1))
    )
  }
  return mapTexts(tree, (text) => fill(text, 0))
}

/**
 * @param {Record<string, any>} tree
 * @param {string} reference
 */
function lookUp(tree, reference) {
  let node = tree
  for (const part of reference.split('.')) {
    const key = Object.keys(node ?? {}).find((name) => sameName(name, part))
    if (key === undefined) throw new ConfigError(`unknown config reference: \${${reference}}`)
    node = node[key]
  }
  return node
}

/**
 * @param {string} a
 * @param {string} b
 */
function sameName(a, b) {
  return a.replaceAll('_', '-') === b.replaceAll('_', '-')
}
