import type { KeyInfo, SeriesAnswer, SeriesPart, SeriesQuery } from '@contract/metrics'

/** A repeatable source of numbers in [0, 1) (mulberry32). */
export function numbersFrom(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

type Shape = {
  readonly points: readonly (readonly [number, number])[]
  readonly noise: number
  readonly unit: string | null
  readonly multiply?: boolean
}

/** Curves of a run that went wrong after step 512, was taken back there, and learns on. */
export const SHAPES: Readonly<Record<string, Shape>> = {
  'rollout/rewards': {
    points: [
      [0, 0.31],
      [160, 0.375],
      [300, 0.455],
      [512, 0.555],
      [592, 0.41],
      [593, 0.552],
      [921, 0.702],
      [4000, 0.9]
    ],
    noise: 0.05,
    unit: 'mean reward'
  },
  'train/entropy_loss': {
    points: [
      [0, 0.62],
      [400, 0.505],
      [512, 0.475],
      [592, 0.19],
      [593, 0.47],
      [921, 0.382],
      [4000, 0.2]
    ],
    noise: 0.014,
    unit: 'nats'
  },
  'train/grad_norm': {
    points: [
      [0, 0.42],
      [60, 0.3],
      [345, 0.4],
      [352, 0.28],
      [512, 0.27],
      [592, 2.6],
      [593, 0.36],
      [4000, 0.29]
    ],
    noise: 0.24,
    unit: 'L2',
    multiply: true
  },
  'train/loss': {
    points: [
      [0, 0.02],
      [300, -0.004],
      [592, 0.01],
      [4000, -0.002]
    ],
    noise: 0.01,
    unit: null
  },
  'rollout/response_lengths': {
    points: [
      [0, 742],
      [512, 1010],
      [592, 610],
      [593, 1000],
      [921, 1168],
      [4000, 1500]
    ],
    noise: 90,
    unit: 'tokens'
  },
  'perf/train_time': {
    points: [
      [0, 96],
      [4000, 99]
    ],
    noise: 2,
    unit: 's'
  },
  'perf/train_wait_time': {
    points: [
      [0, 88],
      [512, 112],
      [592, 84],
      [4000, 140]
    ],
    noise: 6,
    unit: 's'
  }
}

const SPIKE_AT = 346

function valuesOf(key: string, newest: number): Float64Array {
  const shape = SHAPES[key]
  const values = new Float64Array(newest + 1)
  const random = numbersFrom(key.length * 7919 + key.charCodeAt(key.length - 1))
  for (let x = 0; x <= newest; x++) {
    const gauss = random() + random() + random() + random() - 2
    const base = shape === undefined ? 0 : interpolate(shape.points, x)
    const noise = shape?.noise ?? 1
    values[x] = shape?.multiply === true ? base * Math.exp(gauss * noise) : base + gauss * noise
  }
  if (key === 'train/grad_norm') {
    values[SPIKE_AT - 1] = 9.5
    values[SPIKE_AT] = NaN
  }
  return values
}

function interpolate(points: readonly (readonly [number, number])[], x: number): number {
  for (let index = 1; index < points.length; index++) {
    const [before, after] = [points[index - 1], points[index]]
    if (before === undefined || after === undefined || x > after[0]) continue
    return before[1] + ((after[1] - before[1]) * (x - before[0])) / (after[0] - before[0])
  }
  return points.at(-1)?.[1] ?? 0
}

const SPLITS = [
  { attempt: 1, superseded: false, from: 0, to: 512 },
  { attempt: 1, superseded: true, from: 512, to: 592 },
  { attempt: 2, superseded: false, from: 593, to: Infinity }
]

/** Answers as the engine does: parts that point into one blob of float64 columns. */
export function answer(query: SeriesQuery, newest: number, revision: number): SeriesAnswer {
  const [low, high] = query.range ?? [0, newest]
  const parts: SeriesPart[] = []
  const columns: Float64Array[] = []
  let offset = 0
  for (const key of query.keys) {
    const values = valuesOf(key, newest)
    for (const split of SPLITS) {
      const first = Math.max(split.from, Math.floor(low))
      const last = Math.min(split.to, newest, Math.ceil(high))
      if (last < first) continue
      const part = thinned(values, [first, last], query)
      const count = part[0]?.length ?? 0
      const broken = key === 'train/grad_norm' && first <= SPIKE_AT && last >= SPIKE_AT
      parts.push({
        key,
        attempt: split.attempt,
        source: 'practice',
        offset,
        count,
        total: last - first + 1,
        superseded: split.superseded,
        nonFinite: broken ? [{ x: SPIKE_AT, kind: 'nan' }] : [],
        nonFiniteCount: broken ? 1 : 0
      })
      columns.push(...part)
      offset += count * 5
    }
  }
  const numbers = new Blob(columns.map((column) => new Float64Array(column)))
  return { revision, extent: [0, newest], parts, numbers }
}

function thinned(
  values: Float64Array,
  span: readonly [number, number],
  query: SeriesQuery
): Float64Array[] {
  const each = Math.max(1, Math.ceil((span[1] - span[0] + 1) / query.columns))
  const count = Math.ceil((span[1] - span[0] + 1) / each)
  const weight = query.smoothing.kind === 'ema' ? query.smoothing.weight : 0.9
  const out = [0, 1, 2, 3, 4].map(() => new Float64Array(count))
  let mean = 0
  let mass = 0
  for (let column = 0; column < count; column++) {
    let low = Infinity
    let high = -Infinity
    let last = NaN
    const end = Math.min(span[1], span[0] + (column + 1) * each - 1)
    for (let x = span[0] + column * each; x <= end; x++) {
      const value = values[x] ?? NaN
      last = value
      if (Number.isNaN(value)) continue
      low = Math.min(low, value)
      high = Math.max(high, value)
      mean = mean * weight + value * (1 - weight)
      mass = mass * weight + (1 - weight)
    }
    const smooth = query.smoothing.kind === 'none' ? NaN : mean / mass
    ;[
      end,
      Number.isFinite(low) ? low : NaN,
      Number.isFinite(high) ? high : NaN,
      last,
      smooth
    ].forEach((value, index) => {
      const target = out[index]
      if (target !== undefined) target[column] = value
    })
  }
  return out
}

export function keyInfos(newest: number): KeyInfo[] {
  return Object.entries(SHAPES).map(([key, shape]) => ({
    key,
    axis: key.startsWith('train/') ? 'step' : 'rollout',
    ...(shape.unit === null ? {} : { unit: { en: shape.unit, zh: shape.unit } }),
    description: { en: `About ${key}.`, zh: `关于 ${key}。` },
    direction: key === 'rollout/rewards' ? 'up' : 'none',
    count: newest + 1,
    nonFinite: key === 'train/grad_norm' ? 1 : 0,
    last: { x: newest, value: 1, at: Date.now() },
    source: 'practice'
  }))
}
