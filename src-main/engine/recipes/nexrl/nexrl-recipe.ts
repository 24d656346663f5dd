import type { Override } from '../../../contract/launch'
import type { Origin } from '../../../contract/recipes'
import { ExpansionBudget } from '../expand'
import { boolOf, numberOf, plainScalarKind } from '../py-scalar'
import type { Place, Value } from '../value'
import { parseYaml } from '../yaml-parse'
import { entryOf, type MapEntry, type YamlNode, type YamlSource } from '../yaml-tree'

const MOST_FIELDS = 20_000
const LONGEST = 65_536

interface Slot {
  path: string
  node: YamlNode
  entry: MapEntry | undefined
  source: YamlSource
  override: boolean
  value?: Value
}

interface Resolved {
  text: string
  environment: { name: string; set: 'set' | 'empty' | 'missing' }[]
  references: string[]
  problems: NexrlProblem[]
}

export type NexrlProblem =
  | { kind: 'unknown-reference'; name: string }
  | { kind: 'loop'; name: string }
  | { kind: 'missing-variable'; name: string }
  | { kind: 'too-long'; name: string }

export interface NexrlInput {
  source: YamlSource
  /** File name of the recipe itself: what `defaults` would call it. */
  name: string
  /** Texts of the other files of the folder, by name. */
  siblings: Readonly<Record<string, string>>
  environment: Readonly<Record<string, string | undefined>>
  overrides: readonly Override[]
  /** Texts of Python files the recipe names, by the path written; null: not there. Absent: not looked for. */
  modules?: Readonly<Record<string, string | null>>
}

const REFERENCE = /\$\{(?:oc\.env:([A-Za-z_]\w*)(?:,([^}]{0,400}))?|([\w.[\]-]+))\}/g

/** A NexRL recipe composed as Hydra does: files named in `defaults` in order, later ones deep-merged over earlier ones. */
export class NexrlRecipe {
  readonly source: YamlSource
  readonly siblings: NexrlInput['siblings']
  readonly environment: NexrlInput['environment']
  readonly modules: Readonly<Record<string, string | null>>
  /** Names in `defaults` for which there is no file beside the recipe. */
  readonly missingDefaults: Place[] = []
  /** Entries of `defaults` that name the recipe itself. */
  readonly ownDefaults: Place[] = []
  /** True where `_self_` does not come last, so that a base file overrides the recipe. */
  readonly selfNotLast: boolean
  tooManyFields = false

  /** The files beside the recipe that its `defaults` name, as read. */
  readonly beside: readonly YamlSource[]

  private readonly slots = new Map<string, Slot>()
  private readonly resolutions = new Map<string, Resolved | 'loop'>()
  private readonly budget = new ExpansionBudget()
  private left = MOST_FIELDS

  constructor(input: NexrlInput) {
    this.source = input.source
    this.siblings = input.siblings
    this.environment = input.environment
    this.modules = input.modules ?? {}
    const order = this.compositionOrder(input.name)
    this.beside = order.filter((source) => source !== this.source)
    this.selfNotLast = order.indexOf(this.source) !== order.length - 1
    for (const source of order) {
      if (source.root?.type === 'map') this.merge(source, source.root, '')
    }
    for (const override of input.overrides) this.applyOverride(override)
  }

  value(path: string): Value | undefined {
    const slot = this.slots.get(path)
    if (slot === undefined) return undefined
    slot.value ??= this.makeValue(slot)
    return slot.value
  }

  /** As `value`, but null and empty text count as absent. */
  given(path: string): Value | undefined {
    const value = this.value(path)
    return value === undefined ||
      value.kind === 'null' ||
      (value.kind !== 'map' && value.text === '')
      ? undefined
      : value
  }

  text(path: string): string | undefined {
    return this.given(path)?.text
  }

  number(path: string): number | undefined {
    const value = this.given(path)
    return value === undefined ? undefined : numberOf(value.text)
  }

  bool(path: string): boolean | undefined {
    const value = this.given(path)
    return value === undefined ? undefined : boolOf(value.text)
  }

  /** Names of the direct children of a mapping, in composed order. */
  childNames(path: string): string[] {
    const prefix = `${path}.`
    const names: string[] = []
    for (const key of this.slots.keys()) {
      if (key.startsWith(prefix) && !key.slice(prefix.length).includes('.') && !key.endsWith(']'))
        names.push(key.slice(prefix.length))
    }
    return names
  }

  *fields(): Generator<Value> {
    for (const path of this.slots.keys()) {
      const value = this.value(path)
      if (value !== undefined) yield value
    }
  }

  problemsOf(value: Value): readonly NexrlProblem[] {
    const slot = this.slots.get(value.path)
    const resolved = slot === undefined ? 'loop' : this.resolvedSlot(slot)
    return resolved === 'loop' ? [] : resolved.problems
  }

  private compositionOrder(own: string): YamlSource[] {
    const list = entryOf(this.source.root, 'defaults')?.value
    if (list?.type !== 'seq') return [this.source]
    const order: YamlSource[] = []
    for (const item of list.items) {
      if (item.type !== 'scalar') continue
      if (item.text === '_self_') {
        order.push(this.source)
        continue
      }
      const file = /\.ya?ml$/.test(item.text) ? item.text : `${item.text}.yaml`
      const place: Place = { path: file, span: item, source: this.source }
      const text = this.siblings[file]
      if (file === own) this.ownDefaults.push(place)
      else if (text === undefined) this.missingDefaults.push(place)
      else order.push(parseYaml(text, 'omegaconf', file))
    }
    return order.includes(this.source) ? order : [...order, this.source]
  }

  private merge(source: YamlSource, node: YamlNode, prefix: string): void {
    if (node.type === 'seq') {
      node.items.forEach((item, index) => {
        this.put(source, `${prefix}[${index}]`, item, undefined)
      })
      return
    }
    if (node.type !== 'map') return
    for (const entry of node.entries) {
      if (prefix === '' && entry.key === 'defaults') continue
      this.put(source, prefix === '' ? entry.key : `${prefix}.${entry.key}`, entry.value, entry)
    }
  }

  private put(source: YamlSource, path: string, node: YamlNode, entry: MapEntry | undefined): void {
    this.left -= 1
    if (this.left < 0) {
      this.tooManyFields = true
      return
    }
    const before = this.slots.get(path)
    if (before !== undefined && !(before.node.type === 'map' && node.type === 'map'))
      this.drop(path)
    this.slots.set(path, { path, node, entry, source, override: false })
    this.merge(source, node, path)
  }

  private drop(path: string): void {
    // A scalar has nothing below it, and a long file replaces many of them.
    if (this.slots.get(path)?.node.type === 'scalar') return
    for (const key of [...this.slots.keys()]) {
      if (key.startsWith(`${path}.`) || key.startsWith(`${path}[`)) this.slots.delete(key)
    }
  }

  private applyOverride(override: Override): void {
    const before = this.slots.get(override.path)
    const node: YamlNode = {
      type: 'scalar',
      text: override.value,
      kind: plainScalarKind(override.value, 'omegaconf'),
      style: 'plain',
      start: before?.node.start ?? 0,
      end: before?.node.end ?? 0
    }
    this.drop(override.path)
    this.slots.set(override.path, {
      path: override.path,
      node,
      entry: before?.entry,
      source: before?.source ?? this.source,
      override: true
    })
  }

  private resolve(raw: string): Resolved {
    const result: Resolved = { text: raw, environment: [], references: [], problems: [] }
    if (!raw.includes('${')) return result
    result.text = raw
      .replace(
        REFERENCE,
        (
          match,
          variable: string | undefined,
          fallback: string | undefined,
          path: string | undefined
        ) =>
          variable === undefined
            ? this.referenceText(match, path ?? '', result)
            : this.variableText(variable, fallback, result)
      )
      .slice(0, LONGEST)
    return result
  }

  private variableText(name: string, fallback: string | undefined, result: Resolved): string {
    const value = this.environment[name]
    result.environment.push({
      name,
      set: value === undefined ? 'missing' : value === '' ? 'empty' : 'set'
    })
    if (value !== undefined) return value
    if (fallback === undefined) result.problems.push({ kind: 'missing-variable', name })
    return fallback === 'null' ? '' : (fallback ?? '')
  }

  private referenceText(match: string, path: string, result: Resolved): string {
    result.references.push(path)
    const slot = this.slots.get(path)
    if (slot === undefined || result.references.length > 200) {
      result.problems.push({ kind: 'unknown-reference', name: path })
      return match
    }
    const target = this.resolvedSlot(slot)
    if (target === 'loop') {
      result.problems.push({ kind: 'loop', name: path })
      return match
    }
    result.environment.push(
      ...target.environment.filter(
        (use) => !result.environment.some((known) => known.name === use.name)
      )
    )
    return target.text
  }

  private resolvedSlot(slot: Slot): Resolved | 'loop' {
    const done = this.resolutions.get(slot.path)
    if (done !== undefined) return done
    this.resolutions.set(slot.path, 'loop')
    const raw = slot.node.type === 'scalar' ? slot.node.text : ''
    const result = this.budget.step(() => this.resolve(raw)) ?? tooLong(slot.path)
    this.resolutions.set(slot.path, result)
    return result
  }

  private makeValue(slot: Slot): Value {
    const { node, entry, source } = slot
    const found = this.resolvedSlot(slot)
    const raw = node.type === 'scalar' ? node.text : ''
    const resolved: Resolved =
      found === 'loop' ? { text: raw, environment: [], references: [], problems: [] } : found
    const span = entry?.valueSpan ?? { start: node.start, end: node.end }
    return {
      path: slot.path,
      text: node.type === 'scalar' && node.kind === 'null' ? '' : resolved.text,
      raw,
      kind: node.type === 'scalar' ? node.kind : node.type === 'seq' ? 'list' : 'map',
      origin: this.originOf(slot, resolved),
      source,
      keySpan: entry?.keySpan ?? span,
      span,
      node,
      editable: !slot.override && entry?.shared === false && source === this.source,
      missing: resolved.environment.filter((use) => use.set === 'missing').map((use) => use.name),
      references: resolved.references
    }
  }

  private originOf(slot: Slot, resolved: Resolved): Origin {
    if (slot.override) return { kind: 'override' }
    if (resolved.references.length > 0) return { kind: 'derived', from: resolved.references }
    const use = resolved.environment[0]
    if (use !== undefined) return { kind: 'environment', name: use.name, set: use.set }
    return {
      kind: 'file',
      file: slot.source.file ?? '',
      line: slot.source.positionOf(slot.node.start).line
    }
  }
}

function tooLong(name: string): Resolved {
  return { text: '', environment: [], references: [], problems: [{ kind: 'too-long', name }] }
}
