import type { SidecarCheck, WeightComparison } from '../../contract/compare'
import type { Text } from '../../contract/text'
import { fail, systemClock, type Clock } from '../lib'
import { parseAdapterConfig, type AdapterConfig } from './adapter-config'
import { adaptedModules, compareAdapters } from './adapter-weights'
import { openLocalSource, readText, type OpenSource } from './byte-source'
import {
  bytesToRead,
  compareFullWeights,
  SIZES,
  type TensorResults,
  type WeightProgress
} from './full-weights'
import { architectureWarnings, checkSidecar, compareModelFiles } from './model-files'
import { openTensorFiles, type TensorFiles } from './tensor-files'
import { createWeightKernel } from './weight-kernel'

export interface WeightRequest {
  /** Checkpoint folders, adapter folders, or single safetensors files. */
  a: string
  b: string
  open?: OpenSource
  signal?: AbortSignal
  onProgress?: (progress: WeightProgress) => void
  clock?: Clock
}

interface Side {
  path: string
  adapter: AdapterConfig | null
  /** The file with the factors, where the side is an adapter. */
  factors: TensorFiles | null
  /** Full weights; an adapter folder may hold its base as well. */
  full: TensorFiles | null
}

async function exists(open: OpenSource, path: string): Promise<boolean> {
  const source = await open(path)
  await source?.close()
  return source !== null
}

async function openSide(open: OpenSource, path: string): Promise<Side> {
  const config = path.endsWith('.safetensors')
    ? null
    : await readText(open, `${path}/adapter_config.json`, 1024 * 1024)
  if (config === null)
    return { path, adapter: null, factors: null, full: await openTensorFiles(open, path) }
  const adapter = parseAdapterConfig(config)
  if (adapter === null)
    return fail({
      code: 'adapter-config-unreadable',
      what: {
        en: 'The adapter configuration cannot be read.',
        zh: '无法读取 adapter 的配置。'
      },
      where: `${path}/adapter_config.json`
    })
  const factors = await openTensorFiles(open, `${path}/adapter_model.safetensors`)
  try {
    const hasBase =
      (await exists(open, `${path}/model.safetensors`)) ||
      (await exists(open, `${path}/model.safetensors.index.json`))
    return { path, adapter, factors, full: hasBase ? await openTensorFiles(open, path) : null }
  } catch (cause) {
    await factors.close()
    throw cause
  }
}

async function closeSide(side: Side): Promise<void> {
  await side.factors?.close()
  await side.full?.close()
}

function differentKinds(a: Side, b: Side): never {
  return fail({
    code: 'weights-of-different-kinds',
    what: {
      en: 'One side is an adapter, the other full weights.',
      zh: '一侧是 adapter，另一侧是完整权重。'
    },
    where: `${a.path}, ${b.path}`,
    remedy: {
      en: 'Compare an adapter with an adapter, or merge it into its base first.',
      zh: '请将 adapter 与 adapter 比较，或先将其合并到基座模型。'
    }
  })
}

function adapterWarnings(a: AdapterConfig, b: AdapterConfig): Text[] {
  const warnings: Text[] = []
  if (a.base !== b.base)
    warnings.push({
      en: `Other base model: ${a.base ?? 'not said'} and ${b.base ?? 'not said'}. Their updates add to different weights.`,
      zh: `基座模型不同：${a.base ?? '未注明'} 与 ${b.base ?? '未注明'}。两者的更新作用于不同的权重。`
    })
  for (const { type } of [a, b])
    if (type !== 'LORA')
      warnings.push({
        en: `Adapter type ${type}: only LoRA factors are understood.`,
        zh: `adapter 类型为 ${type}：仅支持 LoRA 因子。`
      })
  if (a.magnitudes || b.magnitudes)
    warnings.push({
      en: 'An adapter also rescales columns (DoRA); that part is not in the effective update shown.',
      zh: '有 adapter 还会缩放各列（DoRA）；所示的有效更新不包含这一部分。'
    })
  return warnings
}

function namesWarning(results: TensorResults): Text[] {
  const shared = results.tensors.length + results.problems.length
  const alone = results.onlyA.length + results.onlyB.length
  if (shared >= alone) return []
  return [
    {
      en: `Only ${shared} tensors have the same name on both sides; ${alone} do not. These are probably different models.`,
      zh: `两侧仅有 ${shared} 个同名张量，另有 ${alone} 个不同名。它们很可能是不同的模型。`
    }
  ]
}

async function sidecars(
  open: OpenSource,
  sides: readonly [Side, Side]
): Promise<{ checks: [SidecarCheck, SidecarCheck]; warnings: Text[] }> {
  const folder = (side: Side): Promise<{ check: SidecarCheck; base: string | null }> =>
    side.adapter === null
      ? Promise.resolve({ check: { kind: 'none' }, base: null })
      : checkSidecar(open, side.path)
  const [a, b] = [await folder(sides[0]), await folder(sides[1])]
  const warnings: Text[] = []
  if (a.base !== null && b.base !== null && a.base !== b.base)
    warnings.push({
      en: 'The digests of base model or tokenizer in reef-adapter.json differ: other base.',
      zh: 'reef-adapter.json 中基座模型或 tokenizer 的摘要不同：基座不同。'
    })
  for (const [name, { check }] of [
    ['A', a],
    ['B', b]
  ] as const)
    if (check.kind === 'mismatch')
      warnings.push({
        en: `${name}: ${check.files.join(', ')} is not what reef-adapter.json was written for.`,
        zh: `${name}：${check.files.join('、')} 与 reef-adapter.json 记录的内容不符。`
      })
  return { checks: [a.check, b.check], warnings }
}

async function compareTensorsOf(
  sides: readonly [Side, Side],
  signal: AbortSignal,
  onProgress: (progress: WeightProgress) => void
): Promise<{ results: TensorResults; bytesRead: number }> {
  const [a, b] = sides
  const kernel = await createWeightKernel(SIZES.chunkBytes, SIZES.blockElements)
  const empty: TensorFiles = {
    path: '',
    tensors: new Map(),
    shards: [],
    close: () => Promise.resolve()
  }
  const split = [a.factors, b.factors].map((files) =>
    files === null ? null : adaptedModules(files.tensors)
  )
  const withOthers = (side: Side, others: TensorFiles['tensors'] | undefined): TensorFiles => ({
    ...(side.full ?? empty),
    tensors: new Map([...(side.full?.tensors ?? []), ...(others ?? [])])
  })
  const full = [withOthers(a, split[0]?.others), withOthers(b, split[1]?.others)] as const
  const results = await compareFullWeights(kernel, full[0], full[1], signal, onProgress)
  let bytesRead = bytesToRead(full[0], full[1])
  if (split[0] && split[1] && a.adapter !== null && b.adapter !== null) {
    await compareAdapters(
      [split[0].modules, split[1].modules],
      [a.adapter, b.adapter],
      results,
      signal,
      onProgress
    )
    for (const { modules } of [split[0], split[1]])
      for (const { a: one, b: two } of modules.values()) bytesRead += one.bytes + two.bytes
  }
  return { results, bytesRead }
}

/**
 * Compares two checkpoints or two adapters, streamed: memory does not grow with the size of the weights.
 * @throws FailureError for files that are broken or of different kinds; the signal's reason when it aborts
 */
export async function compareWeights(request: WeightRequest): Promise<WeightComparison> {
  const { a, b } = request
  const open = request.open ?? openLocalSource
  const clock = request.clock ?? systemClock
  const signal = request.signal ?? new AbortController().signal
  const started = clock.ticks()
  const left = await openSide(open, a)
  try {
    const right = await openSide(open, b)
    try {
      const sides = [left, right] as const
      if ((left.adapter === null) !== (right.adapter === null)) return differentKinds(left, right)
      const folders = !a.endsWith('.safetensors') && !b.endsWith('.safetensors')
      const files = folders ? await compareModelFiles(open, a, b) : []
      const sidecar = await sidecars(open, sides)
      const { results, bytesRead } = await compareTensorsOf(
        sides,
        signal,
        request.onProgress ?? (() => undefined)
      )
      return {
        kind: left.adapter === null ? 'full' : 'adapter',
        a,
        b,
        warnings: [
          ...architectureWarnings(files),
          ...(left.adapter !== null && right.adapter !== null
            ? adapterWarnings(left.adapter, right.adapter)
            : []),
          ...sidecar.warnings,
          ...namesWarning(results)
        ],
        tensors: results.tensors,
        onlyA: results.onlyA,
        onlyB: results.onlyB,
        problems: results.problems,
        total: results.totals.end(),
        files,
        sidecar: sidecar.checks,
        bytesRead,
        took: clock.ticks() - started
      }
    } finally {
      await closeSide(right)
    }
  } finally {
    await closeSide(left)
  }
}
