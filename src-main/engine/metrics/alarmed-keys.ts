import type { Text } from '../../contract/text'
import { type Alarm, alarmsOf, knowledgeOf } from './catalogue'
import type { MetricStore, SeriesFacts } from './model'

/** A key whose numbers are what the catalogue calls its failure. */
interface AlarmedKey {
  key: string
  /** The newest of the numbers that say so. */
  value: number
  /** The catalogue's words. */
  failure: Text
}

/** The keys of one attempt that are in alarm now, by the catalogue's limits. */
export async function alarmedKeys(
  store: Pick<MetricStore, 'series' | 'tail'>,
  attempt: number
): Promise<AlarmedKey[]> {
  const all = store.series().filter((series) => series.attempt === attempt && series.count > 0)
  const names = new Set(all.map(({ key }) => key))
  const found = new Map<string, AlarmedKey>()
  for (const series of all) {
    const { key } = series
    const { failure } = knowledgeOf(key)
    if (failure === undefined || found.has(key)) continue
    for (const alarm of alarmsOf(key)) {
      if (alarm.unless !== undefined && names.has(alarm.unless)) continue
      const value = await valueInAlarm(store, series, alarm)
      if (value !== null) found.set(key, { key, value, failure })
    }
  }
  return [...found.values()]
}

/** The newest number that is in alarm; null when it is none. */
async function valueInAlarm(
  store: Pick<MetricStore, 'tail'>,
  { key, count, first }: SeriesFacts,
  alarm: Alarm
): Promise<number | null> {
  const isIn = (value: number): boolean => value >= alarm.from && value <= alarm.to
  if (alarm.when === 'first') return first !== null && isIn(first.value) ? first.value : null
  if (count < alarm.when) return null
  const tail = await store.tail(key, alarm.when)
  const newest = tail.at(-1)
  if (newest === undefined || tail.length < alarm.when) return null
  return tail.every(({ value }) => isIn(value)) ? newest.value : null
}
