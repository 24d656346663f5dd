import { isAlias, isMap, isScalar, isSeq, parseDocument, type Alias, type ParsedNode } from 'yaml'
import { plainScalarKind, type ScalarKind, type YamlFlavour } from './py-scalar'

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
  code: 'syntax' | 'tab' | 'recursive-alias' | 'too-deep' | 'several-documents'
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

/** Parses without ever throwing: what is wrong with the text comes back as problems. Aliases share nodes and are not copied. */
export function parseYaml(text: string, flavour: YamlFlavour, file?: string): YamlSource {
  const problems: SyntaxProblem[] = []
  const repeated: RepeatedKey[] = []
  let root: YamlNode | null = null
  try {
    const document = parseDocument(text, {
      schema: 'failsafe',
      uniqueKeys: false,
      strict: false,
      prettyErrors: false,
      logLevel: 'error'
    })
    for (const error of document.errors) {
      problems.push({
        code: problemCode(error.code, text, error.pos[0]),
        detail: error.message,
        start: error.pos[0],
        end: Math.max(error.pos[1], error.pos[0])
      })
    }
    if (document.contents !== null) {
      root = new TreeBuilder(flavour, problems, repeated).node(document.contents, '')
    }
  } catch (thrown) {
    // The composer is recursive, so absurd nesting ends in a RangeError; everything else is a fault worth showing too.
    const detail = thrown instanceof Error ? thrown.message : String(thrown)
    problems.push({ code: 'too-deep', detail, start: 0, end: 0 })
  }
  const lines = new LineIndex(text)
  return { file, text, root, problems, repeated, positionOf: (offset) => lines.positionOf(offset) }
}

function problemCode(code: string, text: string, offset: number): SyntaxProblem['code'] {
  if (code === 'MULTIPLE_DOCS') return 'several-documents'
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1
  const indented = /^[ ]*\t/.test(text.slice(lineStart, lineStart + 80))
  return code === 'TAB_AS_INDENT' || indented ? 'tab' : 'syntax'
}

class TreeBuilder {
  private readonly anchors = new Map<string, YamlNode>()

  constructor(
    private readonly flavour: YamlFlavour,
    private readonly problems: SyntaxProblem[],
    private readonly repeated: RepeatedKey[]
  ) {}

  node(source: ParsedNode | Alias | null, path: string): YamlNode {
    if (source === null) return emptyAt(0)
    const [start, end] = source.range ?? [0, 0]
    if (isAlias(source)) return this.alias(source, { start, end })
    const built = this.build(source, path, start, end)
    const anchor = 'anchor' in source ? source.anchor : undefined
    if (anchor !== undefined) this.anchors.set(anchor, built)
    return built
  }

  private alias(source: Alias, span: Span): YamlNode {
    const target = this.anchors.get(source.source)
    if (target !== undefined) return target
    this.problems.push({ code: 'recursive-alias', detail: `*${source.source}`, ...span })
    return emptyAt(span.start)
  }

  private build(source: ParsedNode, path: string, start: number, end: number): YamlNode {
    if (isMap(source)) {
      const map: MapNode = { type: 'map', entries: [], flow: source.flow === true, start, end }
      const seen = new Map<string, Span>()
      for (const pair of source.items) {
        const key = this.entryKey(pair.key)
        const child = path === '' ? key.text : `${path}.${key.text}`
        const before = seen.get(key.text)
        if (before !== undefined && key.text !== '<<') {
          this.repeated.push({ path: child, first: before, again: key.span })
        }
        seen.set(key.text, key.span)
        const value = pair.value === null ? emptyAt(key.span.end) : this.node(pair.value, child)
        if (key.text === '<<' && key.plain) mergeInto(map, value)
        else putEntry(map, this.entry(key, pair.value, value))
      }
      return map
    }
    if (isSeq(source)) {
      const items = source.items.map((item, index) =>
        this.node(isParsed(item) ? item : null, `${path}[${index}]`)
      )
      return { type: 'seq', items, flow: source.flow === true, start, end }
    }
    return this.scalar(source, start, end)
  }

  private entryKey(key: unknown): { text: string; span: Span; plain: boolean } {
    if (isScalar(key)) {
      const [start, end] = key.range ?? [0, 0]
      return { text: String(key.value), span: { start, end }, plain: key.type === 'PLAIN' }
    }
    const range: readonly number[] = isMap(key) || isSeq(key) ? (key.range ?? []) : []
    const span = { start: range[0] ?? 0, end: range[1] ?? 0 }
    return { text: '(complex key)', span, plain: false }
  }

  private entry(
    key: { text: string; span: Span },
    source: ParsedNode | null,
    value: YamlNode
  ): MapEntry {
    const range = source?.range
    const shared = source !== null && isAlias(source)
    const valueSpan =
      range === undefined || range === null
        ? { start: value.start, end: value.end }
        : { start: range[0], end: range[1] }
    return { key: key.text, keySpan: key.span, valueSpan, value, shared }
  }

  private scalar(source: ParsedNode, start: number, end: number): ScalarNode {
    // The failsafe schema makes text of every scalar.
    const text = isScalar(source) && typeof source.value === 'string' ? source.value : ''
    const type = isScalar(source) ? source.type : undefined
    const style =
      type === 'QUOTE_DOUBLE'
        ? 'double'
        : type === 'QUOTE_SINGLE'
          ? 'single'
          : type === 'BLOCK_FOLDED' || type === 'BLOCK_LITERAL'
            ? 'block'
            : 'plain'
    const kind = style === 'plain' ? plainScalarKind(text, this.flavour) : 'string'
    return { type: 'scalar', text, kind, style, start, end }
  }
}

function isParsed(item: unknown): item is ParsedNode {
  return isScalar(item) || isMap(item) || isSeq(item) || isAlias(item)
}

function emptyAt(offset: number): ScalarNode {
  return { type: 'scalar', text: '', kind: 'null', style: 'plain', start: offset, end: offset }
}

/** PyYAML lets the last of several equal keys win. */
function putEntry(map: MapNode, entry: MapEntry): void {
  map.entries.push(entry)
}

function mergeInto(map: MapNode, value: YamlNode): void {
  const sources = value.type === 'seq' ? value.items : [value]
  for (const source of sources) {
    if (source.type !== 'map') continue
    const inherited = source.entries.map((entry) => ({ ...entry, shared: true }))
    map.entries.unshift(...inherited)
  }
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
