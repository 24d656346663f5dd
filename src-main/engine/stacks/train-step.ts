import type { SeriesFacts } from '../metrics'
import type { RunRecord } from '../runs'

/** Keys that a trainer prints with its optimizer step. */
const TRAINERS_OWN = /^train\//

/**
 * Optimizer step the trainer of the newest attempt told last, on the axis of its curves; null before it told one. What an
 * attempt that has told nothing works on is what the one before it in the same storage told; new storage begins anew.
 * The newest sample counts and not the largest: after a crash or on an older iteration a trainer is behind where it was.
 */
export function toldStep(
  series: readonly Pick<SeriesFacts, 'key' | 'axis' | 'attempt' | 'last'>[],
  attempts: readonly { number: number; storage: number }[]
): number | null {
  const newest = attempts.at(-1)
  const same = attempts.filter(({ storage }) => storage === newest?.storage)
  for (const { number } of [...same].reverse()) {
    const told = series.flatMap(({ key, axis, attempt, last }) =>
      axis === 'step' && attempt === number && last !== null ? [{ key, ...last }] : []
    )
    const own = told.filter(({ key }) => TRAINERS_OWN.test(key))
    const last = (own.length > 0 ? own : told).reduce<{ at: number; x: number } | null>(
      (best, one) =>
        best === null || one.at > best.at || (one.at === best.at && one.x > best.x) ? one : best,
      null
    )
    if (last !== null) return Math.trunc(last.x)
  }
  return null
}

/** The optimizer step people are shown. Of a NexRL driver and of an import it is counted elsewhere. */
export function trainStepOf({
  seen,
  imported
}: Pick<RunRecord, 'seen' | 'imported'>): number | null {
  if (imported !== undefined || seen.nexrl !== undefined) return seen.step
  // What a version wrote that did not look for it: the newest number of the chain is the best there is.
  return seen.trained === undefined ? seen.step : seen.trained
}

/** What is known of the step when an attempt begins: in the storage of the one before it goes on from there. */
export function carriedStep(
  { seen, attempts }: Pick<RunRecord, 'seen' | 'attempts'>,
  next: { storage: number }
): number | null {
  return attempts.at(-1)?.storage === next.storage ? (seen.trained ?? null) : null
}
