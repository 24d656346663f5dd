import type { FileDifference, SidecarCheck } from '../../contract/compare'
import type { Text } from '../../contract/text'
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { isObject } from '../lib'
import { readText, type OpenSource } from './byte-source'

/** Files beside the weights that change what a model does. */
const JSON_FILES = [
  'config.json',
  'generation_config.json',
  'tokenizer_config.json',
  'special_tokens_map.json',
  'adapter_config.json'
] as const
const TEXT_FILES = ['chat_template.jinja', 'tokenizer.json', 'vocab.json', 'merges.txt'] as const

/** Values longer than this are shown by their digest. */
const LONGEST_VALUE = 2000

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined'
  return text.length <= LONGEST_VALUE ? text : `${text.length} characters, sha256 ${sha256(text)}`
}

function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex')
}

/** Paths at which two JSON values differ. Objects are entered, lists are compared whole; the order of keys does not count. */
export function jsonDifferences(file: string, a: unknown, b: unknown, path = ''): FileDifference[] {
  if (isObject(a) && isObject(b)) {
    const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort()
    return keys.flatMap((key) =>
      jsonDifferences(file, a[key], b[key], path === '' ? key : `${path}.${key}`)
    )
  }
  const [left, right] = [canonical(a), canonical(b)]
  if (left === right) return []
  return [
    { file, path, a: a === undefined ? null : shown(a), b: b === undefined ? null : shown(b) }
  ]
}

function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_key, inner: unknown) =>
      isObject(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([x], [y]) => (x < y ? -1 : 1)))
        : inner
    ) ?? 'undefined'
  )
}

function parsed(text: string | null): unknown {
  if (text === null) return undefined
  try {
    return JSON.parse(text)
  } catch {
    // Compared as text then.
    return text
  }
}

async function pair(
  open: OpenSource,
  a: string,
  b: string,
  file: string
): Promise<[string | null, string | null]> {
  return [await readText(open, `${a}/${file}`), await readText(open, `${b}/${file}`)]
}

/** What differs between two folders in configuration, tokenizer and chat template. */
export async function compareModelFiles(
  open: OpenSource,
  a: string,
  b: string
): Promise<FileDifference[]> {
  const differences: FileDifference[] = []
  for (const file of JSON_FILES) {
    const [left, right] = await pair(open, a, b, file)
    // A file that only one side has is one difference, not one for each of its keys.
    if (left !== null && right !== null)
      differences.push(...jsonDifferences(file, parsed(left), parsed(right)))
    else if (left !== right) differences.push(whole(file, left, right))
  }
  for (const file of TEXT_FILES) {
    const [left, right] = await pair(open, a, b, file)
    if (left !== right) differences.push(whole(file, left, right))
  }
  return differences
}

function whole(file: string, a: string | null, b: string | null): FileDifference {
  const say = (text: string | null): string | null =>
    text === null ? null : `${text.length} characters, sha256 ${sha256(text)}`
  return { file, path: '', a: say(a), b: say(b) }
}

const FAMILY_KEYS = [
  'architectures',
  'model_type',
  'hidden_size',
  'num_hidden_layers',
  'num_attention_heads',
  'num_key_value_heads',
  'intermediate_size',
  'vocab_size'
] as const

/** Reasons why two configurations belong to different architectures. */
export function architectureWarnings(files: readonly FileDifference[]): Text[] {
  return files
    .filter(
      ({ file, path, a, b }) =>
        file === 'config.json' &&
        a !== null &&
        b !== null &&
        FAMILY_KEYS.some((key) => path === key || path === `text_config.${key}`)
    )
    .map(({ path, a, b }) => ({
      en: `Other architecture: ${path} is ${a} and ${b}.`,
      zh: `架构不同：${path} 分别为 ${a} 和 ${b}。`
    }))
}

const Sidecar = z.looseObject({
  files: z.record(z.string(), z.string()),
  base_model: z.unknown().optional(),
  base_model_digest: z.unknown().optional()
})

/** `reef-adapter.json`, the record a published adapter carries. Public source: `docs/user-guide/lora.rst` of Reef. */
export interface AdapterSidecar {
  check: SidecarCheck
  /** What it says of the base, as JSON text; null when it says nothing. */
  base: string | null
}

async function digestOf(open: OpenSource, path: string): Promise<string | null> {
  const source = await open(path)
  if (source === null) return null
  try {
    const hash = createHash('sha256')
    const piece = new Uint8Array(Math.min(source.size, 4 * 1024 * 1024))
    for (let at = 0; at < source.size; at += piece.length) {
      const part = piece.subarray(0, Math.min(piece.length, source.size - at))
      await source.read(part, at)
      hash.update(part)
    }
    return hash.digest('hex')
  } finally {
    await source.close()
  }
}

/** Checks the digests of an adapter's sidecar against its files. */
export async function checkSidecar(open: OpenSource, folder: string): Promise<AdapterSidecar> {
  const text = await readText(open, `${folder}/reef-adapter.json`, 1024 * 1024)
  if (text === null) return { check: { kind: 'none' }, base: null }
  const read = Sidecar.safeParse(parsed(text))
  if (!read.success)
    return {
      check: {
        kind: 'unreadable',
        why: {
          en: 'reef-adapter.json holds no digests of files.',
          zh: 'reef-adapter.json 中没有文件摘要。'
        }
      },
      base: null
    }
  const { files, base_model: model, base_model_digest: digest } = read.data
  const wrong: string[] = []
  for (const [name, expected] of Object.entries(files)) {
    // Only files beside it: the sidecar is data from elsewhere.
    const plain = /^[^/\\\0]+$/.test(name) && name !== '..'
    const found = plain ? await digestOf(open, `${folder}/${name}`) : null
    if (found !== expected.toLowerCase()) wrong.push(name)
  }
  return {
    check:
      wrong.length === 0
        ? { kind: 'match', files: Object.keys(files).length }
        : { kind: 'mismatch', files: wrong },
    base: model === undefined && digest === undefined ? null : canonical([model, digest])
  }
}
