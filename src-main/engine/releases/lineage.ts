import type { Release } from '../../contract/releases'
import { serves } from './row-result'

/**
 * Marks the served row and, from it back through bases, what a rollback left behind. Changes `releases`.
 * @param servedStep step of the row that is served now; null when none is
 */
export function markLineage(releases: readonly Release[], servedStep: number | null): void {
  const byStep = new Map(releases.map((release) => [release.step, release]))
  const served = servedStep === null ? undefined : byStep.get(servedStep)
  if (served === undefined) return
  served.served = true
  const line = new Set<number>()
  let at: Release | undefined = served
  while (at !== undefined && !line.has(at.step)) {
    line.add(at.step)
    at = at.baseStep === null ? undefined : byStep.get(at.baseStep)
  }
  const bases = new Set(releases.map((release) => release.baseStep))
  for (const release of releases) {
    const onALine = serves(release.result) || bases.has(release.step)
    const anchor = onALine ? release.step : release.baseStep
    // Dead ends hang off their base: beside a line that lives on they are not left behind.
    release.leftBehind = anchor !== null && !line.has(anchor)
  }
}
