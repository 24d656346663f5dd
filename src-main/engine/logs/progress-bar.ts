/** A progress bar as one line draws it. */
export interface Bar {
  label: string
  done: number
  /** Null: the bar does not know. */
  total: number | null
  /** Seconds; null: the bar does not say. */
  left: number | null
}

const COUNTS = /\s*([\d.]+[kMGT]?)\/([\d.]+[kMGT]?) \[([\d:]+)<([\d:?]+)/y
const UNKNOWN = /^(.*?):?\s*([\d.]+[kMGT]?)(?:it|[a-zA-Z]+)? \[[\d:]+, [^\]]*(?:it|s)(?:\/\w+)?\]/
const NEXRL = /^Progress: (?:Batch: )?(\d+)\/(\d+) \(remaining: \d+\)/

/** Reads what tqdm draws (with and without a total) and NexRL's `Progress:` lines; null for anything else. */
export function parseBar(text: string): Bar | null {
  const percent = text.indexOf('%|')
  if (percent !== -1) return parseKnown(text, percent)
  if (text.startsWith('Progress: ')) return parseNexrl(text)
  if (!text.includes(' [') || !text.includes(', ')) return null
  const match = UNKNOWN.exec(text)
  if (match === null) return null
  const [, label = '', done = ''] = match
  return { label: label.trim(), done: magnitude(done), total: null, left: null }
}

/** `label:  31%|███▏      | 80/256 [00:42<01:33,  1.88it/s]`; written out, because such lines come by the 100,000. */
function parseKnown(text: string, percent: number): Bar | null {
  const drawnEnd = text.indexOf('|', percent + 2)
  if (drawnEnd === -1) return null
  COUNTS.lastIndex = drawnEnd + 1
  const match = COUNTS.exec(text)
  if (match === null) return null
  let start = percent
  while (start > 0 && isDigit(text.charCodeAt(start - 1))) start--
  if (start === percent) return null
  const label = text.slice(0, start).trim().replace(/:$/, '')
  const [, done = '', total = '', , left = ''] = match
  return { label, done: magnitude(done), total: magnitude(total), left: seconds(left) }
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
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
