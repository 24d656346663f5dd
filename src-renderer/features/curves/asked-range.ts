import type { Range } from '../../charts'

/** Binary digits by which the stride of a followed range is finer than the range: it has four to eight of them. */
const FINER = 2
/** Widths drift in their last digits as a range is moved along; a power of two must not fall below itself by that. */
const DRIFT = 1e-9

/**
 * What the engine is asked for where a range follows new samples: whole strides around it, with room for what comes.
 * Every sample moves the range, and a question of its own for each would never rest long enough to be asked, and each
 * answer would be kept for a while. So the same question is asked again until the range has left its stride.
 * @returns the range, and how many times as wide as the shown one it is.
 */
export function followedRange(range: Range): { readonly range: Range; readonly times: number } {
  const width = range[1] - range[0]
  if (!(width > 0)) return { range, times: 1 }
  const stride = 2 ** (Math.floor(Math.log2(width * (1 + DRIFT))) - FINER)
  const low = Math.floor(range[0] / stride) * stride
  const high = (Math.floor(range[1] / stride) + 1) * stride
  return { range: [low, high], times: (high - low) / width }
}
