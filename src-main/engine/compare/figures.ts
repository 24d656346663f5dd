import type { TensorDifference, WeightComparison } from '../../contract/compare'
import type { TensorSums } from './row-sums'

/** The sums that norms and angles follow from. */
export interface NormSums {
  aa: number
  bb: number
  ab: number
  dd: number
}

export interface NormFigures {
  relative: number | null
  cosine: number | null
  norm: [number, number]
  differenceNorm: number
}

/** ‖B − A‖/‖A‖ and the cosine from the sums of squares and products. */
export function figuresOf({ aa, bb, ab, dd }: NormSums): NormFigures {
  const norm: [number, number] = [Math.sqrt(aa), Math.sqrt(bb)]
  const differenceNorm = Math.sqrt(Math.max(0, dd))
  const product = norm[0] * norm[1]
  return {
    relative: aa === 0 ? null : differenceNorm / norm[0],
    cosine: product === 0 ? null : Math.min(1, Math.max(-1, ab / product)),
    norm,
    differenceNorm
  }
}

/** The figures of one tensor pair. */
export function tensorFigures(
  sums: TensorSums,
  elements: number
): Omit<TensorDifference, 'name' | 'layer' | 'module' | 'shape' | 'dtype'> {
  return {
    ...figuresOf(sums),
    largest: sums.largest,
    changed: elements === 0 ? 0 : sums.changed / elements,
    nan: sums.nan,
    infinite: sums.infinite,
    deadRows: sums.deadRows
  }
}

/**
 * The tensors to be named first: those broken on side B, for numbers that are not finite are left out of the norms and
 * such a tensor may look unmoved; then those that moved most.
 */
export function mostTelling(
  tensors: readonly TensorDifference[],
  most: number
): TensorDifference[] {
  const broken = ({ nan, infinite }: TensorDifference): number => Number(nan[1] + infinite[1] > 0)
  return [...tensors]
    .sort((one, two) => broken(two) - broken(one) || (two.relative ?? -1) - (one.relative ?? -1))
    .slice(0, most)
}

/** Adds up over tensors what the head of a comparison says. */
export class Totals {
  private readonly sums: NormSums = { aa: 0, bb: 0, ab: 0, dd: 0 }
  private changed = 0
  private counted = true
  private elements = 0
  private readonly nan: [number, number] = [0, 0]
  private readonly infinite: [number, number] = [0, 0]
  private readonly deadRows: [number, number] = [0, 0]

  add(tensor: TensorDifference, elements: number): void {
    this.sums.aa += tensor.norm[0] ** 2
    this.sums.bb += tensor.norm[1] ** 2
    this.sums.ab += (tensor.cosine ?? 0) * tensor.norm[0] * tensor.norm[1]
    this.sums.dd += tensor.differenceNorm ** 2
    this.elements += elements
    if (tensor.changed === null) this.counted = false
    else this.changed += tensor.changed * elements
    for (const side of [0, 1] as const) {
      this.nan[side] += tensor.nan[side]
      this.infinite[side] += tensor.infinite[side]
      this.deadRows[side] += tensor.deadRows?.[side] ?? 0
    }
  }

  end(): WeightComparison['total'] {
    const { relative, cosine, norm } = figuresOf(this.sums)
    return {
      relative,
      cosine,
      norm,
      changed: this.counted && this.elements > 0 ? this.changed / this.elements : null,
      elements: this.elements,
      nan: this.nan,
      infinite: this.infinite,
      deadRows: this.deadRows
    }
  }
}
