import { alignSamples, type Alignment, type Track } from '@contract/comparing'
import type { ChartData } from '../../charts'

/**
 * The curve of one key on a track, named by the side's label.
 * @param data the run's samples of that key on the track's `sampleAxis`
 */
export function alignCurve(
  track: Track,
  data: ChartData,
  key: string,
  alignment: Alignment
): ChartData['curves'][number] | null {
  const aligned = alignSamples(track, data.curves, key, alignment)
  if (aligned === null) return null
  const { x, raw, smooth } = aligned
  return {
    key: track.label,
    attempt: 1,
    source: '',
    superseded: false,
    total: x.length,
    x,
    min: raw,
    max: raw,
    raw,
    smooth,
    smoothed: true,
    nonFinite: [],
    nonFiniteCount: 0
  }
}

export function extentOf(curves: ChartData['curves']): readonly [number, number] | null {
  const ends = curves.flatMap(({ x }) => [x[0] ?? 0, x.at(-1) ?? 0])
  return ends.length === 0 ? null : [Math.min(...ends), Math.max(...ends)]
}
