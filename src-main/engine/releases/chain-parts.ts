import { isDeepStrictEqual } from 'node:util'
import type { Chain, ChainPart, Release } from '../../contract/releases'

/** Rows of one part: read by the page without a pause that a person would feel. */
const ROWS_A_PART = 200

/** Rows of `after` that `before` has not, or has otherwise; null when rows of `before` are gone. */
function changedRows(before: Chain, after: Chain): Release[] | null {
  if (before.scenario !== after.scenario) return null
  const known = new Map(before.releases.map((release) => [release.step, release]))
  const changed: Release[] = []
  let kept = 0
  for (const release of after.releases) {
    const old = known.get(release.step)
    if (old !== undefined) kept += 1
    if (old === undefined || !isDeepStrictEqual(old, release)) changed.push(release)
  }
  return kept === known.size ? changed : null
}

/** What to send to one who has `before` (null: nothing) so that they have `after`. At least one part. */
export function* partsOf(before: Chain | null, after: Chain): Generator<ChainPart> {
  const changed = before === null ? null : changedRows(before, after)
  const rows = changed ?? after.releases
  const total = after.releases.length
  for (let at = 0; at === 0 || at < rows.length; at += ROWS_A_PART)
    yield {
      ...after,
      releases: rows.slice(at, at + ROWS_A_PART),
      fresh: changed === null && at === 0,
      total,
      done: at + ROWS_A_PART >= rows.length
    }
}

/** A watched chain in parts. */
export async function* inParts(
  chains: AsyncIterable<Chain>
): AsyncGenerator<ChainPart, void, undefined> {
  let sent: Chain | null = null
  for await (const chain of chains) {
    yield* partsOf(sent, chain)
    sent = chain
  }
}
