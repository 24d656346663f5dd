/**
 * What Python's YAML reader makes of a plain (unquoted) word. Reef reads YAML 1.1 through PyYAML, NexRL through OmegaConf,
 * whose reader also takes `1e-4` for a number; a YAML 1.2 reader disagrees with both.
 */
export type ScalarKind = 'null' | 'bool' | 'int' | 'float' | 'string'

export type YamlFlavour = 'pyyaml' | 'omegaconf'

const BOOL = /^(?:yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)$/
const NULL = /^(?:~|null|Null|NULL|)$/
const INT =
  /^[-+]?(?:0b[01_]+|0[0-7_]+|0|[1-9][0-9_]*|0x[0-9a-fA-F_]+|[1-9][0-9_]*(?::[0-5]?[0-9])+)$/
const FLOAT =
  /^(?:[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|[-+]?\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/
const OMEGACONF_FLOAT = /^[-+]?[0-9][0-9_]*(?:\.[0-9_]*)?[eE][-+]?[0-9]+$/

export function plainScalarKind(text: string, flavour: YamlFlavour): ScalarKind {
  if (NULL.test(text)) return 'null'
  const first = text.charCodeAt(0)
  const numeric = (first >= 48 && first <= 57) || first === 43 || first === 45 || first === 46
  if (!numeric) return BOOL.test(text) ? 'bool' : 'string'
  if (INT.test(text)) return 'int'
  if (FLOAT.test(text)) return 'float'
  return flavour === 'omegaconf' && OMEGACONF_FLOAT.test(text) ? 'float' : 'string'
}

/** True for the words of YAML 1.1 that a person seldom means as a boolean: `no`, `off`, `on`, `yes`. */
export function isNorwayWord(text: string): boolean {
  return /^(?:yes|no|on|off)$/i.test(text) && BOOL.test(text)
}

/** True for numbers like `1e-4` that PyYAML keeps as text because they carry no dot or no exponent sign. */
export function isExponentText(text: string): boolean {
  return /^[-+]?[0-9][0-9_]*(?:\.[0-9_]*)?[eE][-+]?[0-9]+$/.test(text) && !FLOAT.test(text)
}

export function boolOf(text: string): boolean | undefined {
  if (!BOOL.test(text)) return undefined
  return /^(?:yes|true|on)$/i.test(text)
}

/** The number a resolved text stands for, as Python's int() or float() would read it; undefined when it is none. */
export function numberOf(text: string): number | undefined {
  const trimmed = text.trim()
  if (!/^[-+]?(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9]+)?$/.test(trimmed)) {
    return undefined
  }
  const value = Number(trimmed.replaceAll('_', ''))
  return Number.isFinite(value) ? value : undefined
}
