import type { TensorDifference } from '@contract/compare'

/** What a cell of the heat map shows. */
export type Measure = 'relative' | 'cosine' | 'changed'

export type HeatCell = {
  readonly layer: number
  readonly module: string
  /** The tensor of this place that moved most; others of the same place are in its layer's list. */
  readonly tensor: TensorDifference
  /** Null where this measure does not exist for the tensor. */
  readonly value: number | null
}

export type HeatMap = {
  readonly layers: readonly number[]
  readonly modules: readonly string[]
  /** By module, then by layer. */
  readonly cells: ReadonlyMap<string, ReadonlyMap<number, HeatCell>>
  /** Smallest and largest value above zero; null when nothing moved. */
  readonly range: readonly [number, number] | null
}

/** The measure as a number that grows with the change: cosine as the distance from 1. */
export function measureOf(tensor: TensorDifference, measure: Measure): number | null {
  switch (measure) {
    case 'relative':
      return tensor.relative
    case 'cosine':
      return tensor.cosine === null ? null : Math.max(0, 1 - tensor.cosine)
    case 'changed':
      return tensor.changed
  }
}

/** Layers across, modules down, in the order the model runs them. Tensors outside of layers are not in it. */
export function heatMapOf(tensors: readonly TensorDifference[], measure: Measure): HeatMap {
  const cells = new Map<string, Map<number, HeatCell>>()
  const layers = new Set<number>()
  let low = Number.POSITIVE_INFINITY
  let high = 0
  for (const tensor of tensors) {
    const { layer, module } = tensor
    if (layer === null) continue
    const value = measureOf(tensor, measure)
    const row = cells.get(module) ?? new Map<number, HeatCell>()
    cells.set(module, row)
    layers.add(layer)
    const known = row.get(layer)
    if (known === undefined || (value ?? -1) > (known.value ?? -1))
      row.set(layer, { layer, module, tensor, value })
    if (value !== null && value > 0) {
      low = Math.min(low, value)
      high = Math.max(high, value)
    }
  }
  return {
    layers: [...layers].sort((a, b) => a - b),
    modules: [...cells.keys()],
    cells,
    range: high > 0 ? [low, high] : null
  }
}

/**
 * Strength of a cell's colour, 0 to 1: on a logarithmic scale, because what moves little and what moves much are often
 * two decades apart.
 */
export function heatOf(value: number | null, range: HeatMap['range']): number {
  if (value === null || value <= 0 || range === null) return 0
  const [low, high] = range
  if (high <= low) return 1
  return 0.12 + (0.88 * Math.log(value / low)) / Math.log(high / low)
}

/** Tensors by how far they moved, most first. */
export function mostMoved(
  tensors: readonly TensorDifference[],
  measure: Measure
): TensorDifference[] {
  return [...tensors].sort(
    (one, two) => (measureOf(two, measure) ?? -1) - (measureOf(one, measure) ?? -1)
  )
}

/** The cell an arrow key leads to; the same one at the edge. */
export function neighbourOf(map: HeatMap, from: HeatCell, key: string): HeatCell {
  const column = map.layers.indexOf(from.layer)
  const row = map.modules.indexOf(from.module)
  const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key]
  if (step === undefined) return from
  const [across = 0, down = 0] = step
  const layer = map.layers[column + across]
  const module = map.modules[row + down]
  if (layer === undefined || module === undefined) return from
  return map.cells.get(module)?.get(layer) ?? from
}
