import type { Release } from '@contract/releases'
import type { AxisKind, LaneBlock } from '../../charts'
import { kindOf, metricOf, nameOf } from './release-model'

/** What places a chain on the x axis of the curves. */
export type SpanScene = {
  /** Newest first, as the engine gives them. */
  readonly releases: readonly Release[]
  readonly axis: AxisKind
  /** Unix milliseconds of the run's start, the zero of relative time. */
  readonly startedAt: number
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
  const blocks = oldestFirst.flatMap((release): LaneBlock[] => {
    const place = places.get(release.step)
    if (place === undefined) return []
    const target = release.rollbackTargetStep
    const back = target === null ? undefined : places.get(target)
    return [
      {
        step: release.step,
        label: nameOf(release.step),
        kind: kindOf(release),
        from: place.from,
        to: place.to,
        restorable: release.restorable,
        backTo: back?.to ?? null
      }
    ]
  })
  return [...blocks, ...inTraining(scene, blocks)]
}

type Place = { readonly from: number; readonly to: number }

/**
 * Ends on the optimizer step a row names itself (`train/step`, counted from 0 as the trainer prints it); else the
 * row's count of optimizer steps is added up; else each trained row is one step, which is how single rollouts train.
 */
function stepPlaces(releases: readonly Release[]): Map<number, Place> {
  const places = new Map<number, Place>()
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
    places.set(release.step, { from: Math.min(at, to), to })
    at = to
  }
  return places
}

function trainedSteps(release: Release): number {
  if (release.operation !== 'training') return 0
  return metricOf(release, 'optimizer_steps') ?? 1
}

function timePlaces(releases: readonly Release[], scene: SpanScene): Map<number, Place> {
  const zero = scene.axis === 'relative' ? scene.startedAt : 0
  const places = new Map<number, Place>()
  let before: number | null = null
  for (const release of releases) {
    if (release.recordedAt === null) continue
    const to = release.recordedAt - zero
    const begin = release.took === null ? (before ?? to) : to - release.took
    const trained = release.operation === 'training'
    places.set(release.step, { from: trained ? begin : to, to })
    before = to
  }
  return places
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
      backTo: null
    }
  ]
}
