import type { Text } from '../../contract/text'
import { quoteIfNeeded } from './edit'
import { flagFact } from './flags'
import { flowText } from './flow-text'
import { canonical } from './fields'
import { modernHome } from './legacy-map'
import type { Migration } from './migrate-versioned'
import type { ReefRecipe } from './reef-recipe'
import { engineHome } from './rules/wiring-rules'
import { NEW_HANDLER } from './rules/structure-rules'
import type { Service } from './services'
import { Outline } from './outline'
import type { Value } from './value'
import { yamlComments } from './yaml-comments'
import { entryOf, type MapNode, type YamlNode } from './yaml-tree'

const DOTTED: Readonly<Record<string, string>> = {
  sao: 'recipes.sao.recipe:SAORecipe',
  tttd: 'recipes.tttd.recipe:TTTDRecipe'
}

/** Sections both layouts share as they are. */
const SHARED: ReadonlySet<string> = new Set([
  'observability',
  'execution',
  'executors',
  'evaluation'
])

/**
 * Rewrites an unversioned file as `schema-version: 2` by the table of docs/reference/configuration.rst. Every comment is
 * kept: with its field where that moved, at the end where its service is gone.
 */
export function migrateUnversioned(recipe: ReefRecipe): Migration {
  return new Rewriter(recipe).run()
}

class Rewriter {
  private readonly outline = new Outline()
  private readonly changes: Text[] = []
  private readonly comments
  /** Path of the old file (dashed) → path of the new one, for references. */
  private readonly renamed = new Map<string, string>()

  constructor(private readonly recipe: ReefRecipe) {
    this.comments = yamlComments(recipe.source)
  }

  run(): Migration {
    const moves = [...this.moves()]
    for (const { value, to } of moves) this.renamed.set(canonical(value.path), to)
    const { root } = this.recipe.source
    // What stands before the first key is about the file, not about that key, which may move far down.
    const first = root?.type === 'map' ? root.entries[0] : undefined
    if (first !== undefined) this.outline.head(this.comments.head(first.keySpan.start))
    this.put('schema-version', '2')
    this.legacyDefaults()
    for (const { value, to } of moves) this.putValue(value, to)
    for (const service of this.recipe.services) this.service(service)
    this.outline.tail(this.comments.rest())
    return { text: this.outline.print(), changes: this.changes }
  }

  private *moves(): Generator<{ value: Value; to: string }> {
    for (const value of leaves(this.recipe)) {
      const path = canonical(value.path)
      const top = path.split('.')[0] ?? ''
      if (top === 'services' || path === 'training.slime-flags') continue
      const under = `${path}.`
      if (under.startsWith('reef.inference-backend-config.')) {
        yield { value, to: `inference.handler-config.${value.path.split('.').slice(2).join('.')}` }
        continue
      }
      const home = modernHome(path)
      if (home !== undefined) yield { value, to: home }
      else if (SHARED.has(top)) yield { value, to: value.path }
      else if (top === 'reef')
        yield { value, to: `recipe.config.${canonical(value.path.slice('reef.'.length))}` }
      else if (top === 'training')
        yield { value, to: `training.config.${value.path.slice('training.'.length)}` }
      else
        yield {
          value,
          to: `training.config.${value.path.replaceAll('.', '_').replaceAll('-', '_')}`
        }
    }
  }

  /** The unversioned layout had other defaults; what a file relied on is written down. */
  private legacyDefaults(): void {
    const defaults: readonly (readonly [string, string])[] = [
      ['reef.host', '0.0.0.0'],
      ['reef.run-dir', '/tmp/reef-stack'],
      ['reef.ready-timeout', '3600']
    ]
    for (const [path, text] of defaults) {
      if (this.recipe.value(path) === undefined) this.put(path, text)
    }
  }

  private putValue(value: Value, to: string): void {
    const comment = this.comments.take(value.keySpan.start)
    this.outline.put(to, this.written(value, to), comment)
    if (canonical(value.path) !== canonical(to)) this.note(value.path, to)
  }

  private written(value: Value, to: string): string {
    const raw = value.raw.trim()
    if (to === 'inference.handler-factory') return raw.includes('sglang') ? NEW_HANDLER : raw
    if (to === 'recipe.implementation') return DOTTED[raw] ?? raw
    return this.references(asWritten(value, this.recipe.source.text))
  }

  private references(text: string): string {
    return text.replace(/\$\{([A-Za-z_][\w-]*(?:\.[\w-]+)+)\}/g, (whole, path: string) => {
      const key = canonical(path)
      if (key.startsWith('endpoints.'))
        return this.endpoint(key.slice('endpoints.'.length)) ?? whole
      const to = this.renamed.get(key)
      return to === undefined ? whole : `\${${to}}`
    })
  }

  private endpoint(name: string): string | null {
    const service = this.recipe.services.find((one) => canonical(one.name) === name)
    const address = service?.endpoint?.replace('{host}', '127.0.0.1')
    return address === undefined ? null : this.references(address)
  }

  private service(service: Service): void {
    if (service.role === 'driver') {
      for (const flag of service.flags) this.flag(flag.name.replaceAll('_', '-'), flag.value)
    }
    if (service.role === 'engine' || service.role === 'other') {
      const command = this.references(service.commandText)
      this.outline.tail([`# start ${service.name} yourself: ${command}`])
      this.changes.push({
        en: `service ${service.name} has no place in version 2: start it beside the stack (its command is kept as a comment)`,
        zh: `version 2 不再包含服务 ${service.name}：请单独启动（其命令保留为注释）`
      })
    } else {
      this.changes.push({
        en: `service ${service.name} is assembled by Reef and left out`,
        zh: `服务 ${service.name} 由 Reef 自行组装，已去掉`
      })
    }
    this.dropped(service)
  }

  /** What a service says beside its command goes with it, by name: a value may be a secret. */
  private dropped(service: Service): void {
    const list = entryOf(this.recipe.source.root, 'services')?.value
    if (list?.type !== 'seq') return
    const node = list.items.find(({ start }) => start === service.span.start)
    if (node?.type !== 'map') return
    for (const { key, value } of node.entries) {
      if (key === 'name' || key === 'command') continue
      const keys = namesIn(value)
      const named = keys.length === 0 ? key : `${key} (${keys.join(', ')})`
      this.changes.push({
        en: `service ${service.name}: ${named} is dropped`,
        zh: `服务 ${service.name}：${named} 已去掉`
      })
    }
  }

  private flag(name: string, value: Value): void {
    const to =
      name === 'colocate' ? 'training.colocate' : (engineHome(name) ?? `training.options.${name}`)
    if (this.outline.has(to)) return
    const text = this.references(value.raw)
    const bare = value.kind === 'bool'
    const many = flagFact(name)?.many === true && text.includes(' ')
    const items = text.split(/\s+/).map((item) => JSON.stringify(item))
    this.outline.put(to, bare ? 'true' : many ? `[${items.join(', ')}]` : quoted(text), [])
    this.note(`--${name}`, to)
  }

  private put(path: string, text: string): void {
    this.outline.put(path, text, [])
  }

  private note(from: string, to: string): void {
    this.changes.push({ en: `${from} → ${to}`, zh: `${from} → ${to}` })
  }
}

/** What is moved as one: every value but maps, and maps that cannot be taken apart by path. */
function* leaves(recipe: ReefRecipe): Generator<Value> {
  const walk = function* (node: MapNode, prefix: string): Generator<Value> {
    const last = new Map(node.entries.map((entry) => [entry.key, entry]))
    for (const [key, entry] of last) {
      const path = prefix === '' ? key : `${prefix}.${key}`
      const value = recipe.fieldValue(path)
      if (entry.value.type === 'map' && !entry.shared && separable(entry.value))
        yield* walk(entry.value, path)
      else if (value !== undefined) yield value
    }
  }
  if (recipe.source.root?.type === 'map') yield* walk(recipe.source.root, '')
}

/** Names below a key: those of a map, or of `NAME=value` lines. */
function namesIn(node: YamlNode): string[] {
  if (node.type === 'map') return node.entries.map(({ key }) => key)
  if (node.type !== 'seq') return []
  return node.items.flatMap((item) => {
    const name = item.type === 'scalar' ? /^([A-Za-z_]\w*)=/.exec(item.text)?.[1] : undefined
    return name === undefined ? [] : [name]
  })
}

/** A key with a dot in it would be taken for two. */
function separable(map: MapNode): boolean {
  return map.entries.length > 0 && map.entries.every((entry) => /^[A-Za-z_][\w-]*$/.test(entry.key))
}

/** A value as it stands in the text where that is one line of its own; else written out on one line. */
function asWritten(value: Value, text: string): string {
  const { node } = value
  if (node === undefined) return quoteIfNeeded(value.raw)
  const own = text.slice(value.span.start, value.span.end)
  const simple = node.type === 'scalar' && node.style !== 'block' && !own.includes('\n')
  const alias = own.startsWith('*')
  if (simple && !alias) return own === '' ? 'null' : own
  if (node.type !== 'scalar' && !own.includes('\n') && !own.includes('*') && node.flow) return own
  return node.type === 'scalar' && !alias ? quoteIfNeeded(value.raw) : flowText(node)
}

function quoted(text: string): string {
  return text.includes('"') || text.includes('\\') ? `'${text.replaceAll("'", "''")}'` : `"${text}"`
}
