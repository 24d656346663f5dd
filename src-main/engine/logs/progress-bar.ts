/** A progress bar as one line draws it. */
export interface Bar {
  label: string
  done: number
  /** Null: the bar does not know. */
  total: number | null
  /** Seconds; null: the bar does not say. */
  left: number | null
}

const KNOWN = /^(.*?):?\s*(\d+)%\|.*?\|\s*([\d.]+[kMGT]?)\/([\d.]+[kMGT]?) \[([\d:]+)<([\d:?]+)/
const UNKNOWN = /^(.*?):?\s*([\d.]+[kMGT]?)(?:it|[a-zA-Z]+)? \[[\d:]+, [^\]]*(?:it|s)(?:\/\w+)?\]/
const NEXRL = /^Progress: (?:Batch: )?(\d+)\/(\d+) \(remaining: \d+\)/

/** Reads what tqdm draws (with and without a total) and NexRL's `Progress:` lines; null for anything else. */
export function parseBar(text: string): Bar | null {
  if (text.includes('%|')) {
    const match = KNOWN.exec(text)
    if (match === null) return null
    const [, label = '', , done = '', total = '', , left = ''] = match
    return {
      label: label.trim(),
      done: magnitude(done),
      total: magnitude(total),
      left: seconds(left)
    }
  }
  if (text.startsWith('Progress: ')) return parseNexrl(text)
  if (!text.includes(' [') || !text.includes(', ')) return null
  const match = UNKNOWN.exec(text)
  if (match === null) return null
  const [, label = '', done = ''] = match
  return { label: label.trim(), done: magnitude(done), total: null, left: null }
}

function parseNexrl(text: string): Bar | null {
  const match = NEXRL.exec(text)
  if (match === null) return null
  return { label: 'Batch', done: Number(match[1]), total: Number(match[2]), left: null }
}

/** The bar as words, for places that show lines and not bars. */
export function barText(bar: Bar): string {
  const name = bar.label === '' ? 'progress' : bar.label
  return bar.total === null
    ? `${name}: ${String(bar.done)}`
    : `${name}: ${String(bar.done)} / ${String(bar.total)}`
}

/** `1.5k` → 1500 (tqdm's `unit_scale`). */
function magnitude(text: string): number {
  const scale = { k: 1e3, M: 1e6, G: 1e9, T: 1e12 }[text.at(-1) ?? '']
  return scale === undefined ? Number(text) : Number(text.slice(0, -1)) * scale
}

/** `1:02:03` → 3723; `?` → null. */
function seconds(text: string): number | null {
  if (text.includes('?')) return null
  return text.split(':').reduce((sum, part) => sum * 60 + Number(part), 0)
}
