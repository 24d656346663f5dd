import type { Expansion } from './expand'
import { placedText, type PlacedText } from './placed-text'
import { commandFault, commandFlags, splitCommand, type CommandFlag, type Token } from './tokens'
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
  /** Why the command cannot be split into words; null when it can, or is a list of them. */
  fault: ServiceFault | null
  endpoint: string | undefined
  gpus: number | null
  cuda: string | undefined
  span: Span
}

interface ServiceFault {
  kind: 'quote' | 'escape'
  /** Where the quote is opened: the command, or the field spliced into it. */
  path: string
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
    fault: command === undefined ? null : serviceFault(source, command, expander),
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
  const parsed = commandFlags(splitCommand(placedText(source.text, value.node, value.span)))
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
  return splitCommand(placedText(source.text, node, contentSpan(source.text, node, entry)))
}

/** The launcher fills references in and splits then, so the whole decides; the part that opens the quote is pointed at. */
function serviceFault(
  source: YamlSource,
  entry: MapEntry,
  expander: Expander
): ServiceFault | null {
  const node = entry.value
  if (node.type !== 'scalar') return null
  const whole = expander.expandText(node.text)
  if (whole.problems.some((problem) => problem.kind === 'too-long')) return null
  const fault = commandFault(whole.text)
  if (fault === null) return null
  for (const path of whole.references) {
    const value = expander.fieldValue(path)
    if (value?.node?.type !== 'scalar') continue
    const found = faultIn(value.path, placedText(source.text, value.node, value.span))
    if (found !== null) return found
  }
  const span = contentSpan(source.text, node, entry)
  const own = faultIn('services', placedText(source.text, node, span))
  // Neither part alone: what the environment or a longer chain of references brings in.
  return own ?? { kind: fault.kind, path: 'services', span }
}

function faultIn(path: string, placed: PlacedText): ServiceFault | null {
  const fault = commandFault(placed.text)
  if (fault === null) return null
  const [start, end] = [placed.offsetAt(fault.at), placed.offsetAt(placed.text.length)]
  return { kind: fault.kind, path, span: { start, end } }
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
