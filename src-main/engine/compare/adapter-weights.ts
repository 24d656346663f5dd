import type { TensorDifference, TensorProblem } from '../../contract/compare'
import { scaleOf, type AdapterConfig } from './adapter-config'
import { figuresOf } from './figures'
import { missingFrom, type TensorResults, type WeightProgress } from './full-weights'
import { deadRowsOf, lowRankSums, type LowRank } from './low-rank'
import { exactReader } from './number-formats'
import type { StoredTensor } from './tensor-files'
import { placeOf } from './tensor-name'

/** One adapted module: its two factors as they are stored. */
export interface AdaptedModule {
  a: StoredTensor
  b: StoredTensor
}

const FACTOR =
  /^(?:base_model\.model\.)?(.+)\.lora_(?:embedding_)?([AB])(?:\.(?!bias$)[^.]+)?(?:\.weight)?$/

/** Elements of one factor above which an adapter is no adapter. */
const LARGEST_FACTOR = 24_000_000

/** Sorts the tensors of an adapter file into modules with both factors, and the rest. */
export function adaptedModules(tensors: ReadonlyMap<string, StoredTensor>): {
  modules: Map<string, AdaptedModule>
  others: Map<string, StoredTensor>
} {
  const halves = new Map<string, { a?: StoredTensor; b?: StoredTensor }>()
  const others = new Map<string, StoredTensor>()
  for (const [name, tensor] of tensors) {
    const [, module, factor] = FACTOR.exec(name) ?? []
    if (module === undefined) {
      others.set(name, tensor)
      continue
    }
    const half = halves.get(module) ?? {}
    if (factor === 'A') half.a = tensor
    else half.b = tensor
    halves.set(module, half)
  }
  const modules = new Map<string, AdaptedModule>()
  for (const [module, { a, b }] of halves) {
    if (a !== undefined && b !== undefined) modules.set(module, { a, b })
    else for (const tensor of [a, b]) if (tensor !== undefined) others.set(tensor.name, tensor)
  }
  return { modules, others }
}

interface Factor {
  values: Float32Array
  nan: number
  infinite: number
}

async function readFactor(tensor: StoredTensor): Promise<Factor | null> {
  const reader = exactReader(tensor.dtype)
  if (reader === undefined || tensor.elements > LARGEST_FACTOR) return null
  const bytes = new Uint8Array(tensor.bytes)
  await tensor.source.read(bytes, tensor.offset)
  const view = new DataView(bytes.buffer)
  const factor: Factor = { values: new Float32Array(tensor.elements), nan: 0, infinite: 0 }
  const size = tensor.bytesPerElement ?? 1
  for (let index = 0; index < tensor.elements; index += 1) {
    const value = reader(view, index * size)
    if (Number.isFinite(value)) factor.values[index] = value
    else if (Number.isNaN(value)) factor.nan += 1
    else factor.infinite += 1
  }
  return factor
}

interface LoadedModule {
  update: LowRank
  nan: number
  infinite: number
}

async function load(
  { a, b }: AdaptedModule,
  name: string,
  config: AdapterConfig
): Promise<LoadedModule | null> {
  const rank = a.shape[0] ?? 0
  const rows = b.shape[0] ?? 0
  const columns = rank === 0 ? 0 : a.elements / rank
  if (rank === 0 || b.elements !== rows * rank) return null
  const [first, second] = [await readFactor(a), await readFactor(b)]
  if (first === null || second === null) return null
  return {
    update: {
      rank,
      rows,
      columns,
      a: first.values,
      b: second.values,
      scale: scaleOf(config, name, rank)
    },
    nan: first.nan + second.nan,
    infinite: first.infinite + second.infinite
  }
}

const notAMatrix: TensorProblem['why'] = {
  en: 'Its factors do not multiply, are in a number format that is not compared, or are too large.',
  zh: '其两个因子无法相乘、数值格式不支持比较，或过大。'
}

function differenceOf(
  name: string,
  stored: readonly [AdaptedModule, AdaptedModule],
  one: LoadedModule,
  two: LoadedModule
): TensorDifference {
  return {
    name,
    ...placeOf(name),
    shape: [one.update.rows, one.update.columns],
    dtype: [stored[0].a.dtype, stored[1].a.dtype],
    ...figuresOf(lowRankSums(one.update, two.update)),
    largest: null,
    changed: null,
    nan: [one.nan, two.nan],
    infinite: [one.infinite, two.infinite],
    deadRows: [deadRowsOf(one.update), deadRowsOf(two.update)]
  }
}

/** Lets other work of the process run between two modules. */
const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/**
 * Compares the effective updates B·A·scale of every module both adapters adapt, into `results`. The products are never
 * formed: norms and angles follow from Gram matrices of the factors, one module in memory at a time.
 */
export async function compareAdapters(
  sides: readonly [ReadonlyMap<string, AdaptedModule>, ReadonlyMap<string, AdaptedModule>],
  configs: readonly [AdapterConfig, AdapterConfig],
  results: TensorResults,
  signal: AbortSignal,
  onProgress: (progress: WeightProgress) => void
): Promise<void> {
  const [a, b] = sides
  results.onlyA.push(...missingFrom(a.keys(), b))
  results.onlyB.push(...missingFrom(b.keys(), a))
  let done = 0
  for (const [name, left] of a) {
    const right = b.get(name)
    if (right === undefined) continue
    signal.throwIfAborted()
    const [one, two] = [await load(left, name, configs[0]), await load(right, name, configs[1])]
    if (one === null || two === null) results.problems.push({ name, why: notAMatrix })
    else if (one.update.rows !== two.update.rows || one.update.columns !== two.update.columns)
      results.problems.push({
        name,
        why: {
          en: `Shapes differ: ${one.update.rows}×${one.update.columns} and ${two.update.rows}×${two.update.columns}.`,
          zh: `形状不同：${one.update.rows}×${one.update.columns} 与 ${two.update.rows}×${two.update.columns}。`
        }
      })
    else {
      const difference = differenceOf(name, [left, right], one, two)
      results.tensors.push(difference)
      results.totals.add(difference, one.update.rows * one.update.columns)
    }
    done += 1
    onProgress({ done, total: a.size, tensor: name })
    await breathe()
  }
}
