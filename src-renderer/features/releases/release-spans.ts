import type { Release } from '@contract/releases'
import type { AxisKind, LaneBlock } from '../../charts'
import { kindOf, metricOf, nameOf } from './release-model'

/** What places a chain on the x axis of the curves. */
export type SpanScene = {
  /** Newest first, as the engine gives them. */
  readonly releases: readonly Release[]
  readonly axis: AxisKind
  /** Unix milliseconds at which each attempt began: the zero of its relative time. */
  readonly attemptStarts: ReadonlyMap<number, number>
  /** Newest x of the curves, and whether training goes on: draws the release being made. */
  readonly newest: number | null
  readonly training: boolean
}

/**
 * The stretch of the x axis each release owns, oldest first: `(from, to]`, ending at the optimizer step (or the
 * moment) that made it. Rows made without training, as rollbacks, have no width and stand where they happened.
 */
export function releaseSpans(scene: SpanScene): LaneBlock[] {
  const oldestFirst = [...scene.releases].reverse()
  const places = scene.axis === 'step' ? stepPlaces(oldestFirst) : timePlaces(oldestFirst, scene)
  const blocks: LaneBlock[] = []
  for (const [index, release] of oldestFirst.entries()) {
    const place = places[index]
    if (place === null || place === undefined) continue
    const target = release.rollbackTargetStep
    const back = target === null ? null : places[indexOf(oldestFirst, target)]
    blocks.push({
      step: release.step,
      label: nameOf(release.step),
      kind: kindOf(release),
      from: place.from,
      to: place.to,
      restorable: release.restorable,
      backTo: back?.to ?? null,
      backToStep: target
    })
  }
  blocks.push(...inTraining(scene, blocks))
  return blocks
}

/** Chains are nearly always without holes: a row is where its step says. */
function indexOf(rows: readonly { readonly step: number }[], step: number): number {
  const guess = step - (rows[0]?.step ?? 0)
  return rows[guess]?.step === step ? guess : rows.findIndex((row) => row.step === step)
}

/** The block of a release among those of its chain. */
export function spanOf(blocks: readonly LaneBlock[], step: number): LaneBlock | null {
  return blocks[indexOf(blocks, step)] ?? null
}

type Place = { readonly from: number; readonly to: number }

/**
 * Ends on the optimizer step a row names itself (`train/step`, counted from 0 as the trainer prints it); else the
 * row's count of optimizer steps is added up; else each trained row is one step, which is how single rollouts train.
 */
function stepPlaces(releases: readonly Release[]): Place[] {
  const places: Place[] = []
  const named = releases.some((release) => metricOf(release, 'train/step') !== null)
  let at = -1
  let attempt = releases[0]?.attempt ?? 1
  for (const release of releases) {
    const own = named ? metricOf(release, 'train/step') : null
    const width = trainedSteps(release)
    if (release.attempt !== attempt) {
      attempt = release.attempt
      // An attempt with new storage counts its steps from 0 again; one that resumed goes on.
      if (release.commitStep < release.step) at = -1
    }
    if (own !== null && own < at) at = own - Math.max(1, width)
    const to = own ?? (named ? at : at + width)
    places.push({ from: Math.min(at, to), to })
    at = to
  }
  return places
}

function trainedSteps(release: Release): number {
  if (release.operation !== 'training') return 0
  return metricOf(release, 'optimizer_steps') ?? 1
}

function timePlaces(releases: readonly Release[], scene: SpanScene): (Place | null)[] {
  const places: (Place | null)[] = []
  let before: number | null = null
  for (const release of releases) {
    if (release.recordedAt === null) {
      places.push(null)
      continue
    }
    const at = release.recordedAt
    const begin = release.took === null ? (before ?? at) : at - release.took
    const toAxis = timeOf(scene, release.attempt)
    const trained = release.operation === 'training'
    places.push({ from: toAxis(trained ? begin : at), to: toAxis(at) })
    before = at
  }
  return places
}

/** Unix milliseconds to the axis: as they are, or seconds since the attempt began. */
function timeOf(scene: SpanScene, attempt: number): (at: number) => number {
  if (scene.axis !== 'relative') return (at) => at
  const start = scene.attemptStarts.get(attempt) ?? 0
  return (at) => Math.max(0, at - start) / 1000
}

/** The release being made now: what was learnt since the newest row. */
function inTraining(scene: SpanScene, blocks: readonly LaneBlock[]): LaneBlock[] {
  const last = blocks.at(-1)
  if (!scene.training || scene.newest === null || last === undefined) return []
  if (scene.newest <= last.to) return []
  return [
    {
      step: last.step + 1,
      label: nameOf(last.step + 1),
      kind: 'running',
      from: last.to,
      to: scene.newest,
      restorable: false,
      backTo: null,
      backToStep: null
    }
  ]
}
