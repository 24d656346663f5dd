import type { KeyInfo } from '../../contract/metrics'
import { knowledgeOf } from './catalogue'
import type { Series } from './series'

/** What is known about every key: counts over all attempts, the newest sample, and the catalogue's words. */
export function keyInfos(all: readonly Series[]): KeyInfo[] {
  const byKey = new Map<string, Series[]>()
  for (const series of all) {
    if (series.count === 0) continue
    const group = byKey.get(series.key)
    if (group === undefined) byKey.set(series.key, [series])
    else group.push(series)
  }
  return [...byKey].map(([key, group]) => keyInfo(key, group)).sort(byName)
}

function keyInfo(key: string, group: readonly Series[]): KeyInfo {
  const newest = group.reduce((a, b) =>
    b.attempt > a.attempt || (b.attempt === a.attempt && b.count > a.count) ? b : a
  )
  return {
    key,
    axis: newest.axis,
    ...knowledgeOf(key),
    count: group.reduce((sum, series) => sum + series.count, 0),
    nonFinite: group.reduce((sum, series) => sum + series.nonFinite, 0),
    last: newest.lastFinite,
    source: newest.source
  }
}

function byName(a: KeyInfo, b: KeyInfo): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0
}
