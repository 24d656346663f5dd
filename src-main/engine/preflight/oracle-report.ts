import type { Finding, ResolvedValue } from '../../contract/recipes'

/** A setting as the launcher itself resolved it. */
interface PrintedSetting {
  path: string
  value: string
  /** `file`, `default`, `cli` … */
  source: string
}

const line = /^(?:\[[\w-]+\]\s*)?\s*([A-Za-z][\w.-]*) = (.*?)\s*\(([^()]*)\)\s*$/

/** Reads what `reef serve --print-config` printed; lines that are no setting are passed over. */
export function readPrintedConfig(text: string): PrintedSetting[] {
  return text.split('\n').flatMap((one) => {
    const [, path, value = '', source = ''] = line.exec(one) ?? []
    return path === undefined ? [] : [{ path, value, source }]
  })
}

/** A field that the launcher reads otherwise than we do. */
interface Disagreement {
  path: string
  ours: string
  theirs: string
}

// Masked values, and those that we show by name only.
const hidden = /^(?:\*+|<.*>|‹.*›|.*\$\{.*\}.*)$/

/** The same value written in two ways: `true` and `True`, `0.50` and `0.5`, a list with and without its brackets. */
function plain(value: string): string {
  const text = value.trim().replace(/^(["'])(.*)\1$/, '$2')
  if (/^(?:true|false)$/i.test(text)) return text.toLowerCase()
  if (/^(?:null|none)?$/i.test(text)) return ''
  const number = Number(text)
  if (Number.isFinite(number)) return String(number)
  return text.replace(/[\s,"'[\]]/g, '')
}

/** Fields both sides know and read differently, `except` those the plan itself sets. Names with `-` and `_` are one. */
export function disagreements(
  ours: readonly ResolvedValue[],
  theirs: readonly PrintedSetting[],
  except: ReadonlySet<string>
): Disagreement[] {
  const named = (path: string): string => path.replace(/_/g, '-')
  const known = new Map(theirs.map((one) => [named(one.path), one.value]))
  return ours.flatMap(({ path, value }) => {
    const printed = known.get(named(path))
    if (printed === undefined || except.has(named(path))) return []
    if (hidden.test(printed) || hidden.test(value)) return []
    return plain(printed) === plain(value) ? [] : [{ path, ours: value, theirs: printed }]
  })
}

/**
 * Fields of the checker's errors that the launcher's refusal names, too: the same mistake told twice. The launcher stops
 * at its first one, and may write a trainer's option as the flag it becomes.
 */
export function findingsNamed(said: string, findings: readonly Finding[]): string[] {
  const text = said.replace(/_/g, '-')
  const errors = findings.filter(({ severity, path }) => severity === 'error' && path !== '')
  const named = errors.flatMap(({ path }) => {
    const field = path.replace(/_/g, '-')
    const flag = field.replace(/^training\.options\./, '--')
    return standsIn(text, field) || standsIn(text, flag) ? [path] : []
  })
  return [...new Set(named)]
}

/** Whether a name stands in a text as a whole, not as a part of a longer one. */
function standsIn(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const before = text[at - 1] ?? ' '
    const after = text.slice(at + name.length, at + name.length + 2)
    if (!/[\w.-]/.test(before) && !/^(?:[\w-]|\.\w)/.test(after)) return true
  }
  return false
}
