/** One series of a Prometheus text (`prometheus.io`, exposition formats). */
export interface Series {
  name: string
  labels: Readonly<Record<string, string>>
  /** NaN and ±Inf are values, too. */
  value: number
}

const LINE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})?\s+(\S+)(?:\s+-?\d+)?\s*$/
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"/g

const specials: Readonly<Record<string, number>> = {
  NaN: Number.NaN,
  '+Inf': Number.POSITIVE_INFINITY,
  Inf: Number.POSITIVE_INFINITY,
  '-Inf': Number.NEGATIVE_INFINITY
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, (_whole, one: string) => (one === 'n' ? '\n' : one))
}

/** Reads every series of the text; lines that are none are skipped. Never throws. */
export function parsePrometheus(text: string): Series[] {
  return text.split('\n').flatMap((line) => {
    const parts = LINE.exec(line.trimStart())
    const [, name, labels = '', said] = parts ?? []
    if (name === undefined || said === undefined) return []
    const value = specials[said] ?? Number(said)
    if (Number.isNaN(value) && said !== 'NaN') return []
    const pairs = [...labels.matchAll(LABEL)].map(([, key = '', quoted = '']): [string, string] => [
      key,
      unescaped(quoted)
    ])
    return [{ name, labels: Object.fromEntries(pairs), value }]
  })
}
