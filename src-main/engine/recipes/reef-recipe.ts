import type { Dialect, Generation, Origin } from '../../contract/recipes'
import type { Override } from '../../contract/launch'
import { expand, ExpansionBudget, type Expansion, type ExpansionProblem } from './expand'
import { familyOf, type Family } from './families'
import { canonical, fieldFact } from './fields'
import { flagName } from './flags'
import { legacyHome } from './legacy-map'
import { misspeltSections } from './near-names'
import { boolOf, numberOf, plainScalarKind } from './py-scalar'
import { readServices, type Service } from './services'
import type { Value } from './value'
import { parseYaml } from './yaml-parse'
import { contentSpan, type MapEntry, type Span, type YamlNode, type YamlSource } from './yaml-tree'

/** More fields than any recipe has; a text that shares nodes through aliases could otherwise unfold without end. */
const MOST_FIELDS = 20_000

interface Slot {
  path: string
  node: YamlNode
  entry: MapEntry | undefined
  override: string | undefined
  value?: Value
}

export interface ReefInput {
  source: YamlSource
  dialect: Extract<Dialect, 'reef-unversioned' | 'reef-v2'>
  generation: Generation
  environment: Readonly<Record<string, string | undefined>>
  overrides: readonly Override[]
}

export type Trainer = 'slime' | 'tinker' | 'practice' | 'other' | 'none'

/**
 * A Reef recipe of either layout, read in the vocabulary of `schema-version: 2`: rules and facts ask for
 * `inference.num-gpus` and get the flag of an unversioned stack just as well.
 */
export class ReefRecipe {
  readonly source: YamlSource
  readonly dialect: ReefInput['dialect']
  readonly generation: Generation
  readonly environment: ReefInput['environment']
  readonly services: readonly Service[]
  readonly family: Family | null
  readonly trainer: Trainer
  /**
   * Sections whose name is written wrong, and what was meant: their fields are read as if it said that, so that nobody is
   * told to add what is there.
   */
  readonly misspelt: ReadonlyMap<string, string>
  /** True when the text unfolds into more fields than we are ready to read. */
  readonly tooManyFields: boolean

  private readonly slots = new Map<string, Slot>()
  /** Where fields are found that an override alone has, by where the map is found they are in. */
  private readonly added = new Map<string, string[]>()
  private readonly expansions = new Map<string, Expansion | 'loop'>()
  private readonly flagValues: Map<string, Value>
  private readonly budget = new ExpansionBudget()
  private readonly problems = new Map<Value, readonly ExpansionProblem[]>()

  constructor(input: ReefInput) {
    this.source = input.source
    this.dialect = input.dialect
    this.generation = input.generation
    this.environment = input.environment
    this.misspelt = this.versioned
      ? misspeltSections(this.source.root, this.generation)
      : new Map<string, string>()
    this.tooManyFields = !this.index()
    for (const override of input.overrides) this.applyOverride(override)
    this.services = input.dialect === 'reef-unversioned' ? readServices(this.source, this) : []
    this.flagValues = this.collectFlags()
    this.family = familyOf(this.text('recipe.implementation') ?? 'recipe')
    this.trainer = this.trainerKind()
  }

  get practice(): boolean {
    return this.trainer === 'practice'
  }

  get versioned(): boolean {
    return this.dialect === 'reef-v2'
  }

  /** The field at a version 2 path, in either layout; undefined when absent. A null or empty value is still a Value. */
  value(path: string): Value | undefined {
    const wanted = canonical(path)
    if (this.versioned) return this.fieldValue(wanted)
    const home = legacyHome(wanted)
    if (home === undefined) return undefined
    return home.kind === 'field' ? this.fieldValue(home.path) : this.flagValues.get(home.flag)
  }

  /** The field at a path of the file itself. */
  fieldValue(path: string): Value | undefined {
    const slot = this.slots.get(this.placeOf(path))
    return slot === undefined ? undefined : this.valueOf(slot)
  }

  /** As `value`, but null and empty count as omitted, as they do for service fields. */
  given(path: string): Value | undefined {
    const value = this.value(path)
    return value === undefined || value.kind === 'null' || value.text.trim() === ''
      ? undefined
      : value
  }

  text(path: string): string | undefined {
    return this.given(path)?.text
  }

  number(path: string): number | undefined {
    const value = this.given(path)
    return value === undefined ? undefined : numberIn(value)
  }

  /** The number, or the declared default when the field is omitted; undefined when it is written but is no number. */
  numberOrDefault(path: string): number | undefined {
    const value = this.given(path)
    if (value !== undefined) return numberIn(value)
    const fallback = fieldFact(path)?.default
    return fallback === undefined || fallback === null ? undefined : numberOf(fallback)
  }

  bool(path: string): boolean | undefined {
    const value = this.given(path)
    return value === undefined ? undefined : boolOf(value.text)
  }

  /** A trainer flag; undefined when absent or switched off (false, null). */
  flag(name: string): Value | undefined {
    return this.flagValues.get(name)
  }

  flagNumber(name: string): number | undefined {
    const value = this.flagValues.get(name)
    return value === undefined ? undefined : numberIn(value)
  }

  flagText(name: string): string | undefined {
    return this.flagValues.get(name)?.text
  }

  flags(): IterableIterator<[string, Value]> {
    return this.flagValues.entries()
  }

  /** Every field of the file, maps included, in the order written. */
  *fields(): Generator<Value> {
    for (const slot of this.slots.values()) yield this.valueOf(slot)
  }

  /** Direct children of a map, as written, and then those that overrides add. */
  children(path: string): Value[] {
    const node = path === '' ? this.source.root : this.slots.get(canonical(path))?.node
    const places = (node?.type === 'map' ? node.entries : []).map((entry) => {
      const key = path === '' ? (this.misspelt.get(entry.key) ?? entry.key) : entry.key
      return canonical(path === '' ? key : `${path}.${key}`)
    })
    return [...places, ...(this.added.get(canonical(path)) ?? [])].flatMap((place) => {
      const child = this.slots.get(place)
      return child === undefined ? [] : [this.valueOf(child)]
    })
  }

  expandText(raw: string): Expansion {
    return expand(raw, {
      environment: (name) => this.environment[name],
      reference: (path) => this.referenceExpansion(path)
    })
  }

  problemsOf(value: Value): readonly ExpansionProblem[] {
    let known = this.problems.get(value)
    if (known === undefined) {
      known = this.expandText(value.raw).problems
      this.problems.set(value, known)
    }
    return known
  }

  private index(): boolean {
    const root = this.source.root
    if (root?.type !== 'map') return true
    let left = MOST_FIELDS
    // Where a field is found (`meant`) and how it is written are two only below a misspelt section.
    const visit = (node: YamlNode, prefix: string, meant: string): boolean => {
      if (node.type !== 'map') return true
      for (const entry of node.entries) {
        left -= 1
        if (left < 0) return false
        const path = prefix === '' ? entry.key : `${prefix}.${entry.key}`
        const key = prefix === '' ? (this.misspelt.get(entry.key) ?? entry.key) : entry.key
        const place = meant === '' ? key : `${meant}.${key}`
        this.slots.set(canonical(place), { path, node: entry.value, entry, override: undefined })
        if (!visit(entry.value, path, place)) return false
      }
      return true
    }
    return visit(root, '', '')
  }

  private applyOverride(override: Override): void {
    const wanted = canonical(override.path)
    const home = this.versioned ? undefined : legacyHome(wanted)
    const path = home?.kind === 'field' ? home.path : wanted
    const before = this.slots.get(path)
    const { start, end } = before?.node ?? NOWHERE
    if (before === undefined) this.addBelow(path, override.path)
    this.slots.set(path, {
      path: before?.path ?? override.path,
      node: overrideNode(override.value, { start, end }),
      entry: before?.entry,
      override: override.value
    })
  }

  /** Makes a field known to the map it is in, and that map to its own where no text has it. */
  private addBelow(place: string, written: string): void {
    const dot = place.lastIndexOf('.')
    const parent = place.slice(0, Math.max(0, dot))
    this.added.set(parent, [...(this.added.get(parent) ?? []), place])
    if (parent === '' || this.slots.has(parent)) return
    const path = written.slice(0, written.lastIndexOf('.'))
    this.addBelow(parent, path)
    const node: YamlNode = { type: 'map', entries: [], flow: false, ...NOWHERE }
    this.slots.set(parent, { path, node, entry: undefined, override: '' })
  }

  private referenceExpansion(path: string): Expansion | 'unknown' | 'loop' {
    const key = canonical(path)
    if (key.startsWith('endpoints.')) {
      const service = this.services.find((one) => canonical(one.name) === key.slice(10))
      const text = service?.endpoint?.replace('{host}', '127.0.0.1')
      return text === undefined ? 'unknown' : this.expandText(text)
    }
    const slot = this.slots.get(key)
    if (slot === undefined) {
      const fallback = this.versioned ? fieldFact(key)?.default : undefined
      if (fallback === undefined || fallback === null) return 'unknown'
      return { text: fallback, environment: [], references: [], problems: [] }
    }
    return this.slotExpansion(key, slot)
  }

  private slotExpansion(key: string, slot: Slot): Expansion | 'loop' {
    const done = this.expansions.get(key)
    if (done !== undefined) return done
    this.expansions.set(key, 'loop')
    const raw = rawText(slot.node)
    const result = this.budget.step(() => this.expandText(raw)) ?? tooLong(key)
    this.expansions.set(key, result)
    return result
  }

  private valueOf(slot: Slot): Value {
    slot.value ??= this.makeValue(slot)
    return slot.value
  }

  private makeValue(slot: Slot): Value {
    const found = this.slotExpansion(this.placeOf(slot.path), slot)
    const raw = rawText(slot.node)
    const expansion =
      found === 'loop' ? { text: raw, environment: [], references: [], problems: [] } : found
    const span = contentSpan(this.source.text, slot.node, slot.entry)
    const value: Value = {
      path: slot.path,
      text: slot.node.type === 'scalar' && slot.node.kind === 'null' ? '' : expansion.text,
      raw,
      kind: kindOf(slot.node),
      origin: this.originOf(slot, expansion, span),
      source: this.source,
      keySpan: slot.entry?.keySpan ?? span,
      span,
      node: slot.node,
      editable: slot.override === undefined && slot.entry?.shared === false,
      missing: missingNames(expansion),
      references: expansion.references,
      ...(slot.override !== undefined && slot.entry === undefined ? { unwritten: true } : {})
    }
    // Asked again, a loop would look closed: it is seen only by the one who ran into it.
    if (found !== 'loop') this.problems.set(value, found.problems)
    return value
  }

  /** Where a path as written is found. */
  private placeOf(path: string): string {
    if (this.misspelt.size === 0) return canonical(path)
    const [section = '', ...rest] = path.split('.')
    const meant = this.misspelt.get(section)
    return canonical(meant === undefined ? path : [meant, ...rest].join('.'))
  }

  private originOf(slot: Slot, expansion: Expansion, span: Span): Origin {
    if (slot.override !== undefined) return { kind: 'override' }
    if (expansion.references.length > 0) return { kind: 'derived', from: expansion.references }
    const use = expansion.environment[0]
    if (use !== undefined) return { kind: 'environment', name: use.name, set: use.set }
    return {
      kind: 'file',
      file: this.source.file ?? '',
      line: this.source.positionOf(span.start).line
    }
  }

  private collectFlags(): Map<string, Value> {
    const found = new Map<string, Value>()
    if (this.versioned) {
      for (const option of this.children('training.options')) {
        const off =
          option.kind === 'null' || (option.kind === 'bool' && boolOf(option.text) === false)
        if (!off) found.set(flagName(lastPart(option.path)), option)
      }
      return found
    }
    for (const service of this.services) {
      if (service.role !== 'driver') continue
      for (const use of service.flags) found.set(flagName(use.name), use.value)
    }
    return found
  }

  private trainerKind(): Trainer {
    if (!this.versioned)
      return this.services.some((one) => one.role === 'driver') ? 'slime' : 'none'
    if (this.family?.trains === 'nothing' || this.family?.trains === 'harness') return 'none'
    const backend = this.text('training.backend')
    if (backend === undefined) {
      const asked = this.family !== null || this.slots.has('training')
      return asked ? 'slime' : 'none'
    }
    if (backend === 'slime' || backend === 'tinker' || backend === 'practice') return backend
    return 'other'
  }
}

/** A list of one number is no number. */
function numberIn({ kind, text }: Value): number | undefined {
  return kind === 'list' || kind === 'map' ? undefined : numberOf(text)
}

const NOWHERE: Span = { start: 0, end: 0 }

/** The value of an override, which Reef reads as YAML (`docs/reference/configuration.rst`), as if it stood at `span`. */
function overrideNode(text: string, span: Span): YamlNode {
  const { root, problems } = parseYaml(text, 'pyyaml')
  const plain: YamlNode = {
    type: 'scalar',
    text,
    style: 'plain',
    kind: plainScalarKind(text, 'pyyaml'),
    ...span
  }
  return root === null || problems.length > 0 ? plain : moved(root, span)
}

function moved(node: YamlNode, span: Span): YamlNode {
  switch (node.type) {
    case 'scalar':
      // A block would be looked for in the recipe's own text.
      return { ...node, ...span, style: node.style === 'block' ? 'plain' : node.style }
    case 'seq':
      return { ...node, ...span, items: node.items.map((item) => moved(item, span)) }
    case 'map':
      return { ...node, ...span, entries: [] }
  }
}

export function lastPart(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1)
}

function tooLong(name: string): Expansion {
  return { text: '', environment: [], references: [], problems: [{ kind: 'too-long', name }] }
}

function missingNames(expansion: Expansion): string[] {
  return expansion.environment.filter((use) => use.set !== 'set').map((use) => use.name)
}

function kindOf(node: YamlNode): Value['kind'] {
  switch (node.type) {
    case 'map':
      return 'map'
    case 'seq':
      return 'list'
    case 'scalar':
      return node.kind
  }
}

function rawText(node: YamlNode): string {
  if (node.type === 'scalar') return node.text.trimEnd()
  if (node.type === 'map') return ''
  return node.items.map((item) => (item.type === 'scalar' ? item.text : '')).join(' ')
}
