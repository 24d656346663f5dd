import type { SideComparison } from '../../contract/compare'
import {
  alignSamples,
  sampleAxis,
  tracksOf,
  type Alignment,
  type Sampled,
  type Track
} from '../../contract/comparing'
import type { Figure } from '../compare'
import { defaultPanels, rewardSource, type SeriesNumbers } from '../metrics'
import type { RunService } from '../stacks'
import type { MetricReaders } from './metric-readers'

/** What curves are read from. */
interface Sources {
  runs: Pick<RunService, 'chain' | 'get' | 'paths'>
  metrics: Pick<MetricReaders, 'of'>
}

/** Charts of a page: the first of the family, where reward, evaluation and loss are. */
const FIGURES = 4
/** Samples asked for of each run. */
const COLUMNS = 1024

/** The raw columns of an answer (see `SeriesPart` for how they lie in it). */
function samplesOf({ parts, numbers }: SeriesNumbers): Sampled[] {
  return parts.map(({ key, attempt, offset, count }) => ({
    key,
    attempt,
    x: numbers.subarray(offset, offset + count),
    raw: numbers.subarray(offset + 3 * count, offset + 4 * count)
  }))
}

/** The first key of each of the family's first panels, of the first side that is a run. */
async function keysOf({ runs, metrics }: Sources, run: string): Promise<string[]> {
  const store = await metrics.of(runs.paths(run).metrics)
  const { summary } = await runs.get(run)
  const known = store.keys().map(({ key }) => key)
  const panels = defaultPanels(summary.recipe.family, known, rewardSource(store.series()))
  return panels.flatMap(({ keys }) => keys.slice(0, 1)).slice(0, FIGURES)
}

/**
 * The curves of every side that is a release or a run, laid over each other as the window does; none where no side is.
 * What the releases do not say (tokens) is replaced by steps, and `by` tells which it was.
 */
export async function sideCurves(
  services: Sources,
  { sides }: SideComparison,
  wanted: Alignment
): Promise<{ by: Alignment; figures: Omit<Figure, 'unit'>[] }> {
  const placed = await Promise.all(
    sides.flatMap(({ side, label, run, step }, place) => {
      if (run === null) return []
      const scenario = 'scenario' in side ? side.scenario : undefined
      const of = async () => {
        const { releases } =
          step === null ? { releases: [] } : await services.runs.chain({ run: run.id, scenario })
        return { label, run: run.id, step, releases, place }
      }
      return [of()]
    })
  )
  const asked = tracksOf(placed, wanted)
  const by = asked === null ? 'step' : wanted
  const tracks = asked ?? tracksOf(placed, 'step') ?? []
  const first = placed[0]?.run
  if (first === undefined) return { by, figures: [] }
  const keys = await keysOf(services, first)
  const place = (track: Track): string => `${sampleAxis(track, by)} ${track.run}`
  const samples = new Map<string, Sampled[]>()
  if (keys.length > 0)
    for (const track of tracks) {
      if (samples.has(place(track))) continue
      const { run } = track
      const store = await services.metrics.of(services.runs.paths(run).metrics)
      const answer = await store.query({
        run,
        keys,
        axis: sampleAxis(track, by),
        columns: COLUMNS,
        smoothing: { kind: 'none' }
      })
      samples.set(place(track), samplesOf(answer))
    }
  const figures = keys.map((title) => ({
    title,
    curves: tracks.flatMap((track, index) => {
      const points = alignSamples(track, samples.get(place(track)) ?? [], title, by)
      const side = placed[index]?.place ?? index
      return points === null ? [] : [{ label: track.label, side, points }]
    })
  }))
  return { by, figures: figures.filter(({ curves }) => curves.length > 0) }
}
