import type { ScalarKind } from './py-scalar'

/** A piece of one source text; offsets are UTF-16 code units. */
export interface Span {
  start: number
  end: number
}

export interface ScalarNode extends Span {
  type: 'scalar'
  text: string
  kind: ScalarKind
  style: 'plain' | 'single' | 'double' | 'block'
}

export interface MapEntry {
  key: string
  keySpan: Span
  /** Where the value is written; for an alias that is the alias, not its anchor. */
  valueSpan: Span
  value: YamlNode
  /** The value is written elsewhere (alias, or a `<<` merge), so an edit here would change more than this field. */
  shared: boolean
}

export interface MapNode extends Span {
  type: 'map'
  entries: MapEntry[]
  flow: boolean
}

export interface SeqNode extends Span {
  type: 'seq'
  items: YamlNode[]
  flow: boolean
}

export type YamlNode = ScalarNode | MapNode | SeqNode

export interface SyntaxProblem extends Span {
  code: 'syntax' | 'tab' | 'alias' | 'too-deep' | 'too-large' | 'several-documents'
  detail: string
}

export interface RepeatedKey {
  path: string
  first: Span
  again: Span
}

/** One YAML text as a tree with positions. Nothing of the text is lost: the text itself stays the truth. */
export interface YamlSource {
  /** Name of the sibling file, or undefined for the recipe itself. */
  file: string | undefined
  text: string
  root: YamlNode | null
  problems: SyntaxProblem[]
  repeated: RepeatedKey[]
  positionOf(offset: number): { line: number; column: number }
}

/** Line starts of a text, for offset → line and column (both from 1). */
export class LineIndex {
  private readonly starts: number[] = [0]

  constructor(text: string) {
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
      this.starts.push(at + 1)
    }
  }

  positionOf(offset: number): { line: number; column: number } {
    let low = 0
    let high = this.starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.starts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    return { line: low + 1, column: offset - (this.starts[low] ?? 0) + 1 }
  }

  offsetOf(line: number, column: number): number {
    return (this.starts[Math.max(0, line - 1)] ?? 0) + Math.max(0, column - 1)
  }
}

/** The last entry with this key (the one that counts), or undefined. */
export function entryOf(node: YamlNode | null | undefined, key: string): MapEntry | undefined {
  if (node?.type !== 'map') return undefined
  for (let at = node.entries.length - 1; at >= 0; at -= 1) {
    if (node.entries[at]?.key === key) return node.entries[at]
  }
  return undefined
}

/** The written content: without a block scalar's `>-` line, and the alias itself where the value is one. */
export function contentSpan(text: string, node: YamlNode, entry: MapEntry | undefined): Span {
  const whole = entry?.valueSpan ?? { start: node.start, end: node.end }
  if (node.type !== 'scalar' || node.style !== 'block' || entry?.shared === true) return whole
  const header = text.indexOf('\n', whole.start)
  if (header === -1 || header >= whole.end) return whole
  let start = header + 1
  while (start < whole.end && /\s/.test(text.charAt(start))) start += 1
  let end = whole.end
  while (end > start && /\s/.test(text.charAt(end - 1))) end -= 1
  return { start, end }
}
