import { knowledgeOf } from './catalogue'
import { columnOfPieces } from './pieces'
import type { SeriesReader } from './series-reader'
import type { Points } from './thinning'

/** Pieces in which a long stretch is looked through for its best value: the coarsest level serves. */
const PIECES = 64

/** The key behind `best(KEY)`; null for an ordinary key. */
export function baseOfBest(key: string): string | null {
  return /^best\((.+)\)$/.exec(key)?.[1] ?? null
}

/**
 * The best value of a key so far, over what was not left behind. A batch's best can fall while the best solution found
 * stands still, so this is a curve of its own. "Best" is the least where less is better.
 */
export class BestSoFar {
  private least: boolean
  private best = Number.NaN

  constructor(key: string) {
    this.least = knowledgeOf(key).direction === 'down'
  }

  /** One that goes on from here on its own. */
  copy(): BestSoFar {
    const copy = new BestSoFar('')
    return Object.assign(copy, { least: this.least, best: this.best })
  }

  /** Takes in rows `[from, to)` that are not drawn themselves. */
  async pass(reader: SeriesReader, from: number, to: number): Promise<void> {
    if (from >= to) return
    const pieces = await reader.pieces(from, to, PIECES)
    for (const value of columnOfPieces(pieces, this.least ? 'min' : 'max')) this.take(value)
  }

  /** The points, each with the best value up to it. */
  over(points: Points): Points {
    const raw = points.raw.slice()
    const column = this.least ? points.min : points.max
    for (let i = 0; i < points.count; i++) {
      // Two points stand for one column, both with its extremes: the best may have come only with the second.
      const paired =
        i + 1 < points.count &&
        points.min[i] === points.min[i + 1] &&
        points.max[i] === points.max[i + 1]
      this.take((paired ? points.raw[i] : column[i]) ?? Number.NaN)
      raw[i] = this.best
    }
    return { ...points, raw, min: raw, max: raw }
  }

  private take(value: number): void {
    if (!Number.isFinite(value)) return
    if (Number.isNaN(this.best) || (this.least ? value < this.best : value > this.best)) {
      this.best = value
    }
  }
}
