import { z } from 'zod'
import { fail } from '../lib'
import { readText, type ByteSource, type OpenSource } from './byte-source'
import { readSafetensorsHeader, type TensorFacts } from './safetensors-header'

/** A tensor and the open file that holds it. */
export interface StoredTensor extends TensorFacts {
  source: ByteSource
}

/** The tensors of a checkpoint folder or of one file, over all its shards. */
export interface TensorFiles {
  path: string
  tensors: Map<string, StoredTensor>
  /** Shards by file name. */
  shards: string[]
  close(): Promise<void>
}

const Index = z.object({ weight_map: z.record(z.string(), z.string()) })

/** File names that stand for a whole checkpoint, in the order they are looked for. */
const INDEX_NAMES = [
  'model.safetensors.index.json',
  'adapter_model.safetensors.index.json'
] as const
const SINGLE_NAMES = ['model.safetensors', 'adapter_model.safetensors'] as const

function broken(code: string, where: string, en: string, zh: string, detail?: string): never {
  return fail({
    code,
    what: { en, zh },
    where,
    ...(detail === undefined ? {} : { detail }),
    remedy: {
      en: 'Verify the checkpoint, or export it again.',
      zh: '请校验该 checkpoint，或重新导出。'
    }
  })
}

/** Shard of every tensor as an index file lists them. Only plain file names beside the index are taken. */
export function parseIndex(text: string, path: string): Map<string, string> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    return broken(
      'index-not-json',
      path,
      'The shard index is not JSON.',
      '分片索引不是 JSON。',
      cause instanceof Error ? cause.message : undefined
    )
  }
  const parsed = Index.safeParse(value)
  if (!parsed.success)
    return broken(
      'index-form',
      path,
      'The shard index has no weight_map.',
      '分片索引缺少 weight_map。'
    )
  const map = new Map(Object.entries(parsed.data.weight_map))
  for (const shard of map.values())
    if (!/^[^/\\\0]+\.safetensors$/.test(shard))
      return broken(
        'index-path',
        path,
        'The shard index names a file outside its folder.',
        '分片索引引用了目录之外的文件。',
        shard.slice(0, 200)
      )
  return map
}

async function addShard(
  openSource: OpenSource,
  folder: string,
  shard: string,
  opened: ByteSource[],
  into: Map<string, StoredTensor>
): Promise<void> {
  const path = `${folder}/${shard}`
  const source = await openSource(path)
  if (source === null)
    return broken(
      'shard-missing',
      path,
      'A shard of the checkpoint is missing.',
      'checkpoint 缺少一个分片。'
    )
  opened.push(source)
  const header = await readSafetensorsHeader(source)
  for (const tensor of header.tensors) {
    if (into.has(tensor.name))
      return broken(
        'tensor-twice',
        path,
        `Two shards hold ${tensor.name}.`,
        `有两个分片都包含 ${tensor.name}。`
      )
    into.set(tensor.name, { ...tensor, source })
  }
}

async function shardsOf(
  openSource: OpenSource,
  path: string
): Promise<{ folder: string; shards: string[]; index: Map<string, string> | null }> {
  if (path.endsWith('.safetensors')) {
    const cut = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'))
    return {
      folder: cut < 0 ? '.' : path.slice(0, cut),
      shards: [path.slice(cut + 1)],
      index: null
    }
  }
  for (const name of INDEX_NAMES) {
    const text = await readText(openSource, `${path}/${name}`)
    if (text === null) continue
    const index = parseIndex(text, `${path}/${name}`)
    return { folder: path, shards: [...new Set(index.values())].sort(), index }
  }
  for (const name of SINGLE_NAMES) {
    const source = await openSource(`${path}/${name}`)
    if (source === null) continue
    await source.close()
    return { folder: path, shards: [name], index: null }
  }
  return broken(
    'no-weights',
    path,
    'There are no safetensors weights here.',
    '这里没有 safetensors 权重。'
  )
}

/**
 * Opens the weights of a checkpoint: a folder with an index and shards, a folder with one file, or a file.
 * The caller closes it. Only headers are read.
 * @throws FailureError for a missing shard, a shard that is no safetensors file, or an index that lies
 */
export async function openTensorFiles(openSource: OpenSource, path: string): Promise<TensorFiles> {
  const { folder, shards, index } = await shardsOf(openSource, path)
  const opened: ByteSource[] = []
  const close = async (): Promise<void> => {
    for (const source of opened) await source.close()
  }
  try {
    const tensors = new Map<string, StoredTensor>()
    for (const shard of shards) await addShard(openSource, folder, shard, opened, tensors)
    for (const [name, shard] of index ?? [])
      if (tensors.get(name)?.source.path !== `${folder}/${shard}`)
        return broken(
          'tensor-missing',
          `${folder}/${shard}`,
          `The index promises ${name} in this shard, which does not hold it.`,
          `索引称该分片包含 ${name}，但其中没有。`
        )
    return { path, tensors, shards, close }
  } catch (cause) {
    await close()
    throw cause
  }
}
