import type { Fix, TextEdit } from '../../contract/recipes'
import type { Text } from '../../contract/text'
import { canonical } from './fields'
import { flowText } from './flow-text'
import { lastPart, type ReefRecipe } from './reef-recipe'
import { plainScalarKind } from './py-scalar'
import type { Value } from './value'
import { yamlMarks } from './yaml-marks'
import {
  entryOf,
  type MapEntry,
  type MapNode,
  type Span,
  type YamlNode,
  type YamlSource
} from './yaml-tree'

/** Applies edits made against the same text; overlapping ones are a programming error and refused. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  const sorted = [...edits].sort((a, b) => a.start - b.start || a.end - b.end)
  let result = ''
  let at = 0
  for (const edit of sorted) {
    if (edit.start < at || edit.end < edit.start || edit.end > text.length) {
      throw new RangeError(`overlapping or invalid edit at ${edit.start}`)
    }
    result += text.slice(at, edit.start) + edit.text
    at = edit.end
  }
  return result + text.slice(at)
}

/** Follows `"${a.b}"` to the field that really holds the text. */
export function literalOf(recipe: ReefRecipe, value: Value): Value {
  let current = value
  for (let hop = 0; hop < 20; hop += 1) {
    const path = /^\$\{([A-Za-z_][\w-]*(?:\.[\w-]+)+)\}$/.exec(current.raw.trim())?.[1]
    const next = path === undefined ? undefined : recipe.fieldValue(path)
    if (next === undefined) return current
    current = next
  }
  return current
}

/** Replaces a value where it is written, keeping its quoting; null where that cannot be done safely. */
export function setValue(recipe: ReefRecipe, value: Value, text: string): TextEdit[] | null {
  const target = literalOf(recipe, value)
  if (!target.editable || target.source !== recipe.source) return null
  if (target.raw.includes('${') || target.kind === 'map' || target.kind === 'list') return null
  const written = recipe.source.text.slice(target.span.start, target.span.end)
  const quote = written.charAt(0)
  const quoted = quote === '"' || quote === "'" ? `${quote}${text}${quote}` : text
  const needsBlank = target.span.start === target.span.end
  const inserted = needsBlank ? ` ${quoted}` : quoted
  return [{ start: target.span.start, end: target.span.end, text: inserted }]
}

/** Sets a field of the file, adding it (and the sections above it) when it is absent. */
export function setField(recipe: ReefRecipe, path: string, text: string): TextEdit[] | null {
  const existing = recipe.fieldValue(path)
  if (existing !== undefined) return setValue(recipe, existing, text)
  return addField(recipe.source, path, quoteIfNeeded(text))
}

/** Sets a trainer flag in `training.options`, or in the folded flags of an unversioned stack. */
export function setFlag(recipe: ReefRecipe, name: string, text: string): TextEdit[] | null {
  const existing = recipe.flag(name)
  if (existing !== undefined) return setValue(recipe, existing, text)
  if (recipe.versioned) {
    const written = text === 'true' ? 'true' : `"${text}"`
    const off = recipe.fieldValue(`training.options.${name}`)
    if (off !== undefined) return setValue(recipe, off, text)
    return addField(recipe.source, `training.options.${name}`, written)
  }
  const home = recipe.fieldValue('training.slime_flags')
  if (home?.node?.type !== 'scalar' || home.node.style !== 'block') return null
  const word = text === 'true' ? ` --${name}` : ` --${name}=${text}`
  return [{ start: home.span.end, end: home.span.end, text: word }]
}

/** Removes the whole entry; null where it shares a line with others, or others read it where it stands. */
export function removeField(recipe: ReefRecipe, value: Value): TextEdit[] | null {
  return removeEntry(recipe.source, value.path)
}

export function removeEntry(source: YamlSource, path: string): TextEdit[] | null {
  const found = locate(source, path)
  if (found === undefined || found.parent.flow || found.elsewhere) return null
  const text = source.text
  const lineStart = text.lastIndexOf('\n', found.entry.keySpan.start - 1) + 1
  if (text.slice(lineStart, found.entry.keySpan.start).trim() !== '') return null
  const end = lineEnd(text, contentEnd(text, found.entry))
  const range = { start: lineStart, end: end + (text.startsWith('\r\n', end) ? 2 : 1) }
  if (range.end > text.length) range.end = text.length
  const handed = handOver(source, found.entry, range)
  return handed === null ? null : [{ ...range, text: '' }, ...handed]
}

/**
 * Anchors that go with a removed piece and are named behind it: the first alias takes over value and anchor. Null where
 * that cannot be done, since an alias without its anchor makes the whole file unreadable.
 */
function handOver({ text }: YamlSource, entry: MapEntry, range: Span): TextEdit[] | null {
  if (!text.slice(range.start, range.end).includes('&')) return []
  const marks = yamlMarks(text)
  const edits: TextEdit[] = []
  for (const anchor of marks) {
    if (anchor.kind !== 'anchor' || anchor.start < range.start || anchor.end > range.end) continue
    const next = marks.find((one) => one.start >= range.end && one.name === anchor.name)
    if (next === undefined || next.kind === 'anchor') continue
    const own = anchor.start >= entry.keySpan.end && entry.value.type === 'scalar'
    if (!own) return null
    const { start, end } = next
    edits.push({ start, end, text: `&${anchor.name} ${flowText(entry.value)}` })
  }
  return edits
}

/** Moves a field to another path of the file, with the comment behind it; null where either end cannot be edited. */
export function moveField(recipe: ReefRecipe, value: Value, path: string): TextEdit[] | null {
  const { source } = recipe
  const found = locate(source, value.path)
  const removal = removeField(recipe, value)
  if (found === undefined || removal === null || value.kind === 'map' || value.kind === 'list')
    return null
  if (recipe.fieldValue(path) !== undefined) return null
  const { text } = source
  const { entry } = found
  // A tag would be left behind.
  if (text.slice(entry.keySpan.end, entry.valueSpan.start).includes('!')) return null
  const end = contentEnd(text, entry)
  const comment = text.slice(end, lineEnd(text, end)).trim()
  const written = movable(text, entry)
  const added = addField(source, path, comment === '' ? written : `${written} ${comment}`)
  return added === null ? null : together(text, removal, added)
}

/** A scalar on one line; an alias is written out, as the new place may stand before the anchor. */
function movable(text: string, { value, valueSpan, shared }: MapEntry): string {
  const own = text.slice(valueSpan.start, valueSpan.end)
  const block = value.type === 'scalar' && value.style === 'block'
  return shared || block || own.includes('\n') ? flowText(value) : own
}

/** What is added right behind a removed line would fall into that line: it takes its place instead. */
function together(text: string, removal: readonly TextEdit[], added: TextEdit[]): TextEdit[] {
  const edits: TextEdit[] = []
  const left = [...added]
  for (const gone of removal) {
    const at = left.findIndex((one) => one.start > gone.start && one.start < gone.end)
    const [inside] = at === -1 ? [] : left.splice(at, 1)
    if (inside === undefined) edits.push(gone)
    else {
      const line = lineBreak(text)
      const ended = text.slice(gone.start, gone.end).endsWith('\n')
      const body = inside.text.slice(line.length)
      edits.push({ ...gone, text: ended ? `${body}${line}` : body })
    }
  }
  return [...edits, ...left]
}

export function renameKey(value: Value, key: string): TextEdit[] {
  return [{ start: value.keySpan.start, end: value.keySpan.end, text: key }]
}

/** Adds `path: text` below the deepest map that exists, in the file's own indentation. */
export function addField(source: YamlSource, path: string, text: string): TextEdit[] | null {
  const root = source.root
  if (root?.type !== 'map' || root.flow) return null
  const parts = path.split('.')
  let map: MapNode = root
  let depth = 0
  let holder: MapEntry | undefined
  for (; depth < parts.length - 1; depth += 1) {
    const entry = entryLike(map, parts[depth] ?? '')
    if (entry === undefined) break
    if (entry.shared) return null
    holder = entry
    if (entry.value.type !== 'map') {
      return isEmpty(entry.value) ? intoEmpty(source, entry, parts.slice(depth + 1), text) : null
    }
    map = entry.value
  }
  if (map.flow) {
    return depth === parts.length - 1
      ? intoFlow(source.text, map, `${lastPart(path)}: ${text}`)
      : null
  }
  const last = map.entries.filter((entry) => !entry.shared).at(-1)
  if (last === undefined) {
    return holder === undefined ? null : intoEmpty(source, holder, parts.slice(depth), text)
  }
  const at = lineEnd(source.text, contentEnd(source.text, last))
  const indent = source.positionOf(last.keySpan.start).column - 1
  const rest = parts.slice(depth).map((part) => spelledLike(map, part))
  const line = lineBreak(source.text)
  return [{ start: at, end: at, text: `${line}${nested(rest, text, indent, line)}` }]
}

function intoEmpty(
  source: YamlSource,
  holder: MapEntry,
  parts: readonly string[],
  text: string
): TextEdit[] {
  const indent = source.positionOf(holder.keySpan.start).column + 1
  const written = source.text.slice(holder.valueSpan.start, holder.valueSpan.end)
  const line = lineBreak(source.text)
  const added = `${line}${nested(parts, text, indent, line)}`
  if (written.includes('{') || written.trim() !== '') {
    return [{ ...holder.valueSpan, text: added }]
  }
  const at = lineEnd(source.text, holder.keySpan.end)
  return [{ start: at, end: at, text: added }]
}

function intoFlow(text: string, map: MapNode, entry: string): TextEdit[] {
  const close = text.lastIndexOf('}', map.end)
  const comma = map.entries.length === 0 ? '' : ', '
  return [{ start: close, end: close, text: `${comma}${entry}` }]
}

function nested(parts: readonly string[], text: string, indent: number, line: string): string {
  return parts
    .map((part, index) => {
      const lead = ' '.repeat(indent + index * 2)
      return index === parts.length - 1 ? `${lead}${part}: ${text}` : `${lead}${part}:`
    })
    .join(line)
}

/** The line break of a file, so that one edit does not leave it with two kinds. */
function lineBreak(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n'
}

function spelledLike(map: MapNode, part: string): string {
  const keys = map.entries.map((entry) => entry.key)
  const underscores =
    keys.some((key) => key.includes('_')) && !keys.some((key) => key.includes('-'))
  return underscores ? part.replaceAll('-', '_') : part
}

function isEmpty(node: YamlNode): boolean {
  return node.type === 'scalar' && node.kind === 'null'
}

function entryLike(map: MapNode, key: string): MapEntry | undefined {
  return entryOf(map, key) ?? map.entries.find((entry) => canonical(entry.key) === canonical(key))
}

interface Located {
  entry: MapEntry
  parent: MapNode
  /** The entry is written in another place (behind an alias or a `<<` merge) and not only its own. */
  elsewhere: boolean
}

/** The entry at a path of the file, either spelling of each part. */
export function locate(source: YamlSource, path: string): Located | undefined {
  let node: YamlNode | null = source.root
  let found: Located | undefined
  for (const part of path.split('.')) {
    if (node?.type !== 'map') return undefined
    const entry = entryLike(node, part)
    if (entry === undefined) return undefined
    const merged = entry.shared && source.text.charAt(entry.valueSpan.start) !== '*'
    const outside = entry.keySpan.start < node.start || entry.keySpan.start > node.end
    const behind = found !== undefined && (found.elsewhere || found.entry.shared)
    found = { entry, parent: node, elsewhere: merged || outside || behind }
    node = entry.value
  }
  return found
}

/** Offset just behind the entry's last written character, comments not counted. */
export function contentEnd(text: string, entry: MapEntry): number {
  let end = Math.max(entry.valueSpan.end, entry.keySpan.end)
  while (end > entry.keySpan.end && /\s/.test(text.charAt(end - 1))) end -= 1
  return end
}

export function lineEnd(text: string, offset: number): number {
  const at = text.indexOf('\n', offset)
  const end = at === -1 ? text.length : at
  return end > offset && text.charAt(end - 1) === '\r' ? end - 1 : end
}

/** A scalar as YAML text: bare where both readers agree on it, quoted otherwise. */
export function quoteIfNeeded(text: string): string {
  const plain = /^[A-Za-z0-9_./~-][\w./~:@+-]*$/.test(text) && !text.endsWith(':')
  if (plain && plainScalarKind(text, 'pyyaml') !== 'null') return text
  return JSON.stringify(text)
}

/** A fix, or undefined when one of its parts could not be made. */
export function fixOf(title: Text, ...parts: (TextEdit[] | null)[]): Fix | undefined {
  const edits: TextEdit[] = []
  for (const part of parts) {
    if (part === null) return undefined
    addEdits(edits, part)
  }
  return edits.length === 0 ? undefined : { title, edits }
}

/** Adds edits to a list: equal ones count once, insertions at one offset become one. */
export function addEdits(edits: TextEdit[], more: readonly TextEdit[]): void {
  for (const edit of more) {
    const same = edits.find((one) => one.start === edit.start && one.end === edit.end)
    if (same === undefined) edits.push({ ...edit })
    else if (edit.start === edit.end && !same.text.includes(edit.text)) same.text += edit.text
  }
}
