import { addPair, noSums, type PairSums, type WeightKernel } from './weight-kernel'

/** What one pass over two tensors found. Pairs with a number that is not finite are counted and otherwise left out. */
export interface TensorSums extends PairSums {
  nan: [number, number]
  infinite: [number, number]
  /** Rows that are all zero, each side; null where rows were not looked at. */
  deadRows: [number, number] | null
}

/** Adds pairs up, row by row. Rows are summed apart first, so that a long tensor does not drown its small numbers. */
export class RowSums {
  private readonly total: TensorSums
  private row = noSums()
  private readonly part = noSums()
  private left: number
  /** Whether the row has numbers that its sums leave out. */
  private alive = [false, false]
  private readonly hasRows: boolean

  constructor(
    private readonly rowLength: number,
    elements: number,
    private readonly onRow?: (aa: number, dd: number) => void
  ) {
    this.left = rowLength
    this.hasRows = rowLength < elements
    this.total = {
      ...noSums(),
      nan: [0, 0],
      infinite: [0, 0],
      deadRows: this.hasRows ? [0, 0] : null
    }
  }

  /** `count` float32 pairs at byte offsets `a` and `b` of the kernel's memory. */
  addBlock(kernel: WeightKernel, a: number, b: number, count: number): void {
    for (let done = 0; done < count;) {
      const length = Math.min(this.left, count - done)
      this.addPart(kernel, a + done * 4, b + done * 4, length)
      done += length
      this.left -= length
      if (this.left === 0) this.endRow()
    }
  }

  addPair(a: number, b: number): void {
    this.addCarefully(a, b)
    this.left -= 1
    if (this.left === 0) this.endRow()
  }

  end(): TensorSums {
    if (this.left !== this.rowLength) this.endRow()
    return this.total
  }

  private addPart(kernel: WeightKernel, a: number, b: number, count: number): void {
    const { part, row } = this
    part.aa = part.bb = part.ab = part.dd = part.changed = part.largest = 0
    kernel.addSums(a, b, count, part)
    if (Number.isFinite(part.aa + part.bb + part.dd)) {
      row.aa += part.aa
      row.bb += part.bb
      row.ab += part.ab
      row.dd += part.dd
      row.changed += part.changed
      if (part.largest > row.largest) row.largest = part.largest
      return
    }
    for (let index = 0; index < count; index += 1)
      this.addCarefully(kernel.floats[a / 4 + index] ?? 0, kernel.floats[b / 4 + index] ?? 0)
  }

  private addCarefully(a: number, b: number): void {
    const { total, row } = this
    const finite = [Number.isFinite(a), Number.isFinite(b)] as const
    if (finite[0] && finite[1]) {
      addPair(a, b, row)
      return
    }
    if (!Object.is(a, b)) row.changed += 1
    for (const side of [0, 1] as const) {
      const value = side === 0 ? a : b
      if (value !== 0) this.alive[side] = true
      if (finite[side]) continue
      if (Number.isNaN(value)) total.nan[side] += 1
      else total.infinite[side] += 1
    }
  }

  private endRow(): void {
    const { total, row } = this
    total.aa += row.aa
    total.bb += row.bb
    total.ab += row.ab
    total.dd += row.dd
    total.changed += row.changed
    if (row.largest > total.largest) total.largest = row.largest
    if (total.deadRows !== null) {
      if (row.aa === 0 && this.alive[0] !== true) total.deadRows[0] += 1
      if (row.bb === 0 && this.alive[1] !== true) total.deadRows[1] += 1
    }
    this.onRow?.(row.aa, row.dd)
    row.aa = row.bb = row.ab = row.dd = row.changed = row.largest = 0
    this.alive = [false, false]
    this.left = this.rowLength
  }
}
