/** A field's raw value, from YAML or the command line, in the field's own type. */
import { parse } from 'yaml'
import { ConfigError } from './fields.mjs'

/**
 * @param {string} name
 * @param {unknown} value
 */
export function requireMap(name, value) {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw new ConfigError(`${name} must be an object`)
  }
}

/**
 * A field's value in its own type.
 * @param {string} path
 * @param {import('./fields.mjs').Field} field
 * @param {any} raw
 */
export function convert(path, field, raw) {
  switch (field.type) {
    case 'string':
      return checkChoice(path, field, switchWord(field, raw))
    case 'integer':
    case 'number':
      return checkNumber(path, field, raw)
    case 'speed':
      return raw === 'max' ? 'max' : checkNumber(path, { ...field, type: 'number', above: 0 }, raw)
    case 'boolean':
      if (raw === true || raw === 'true') return true
      if (raw === false || raw === 'false') return false
      throw new ConfigError(`${path} must be true or false`)
    case 'strings':
      return checkStrings(path, typeof raw === 'string' ? parse(raw) : raw)
    case 'map': {
      const value = typeof raw === 'string' ? parse(raw) : raw
      requireMap(path, value)
      return value
    }
  }
}

/**
 * `on`, `off` and `true` arrive from YAML 1.1 habits as booleans where a word is meant.
 * @param {import('./fields.mjs').Field} field
 * @param {unknown} raw
 */
function switchWord(field, raw) {
  if (typeof raw !== 'boolean' || field.choices === undefined) return String(raw)
  if (field.choices.includes(String(raw))) return String(raw)
  return raw ? 'on' : 'off'
}

/**
 * @param {string} path
 * @param {import('./fields.mjs').Field} field
 * @param {string} value
 */
function checkChoice(path, field, value) {
  if (field.choices !== undefined && !field.choices.includes(value)) {
    throw new ConfigError(`${path} must be one of ${field.choices.join(', ')}, got '${value}'`)
  }
  return value
}

/**
 * @param {string} path
 * @param {import('./fields.mjs').Field} field
 * @param {unknown} raw
 */
function checkNumber(path, field, raw) {
  const value = typeof raw === 'number' ? raw : Number(typeof raw === 'string' ? raw : Number.NaN)
  if (!Number.isFinite(value)) throw new ConfigError(`${path} must be a finite number`)
  if (field.type === 'integer' && !Number.isInteger(value)) {
    throw new ConfigError(`${path} must be an integer`)
  }
  const { least = -Infinity, most = Infinity, above = -Infinity } = field
  if (value < least || value > most || value <= above) {
    const bounds = [
      field.least === undefined ? [] : [`at least ${least}`],
      field.above === undefined ? [] : [`greater than ${above}`],
      field.most === undefined ? [] : [`at most ${most}`]
    ]
    throw new ConfigError(`${path} must be ${bounds.flat().join(' and ')}, got ${value}`)
  }
  return value
}

/**
 * @param {string} path
 * @param {unknown} value
 */
function checkStrings(path, value) {
  const list = typeof value === 'string' ? [value] : value
  if (!Array.isArray(list) || list.some((item) => typeof item !== 'string')) {
    throw new ConfigError(`${path} must be a list of strings`)
  }
  return list
}
