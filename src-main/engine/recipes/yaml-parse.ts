import {
  Composer,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  Parser,
  type Alias,
  type CST,
  type Document,
  type ParsedNode
} from 'yaml'
import { plainScalarKind, type YamlFlavour } from './py-scalar'
import {
  LineIndex,
  type MapEntry,
  type MapNode,
  type RepeatedKey,
  type ScalarNode,
  type Span,
  type SyntaxProblem,
  type YamlNode,
  type YamlSource
} from './yaml-tree'

/** More than any recipe is: a longer text is refused before it is read. UTF-16 code units. */
export const LARGEST_TEXT = 1_000_000
/** Fields, and items of lists in one line, that a text may write; a recipe has some hundred. */
const MOST_WRITTEN = 20_000
/** Levels of lists and maps. PyYAML itself gives up at some 300 (Python's recursion limit). */
const DEEPEST = 100
/** Values a text may stand for once its aliases are followed, beyond those it writes. */
const MOST_UNFOLDED = 200_000
/** Entries that `<<` may copy into other maps. */
const MOST_MERGED = 50_000

/**
 * Parses without ever throwing: what is wrong with the text comes back as problems. Aliases share nodes and are not
 * copied. A text that is too long, too deep or unfolds too far has no root, so that nobody walks it.
 */
export function parseYaml(written: string, flavour: YamlFlavour, file?: string): YamlSource {
  const text = oneLineBreak(written)
  const problems: SyntaxProblem[] = []
  const repeated: RepeatedKey[] = []
  const root = readRoot(text, flavour, problems, repeated)
  const lines = new LineIndex(text)
  return { file, text, root, problems, repeated, positionOf: (offset) => lines.positionOf(offset) }
}

/** A lone CR ends a line for PyYAML and not for the library; as LF every offset stays where it was. */
function oneLineBreak(text: string): string {
  return text.includes('\r') ? text.replace(/\r(?!\n)/g, '\n') : text
}

function readRoot(
  text: string,
  flavour: YamlFlavour,
  problems: SyntaxProblem[],
  repeated: RepeatedKey[]
): YamlNode | null {
  if (text.length > LARGEST_TEXT) {
    problems.push({ code: 'too-large', detail: String(text.length), start: 0, end: 0 })
    return null
  }
  try {
    const document = composed(text, problems)
    const contents = document?.contents ?? null
    if (contents === null) return null
    const builder = new TreeBuilder(flavour, problems, repeated)
    const root = builder.node(contents, '')
    return builder.bounded ? root : null
  } catch (thrown) {
    if (thrown instanceof BeyondBounds) {
      const { code, offset } = thrown
      problems.push({ code, detail: '', start: offset, end: offset })
      return null
    }
    // The library is not known to throw; if it does, the reason belongs to the person and not into a crash.
    const detail = thrown instanceof Error ? thrown.message : String(thrown)
    problems.push({ code: 'syntax', detail, start: 0, end: 0 })
    return null
  }
}

class BeyondBounds extends Error {
  constructor(
    readonly code: 'too-deep' | 'too-large',
    readonly offset: number
  ) {
    super(code)
  }
}

/**
 * Tokens of the text, ended at the first place that is nested too deeply or has too much before it. The composer that
 * takes them is recursive and would exhaust the stack (in a regular expression even the process), and it takes its time,
 * so both are bounded before it sees them.
 */
function* boundedTokens(text: string): Generator<CST.Token, void> {
  const parser = new Parser()
  let fields = 0
  let items = 0
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme)
    if (parser.stack.length > DEEPEST) throw new BeyondBounds('too-deep', parser.offset)
    if (lexeme === ':' || lexeme === '-') fields += 1
    else if (lexeme === ',') items += 1
    if (fields > MOST_WRITTEN || items > MOST_WRITTEN)
      throw new BeyondBounds('too-large', parser.offset)
  }
  yield* parser.end()
}

/** The first document of the text, as the library's own `parseDocument` would give it. */
function composed(text: string, problems: SyntaxProblem[]): Document.Parsed | null {
  const composer = new Composer({
    schema: 'failsafe',
    uniqueKeys: false,
    strict: false,
    prettyErrors: false,
    logLevel: 'error'
  })
  let first: Document.Parsed | null = null
  for (const document of composer.compose(boundedTokens(text), true, text.length)) {
    if (first === null) {
      first = document
      continue
    }
    const [start, end] = document.range
    problems.push({ code: 'several-documents', detail: '', start, end })
    break
  }
  for (const error of first?.errors ?? []) {
    const [start, end] = error.pos
    const code = problemCode(error.code, text, start)
    problems.push({ code, detail: error.message, start, end: Math.max(end, start) })
  }
  return first
}

function problemCode(code: string, text: string, offset: number): SyntaxProblem['code'] {
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1
  const indented = /^[ ]*\t/.test(text.slice(lineStart, lineStart + 80))
  return code === 'TAB_AS_INDENT' || indented ? 'tab' : 'syntax'
}

class TreeBuilder {
  private readonly anchors = new Map<string, YamlNode>()
  /** Names of anchors whose node is still being built: an alias to one contains itself. */
  private readonly open = new Set<string>()
  /** How many values a node stands for, aliases followed. */
  private readonly weights = new Map<YamlNode, number>()
  private merged = 0
  private exploded = false

  constructor(
    private readonly flavour: YamlFlavour,
    private readonly problems: SyntaxProblem[],
    private readonly repeated: RepeatedKey[]
  ) {}

  /** False once the aliases of the text stand for more than anybody can read. */
  get bounded(): boolean {
    return !this.exploded
  }

  node(source: ParsedNode | Alias | null, path: string): YamlNode {
    if (source === null) return emptyAt(0)
    const [start, end] = source.range ?? [0, 0]
    if (isAlias(source)) return this.alias(source, { start, end })
    const anchor = 'anchor' in source ? source.anchor : undefined
    if (anchor !== undefined) this.open.add(anchor)
    const built = this.build(source, path, start, end)
    this.weigh(built)
    if (anchor !== undefined) {
      this.open.delete(anchor)
      this.anchors.set(anchor, built)
    }
    return built
  }

  private alias(source: Alias, span: Span): YamlNode {
    const target = this.open.has(source.source) ? undefined : this.anchors.get(source.source)
    if (target !== undefined) return target
    const unknown = !this.open.has(source.source)
    const detail = unknown ? `*${source.source} names no anchor above it` : `*${source.source}`
    this.problems.push({ code: unknown ? 'syntax' : 'alias', detail, ...span })
    return emptyAt(span.start)
  }

  private weigh(node: YamlNode): void {
    const children =
      node.type === 'map'
        ? node.entries.map((entry) => entry.value)
        : node.type === 'seq'
          ? node.items
          : []
    let weight = 1
    for (const child of children) weight += this.weights.get(child) ?? 1
    this.weights.set(node, weight)
    if (weight > MOST_UNFOLDED) this.explode(node)
  }

  /** Said once, at the innermost node that stands for too much. */
  private explode(span: Span): void {
    if (this.exploded) return
    this.exploded = true
    this.problems.push({ code: 'alias', detail: '', start: span.start, end: span.start })
  }

  private merge(map: MapNode, value: YamlNode): void {
    const sources = value.type === 'seq' ? value.items : [value]
    const known = new Set(map.entries.map((entry) => entry.key))
    const inherited: MapEntry[] = []
    for (const source of sources) {
      if (source.type !== 'map' || this.exploded) continue
      for (const entry of source.entries) {
        this.merged += 1
        if (known.has(entry.key)) continue
        known.add(entry.key)
        inherited.push({ ...entry, shared: true })
      }
      if (this.merged > MOST_MERGED) this.explode(map)
    }
    map.entries = [...inherited, ...map.entries]
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
        if (key.text === '<<' && key.plain) this.merge(map, value)
        // PyYAML lets the last of several equal keys win.
        else map.entries.push(this.entry(key, pair.value, value))
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
