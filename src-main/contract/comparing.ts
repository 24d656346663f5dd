import type { Release } from './releases'

/** What the page and the engine do alike when sides are compared. No schema is here: the page bundles what it imports. */

/**
 * Releases up to each side whose numbers are averaged where nobody says otherwise: enough for an interval of a mean, few
 * enough that the releases are still of one kind with the compared one.
 */
export const COMPARED_WINDOW = 4

/** By what the curves of several sides are laid over each other. */
export const ALIGNMENTS = ['step', 'tokens', 'time', 'fork'] as const
export type Alignment = (typeof ALIGNMENTS)[number]

/** What one release took of an axis, and where that stretch begins on it. */
type Stretch = {
  readonly attempt: number
  /** Unix milliseconds in which it was learnt: `(from, to]`. */
  readonly from: number
  readonly to: number
  /** Place on the aligned axis, and width there. */
  readonly at: number
  readonly width: number
}

/**
 * One side's way on the aligned axis: the releases it came through, oldest first, and no branch it left. Null where the
 * run has no release: its samples stand where they were logged.
 */
export type Track = {
  readonly label: string
  readonly run: string
  readonly stretches: Stretch[] | null
}

export type TrackSide = {
  readonly label: string
  readonly run: string
  /** Null: a run without a release. */
  readonly step: number | null
  /** Chain of its run, newest first. */
  readonly releases: readonly Release[]
}

/** From the creation to a release, by what each was made from. */
export function lineageOf(releases: readonly Release[], step: number): Release[] {
  const byStep = new Map(releases.map((release) => [release.step, release]))
  const path: Release[] = []
  let at = byStep.get(step)
  // A damaged chain may name a base that is not older: the way back ends there.
  while (at !== undefined && path.length <= releases.length) {
    path.unshift(at)
    const base = at.baseStep
    at = base === null || base >= at.step ? undefined : byStep.get(base)
  }
  return path
}

/** Newest release two ways share; null when they share none. */
export function forkOf(one: readonly Release[], two: readonly Release[]): number | null {
  const seen = new Set(one.map(({ step }) => step))
  return [...two].reverse().find(({ step }) => seen.has(step))?.step ?? null
}

/** Keys that tell how many tokens one answer of a step had, the best first. */
const LENGTHS = ['rollout/total_lengths', 'rollout/response_len/mean', 'rollout/response_lengths']

/** Tokens a release was trained on: mean length times answers; null where its row does not say. */
export function tokensOf(release: Release): number | null {
  if (release.operation !== 'training') return 0
  const length = LENGTHS.map((key) => release.metrics[key]).find(
    (value) => typeof value === 'number' && Number.isFinite(value)
  )
  if (typeof length !== 'number' || release.consumed === null) return null
  return length * release.consumed
}

function stepsOf(release: Release): number {
  if (release.operation !== 'training') return 0
  const steps = release.metrics['optimizer_steps']
  return typeof steps === 'number' && Number.isFinite(steps) && steps > 0 ? steps : 1
}

/** What a release takes of the axis; null: its row does not say. Time in seconds. */
function widthOf(release: Release, alignment: Alignment): number | null {
  switch (alignment) {
    case 'step':
    case 'fork':
      return stepsOf(release)
    case 'tokens':
      return tokensOf(release)
    case 'time':
      return release.operation === 'training' ? (release.took ?? 0) / 1000 : 0
  }
}

/**
 * Lays every side's way on one axis. With `fork`, zero is where the sides of one run part; a side of another run than
 * the first begins at zero. Null when a side's releases, or a run without any, do not say what the axis counts.
 */
export function tracksOf(sides: readonly TrackSide[], alignment: Alignment): Track[] | null {
  const ways = sides.map(({ releases, step }) => (step === null ? [] : lineageOf(releases, step)))
  const tracks: Track[] = []
  for (const [index, side] of sides.entries()) {
    if (side.step === null) {
      if (alignment === 'tokens') return null
      tracks.push({ label: side.label, run: side.run, stretches: null })
      continue
    }
    const way = ways[index] ?? []
    const widths = way.map((release) => widthOf(release, alignment))
    if (widths.includes(null)) return null
    const zero = alignment === 'fork' ? forkPlace(sides, ways, index) : 0
    let at = -zero
    const stretches = way.flatMap((release, place): Stretch[] => {
      const width = widths[place] ?? 0
      const begin = at
      at += width
      if (release.recordedAt === null || width === 0) return []
      const { attempt, recordedAt: to, took } = release
      return [{ attempt, from: to - (took ?? 0), to, at: begin, width }]
    })
    tracks.push({ label: side.label, run: side.run, stretches })
  }
  return tracks
}

/** Steps of a way up to where the first of its run's sides parts from it. */
function forkPlace(sides: readonly TrackSide[], ways: readonly Release[][], index: number): number {
  const way = ways[index] ?? []
  const forks = ways.flatMap((other, at) => {
    if (at === index || sides[at]?.run !== sides[index]?.run) return []
    const fork = forkOf(way, other)
    return fork === null ? [] : [fork]
  })
  if (forks.length === 0) return 0
  const fork = Math.min(...forks)
  return way.reduce((sum, release) => (release.step <= fork ? sum + stepsOf(release) : sum), 0)
}

/** Whether the axis counts: then what was learnt within a stretch of one stands at its end. */
function placeIn(stretch: Stretch, time: number, counts: boolean): number {
  const { from, to, at, width } = stretch
  const share = to <= from ? 1 : Math.min(1, Math.max(0, (time - from) / (to - from)))
  if (!counts) return at + share * width
  return at + Math.max(1, Math.ceil(share * width - 1e-9))
}

/** The axis on which the samples of a track are asked for. */
export function sampleAxis(track: Track, alignment: Alignment): 'wall' | 'native' | 'relative' {
  if (track.stretches !== null) return 'wall'
  return alignment === 'time' ? 'relative' : 'native'
}

/** Samples of one key in one attempt; `x` on the axis that `sampleAxis` names, wall being Unix milliseconds. */
export type Sampled = {
  readonly key: string
  readonly attempt: number
  readonly x: ArrayLike<number>
  readonly raw: ArrayLike<number>
}

export type Aligned = {
  readonly x: Float64Array
  readonly raw: Float64Array
  readonly smooth: Float64Array
}

/** The samples of one key that a track came through, by their place on the aligned axis; null when there are none. */
export function alignSamples(
  track: Track,
  curves: readonly Sampled[],
  key: string,
  alignment: Alignment
): Aligned | null {
  const counts = alignment === 'step' || alignment === 'fork'
  const points = track.stretches === null ? plainPoints(curves, key) : []
  for (const stretch of track.stretches ?? [])
    for (const curve of curves) {
      if (curve.key !== key || curve.attempt !== stretch.attempt) continue
      for (let index = 0; index < curve.x.length; index += 1) {
        const time = curve.x[index] ?? Number.NaN
        const value = curve.raw[index] ?? Number.NaN
        if (!(time > stretch.from && time <= stretch.to) || !Number.isFinite(value)) continue
        points.push({ x: placeIn(stretch, time, counts), value })
      }
    }
  if (points.length === 0) return null
  points.sort((one, two) => one.x - two.x)
  const raw = Float64Array.from(points, (point) => point.value)
  return { x: Float64Array.from(points, (point) => point.x), raw, smooth: smoothed(raw) }
}

/** Samples of one key where they were logged, of all attempts. */
function plainPoints(curves: readonly Sampled[], key: string): { x: number; value: number }[] {
  return curves
    .filter((curve) => curve.key === key)
    .flatMap(({ x, raw }) =>
      Array.from(x, (place, index) => ({ x: place, value: raw[index] ?? NaN }))
    )
    .filter((point) => Number.isFinite(point.x) && Number.isFinite(point.value))
}

/** Exponential average with bias correction, weight 0.8: enough to see the course of a few dozen points. */
function smoothed(values: Float64Array): Float64Array {
  const weight = 0.8
  let sum = 0
  let norm = 0
  return values.map((value) => {
    sum = weight * sum + (1 - weight) * value
    norm = weight * norm + (1 - weight)
    return sum / norm
  })
}
