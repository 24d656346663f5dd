import type { Seen } from '../runs'
import { type MetricStore, rewardSource } from '../metrics'

const POINTS = 32

/** Newest and first reward and a sparkline; null while there is none. */
export async function readReward(metrics: MetricStore): Promise<Seen['reward']> {
  const source = rewardSource(metrics.series())
  if (source === null) return null
  const { parts, numbers } = await metrics.query({
    run: '',
    keys: [source.key],
    axis: 'native',
    columns: POINTS,
    smoothing: { kind: 'none' }
  })
  const spark = parts.flatMap((part) => {
    // Columns x, min, max, raw, smooth follow one another; the fourth holds the last value of each point.
    const from = part.offset + 3 * part.count
    return [...numbers.subarray(from, from + part.count)].filter(Number.isFinite)
  })
  return {
    key: source.key,
    last: spark.at(-1) ?? null,
    first: spark[0] ?? null,
    spark: thinned(spark, 64)
  }
}

function thinned(values: readonly number[], most: number): number[] {
  if (values.length <= most) return [...values]
  const step = (values.length - 1) / (most - 1)
  return Array.from({ length: most }, (_, index) => values[Math.round(index * step)] ?? 0)
}
