/* global Blob */

/** A repeatable source of numbers in [0, 1) (mulberry32). */
export function numbersFrom(seed) {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

const shape = (points, noise, unit, multiply = false) => ({ points, noise, unit, multiply })

/** Curves of a run that went wrong after step 512, was taken back there, and learns on. */
const SHAPES = {
  'rollout/rewards': shape(
    [
      [0, 0.31],
      [160, 0.375],
      [300, 0.455],
      [512, 0.555],
      [592, 0.41],
      [593, 0.552],
      [921, 0.702],
      [4000, 0.9]
    ],
    0.05,
    'mean reward'
  ),
  'train/entropy_loss': shape(
    [
      [0, 0.62],
      [400, 0.505],
      [512, 0.475],
      [592, 0.19],
      [593, 0.47],
      [921, 0.382],
      [4000, 0.2]
    ],
    0.014,
    'nats'
  ),
  'train/grad_norm': shape(
    [
      [0, 0.42],
      [60, 0.3],
      [345, 0.4],
      [352, 0.28],
      [512, 0.27],
      [592, 2.6],
      [593, 0.36],
      [4000, 0.29]
    ],
    0.24,
    'L2',
    true
  ),
  'train/loss': shape(
    [
      [0, 0.02],
      [300, -0.004],
      [592, 0.01],
      [4000, -0.002]
    ],
    0.01,
    null
  ),
  'rollout/response_lengths': shape(
    [
      [0, 742],
      [512, 1010],
      [592, 610],
      [593, 1000],
      [921, 1168],
      [4000, 1500]
    ],
    90,
    'tokens'
  ),
  'perf/train_time': shape(
    [
      [0, 96],
      [4000, 99]
    ],
    2,
    's'
  ),
  'perf/train_wait_time': shape(
    [
      [0, 88],
      [512, 112],
      [592, 84],
      [4000, 140]
    ],
    6,
    's'
  )
}

const SPIKE_AT = 346

function interpolate(points, x) {
  const next = points.findIndex((point) => point[0] >= x)
  if (next <= 0) return points[Math.max(0, next)][1]
  const [before, after] = [points[next - 1], points[next]]
  return before[1] + ((after[1] - before[1]) * (x - before[0])) / (after[0] - before[0])
}

function valuesOf(key, newest) {
  const { points, noise, multiply } = SHAPES[key]
  const random = numbersFrom(key.length * 7919 + key.charCodeAt(key.length - 1))
  const values = Float64Array.from({ length: newest + 1 }, (_, x) => {
    const gauss = random() + random() + random() + random() - 2
    const base = interpolate(points, Math.min(x, 4000))
    return multiply ? base * Math.exp(gauss * noise) : base + gauss * noise
  })
  if (key === 'train/grad_norm') {
    values[SPIKE_AT - 1] = 9.5
    values[SPIKE_AT] = NaN
  }
  return values
}

const SPLITS = [
  { attempt: 1, superseded: false, from: 0, to: 512 },
  { attempt: 1, superseded: true, from: 512, to: 592 },
  { attempt: 2, superseded: false, from: 593, to: Infinity }
]

/** Answers a series query as the engine does: parts that point into one blob of float64 columns. */
export function answer(query, newest, revision) {
  const [low, high] = query.range ?? [0, newest]
  const parts = []
  const columns = []
  let offset = 0
  for (const key of query.keys) {
    const values = valuesOf(key, newest)
    for (const split of SPLITS) {
      const first = Math.max(split.from, Math.floor(low))
      const last = Math.min(split.to, newest, Math.ceil(high))
      if (last < first) continue
      const part = thinned(values, [first, last], query)
      const count = part[0].length
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
  return { revision, extent: [0, newest], parts, numbers: new Blob(columns) }
}

function thinned(values, [first, last], query) {
  const each = Math.max(1, Math.ceil((last - first + 1) / query.columns))
  const count = Math.ceil((last - first + 1) / each)
  const weight = query.smoothing.kind === 'ema' ? query.smoothing.weight : 0.9
  const out = [0, 1, 2, 3, 4].map(() => new Float64Array(count))
  let mean = 0
  let mass = 0
  for (let column = 0; column < count; column++) {
    const end = Math.min(last, first + (column + 1) * each - 1)
    const bucket = [...values.subarray(first + column * each, end + 1)]
    const legal = bucket.filter((value) => !Number.isNaN(value))
    for (const value of legal) {
      mean = mean * weight + value * (1 - weight)
      mass = mass * weight + (1 - weight)
    }
    out[0][column] = end
    out[1][column] = legal.length === 0 ? NaN : Math.min(...legal)
    out[2][column] = legal.length === 0 ? NaN : Math.max(...legal)
    out[3][column] = bucket.at(-1)
    out[4][column] = query.smoothing.kind === 'none' ? NaN : mean / mass
  }
  return out
}

/** What is known of each key, with its newest x. */
export function keyInfos(newest) {
  return Object.entries(SHAPES).map(([key, { unit }]) => ({
    key,
    axis: key.startsWith('train/') ? 'step' : 'rollout',
    ...(unit === null ? {} : { unit: { en: unit, zh: unit } }),
    description: { en: `About ${key}.`, zh: `关于 ${key}。` },
    direction: key === 'rollout/rewards' ? 'up' : 'none',
    count: newest + 1,
    nonFinite: key === 'train/grad_norm' ? 1 : 0,
    last: { x: newest, value: 1, at: Date.now() },
    source: 'practice'
  }))
}
