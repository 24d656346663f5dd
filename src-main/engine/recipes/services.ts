import type { Expansion } from './expand'
import { commandFlags, splitCommand, type CommandFlag, type Token } from './tokens'
import type { Value } from './value'
import {
  contentSpan,
  entryOf,
  type MapEntry,
  type ScalarNode,
  type Span,
  type YamlNode,
  type YamlSource
} from './yaml-tree'

export type ServiceRole = 'driver' | 'reef' | 'ray-head' | 'engine' | 'other'

export interface ServiceFlag {
  name: string
  value: Value
}

/** One process of an unversioned stack. */
export interface Service {
  name: string
  role: ServiceRole
  /** Python module it runs, e.g. `reef.service.slime_driver`. */
  module: string | null
  moduleSpan: Span | null
  flags: ServiceFlag[]
  /** Words in the command or in a folded flag string that belong to no flag. */
  loose: Token[]
  dependsOn: readonly ScalarNode[]
  /** The command as one line. */
  commandText: string
  endpoint: string | undefined
  gpus: number | null
  cuda: string | undefined
  span: Span
}

interface Expander {
  expandText(raw: string): Expansion
  fieldValue(path: string): Value | undefined
}

/** Reads `services` of an unversioned file, with the flags of every command at their own place in the text. */
export function readServices(source: YamlSource, expander: Expander): Service[] {
  const list = entryOf(source.root, 'services')?.value
  if (list?.type !== 'seq') return []
  const services: Service[] = []
  for (const item of list.items) {
    if (item.type === 'map') services.push(readService(source, item, expander))
  }
  return services
}

function readService(source: YamlSource, node: YamlNode, expander: Expander): Service {
  const command = entryOf(node, 'command')
  const tokens = command === undefined ? [] : commandTokens(source, command)
  const at = tokens.findIndex((token) => token.text === '-m')
  const module = at === -1 ? undefined : tokens[at + 1]
  const parsed = commandFlags(tokens)
  const flags = parsed.flags.map((flag) => serviceFlag(source, 'command', flag, expander))
  const loose = [...parsed.loose]
  for (const token of parsed.loose) {
    const reference = /^\$\{([\w-]+(?:\.[\w-]+)+)\}$/.exec(token.text)?.[1]
    if (reference === undefined) continue
    const included = includedFlags(source, reference, expander)
    flags.push(...included.flags)
    loose.push(...included.loose)
  }
  const gpus = entryOf(entryOf(node, 'resources')?.value, 'num_gpus')?.value
  return {
    name: textOf(node, 'name') ?? '',
    role: roleOf(module?.text ?? '', textOf(node, 'name') ?? '', tokens),
    module: module?.text ?? null,
    moduleSpan: module === undefined ? null : { start: module.start, end: module.end },
    flags,
    loose,
    commandText: tokens.map((token) => token.text).join(' '),
    dependsOn: scalarsOf(entryOf(node, 'depends_on')?.value),
    endpoint: textOf(node, 'endpoint'),
    gpus: gpus?.type === 'scalar' ? Number(gpus.text) : null,
    cuda: textOf(node, 'cuda'),
    span: { start: node.start, end: node.end }
  }
}

/** A folded string such as `training.slime_flags`, spliced into a command by reference. */
function includedFlags(
  source: YamlSource,
  reference: string,
  expander: Expander
): { flags: ServiceFlag[]; loose: Token[] } {
  const value = expander.fieldValue(reference)
  if (value?.node?.type !== 'scalar') return { flags: [], loose: [] }
  const raw = source.text.slice(value.span.start, value.span.end)
  const parsed = commandFlags(splitCommand(raw, value.span.start))
  return {
    flags: parsed.flags.map((flag) => serviceFlag(source, value.path, flag, expander)),
    loose: parsed.loose
  }
}

function commandTokens(source: YamlSource, entry: MapEntry): Token[] {
  const node = entry.value
  if (node.type === 'seq') {
    return node.items.map((item) => ({
      text: item.type === 'scalar' ? item.text : '',
      start: item.start,
      end: item.end
    }))
  }
  if (node.type !== 'scalar') return []
  const span = contentSpan(source.text, node, entry)
  const quoted = node.style === 'single' || node.style === 'double'
  const inner = quoted ? { start: span.start + 1, end: span.end - 1 } : span
  return splitCommand(source.text.slice(inner.start, inner.end), inner.start)
}

function serviceFlag(
  source: YamlSource,
  home: string,
  flag: CommandFlag,
  expander: Expander
): ServiceFlag {
  const raw = flag.value ?? 'true'
  const expansion = expander.expandText(raw)
  const span = flag.valueSpan ?? flag.nameSpan
  const use = expansion.environment[0]
  const line = source.positionOf(span.start).line
  return {
    name: flag.name,
    value: {
      path: `${home} --${flag.name}`,
      text: expansion.text,
      raw,
      kind: flag.value === null ? 'bool' : 'string',
      origin:
        expansion.references.length > 0
          ? { kind: 'derived', from: expansion.references }
          : use === undefined
            ? { kind: 'file', file: source.file ?? '', line }
            : { kind: 'environment', name: use.name, set: use.set },
      source,
      keySpan: flag.nameSpan,
      span,
      node: undefined,
      editable: flag.valueSpan !== null,
      missing: expansion.environment.filter((one) => one.set !== 'set').map((one) => one.name),
      references: expansion.references
    }
  }
}

function roleOf(module: string, name: string, tokens: readonly Token[]): ServiceRole {
  if (/slime_driver|training_driver|reef_adapters\.driver/.test(module)) return 'driver'
  if (module === 'reef.service') return 'reef'
  if (/sglang|vllm/.test(module)) return 'engine'
  if (name === 'ray-head' || tokens.some((token) => token.text === '--head')) return 'ray-head'
  return 'other'
}

function textOf(node: YamlNode, key: string): string | undefined {
  const value = entryOf(node, key)?.value
  return value?.type === 'scalar' && value.kind !== 'null' ? value.text : undefined
}

function scalarsOf(node: YamlNode | undefined): ScalarNode[] {
  if (node?.type !== 'seq') return []
  return node.items.flatMap((item) => (item.type === 'scalar' ? [item] : []))
}
