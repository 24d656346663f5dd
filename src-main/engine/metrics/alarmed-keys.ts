import type { Axis } from '../../contract/metrics'
import type { Text } from '../../contract/text'
import { type Alarm, alarmsOf, knowledgeOf } from './catalogue'
import type { MetricStore, SeriesFacts } from './model'

/** A key whose numbers are what the catalogue calls its failure. */
interface AlarmedKey {
  /** What is wrong: the key itself, or what it says together with others. */
  state: string
  key: string
  axis: Axis
  /** Where the newest of the numbers that say so was measured, on `axis`. */
  x: number
  /** That number. */
  value: number
  /** The catalogue's words. */
  failure: Text
}

/** Samples in a row without fault until what was wrong is over: a number that comes and goes is one fault. */
const WELL_AFTER = 30

type Store = Pick<MetricStore, 'series' | 'tail'>

/** What is wrong with numbers of one attempt now, by the catalogue's limits; each thing once, though several keys say it. */
export async function alarmedKeys(store: Store, attempt: number): Promise<AlarmedKey[]> {
  const found = new Map<string, AlarmedKey>()
  for (const { series, state, alarms } of limitedSeries(store, attempt)) {
    const { key, axis } = series
    const { failure } = knowledgeOf(key)
    if (failure === undefined || found.has(state)) continue
    for (const alarm of alarms) {
      const place = await placeInAlarm(store, series, alarm)
      if (place !== null) found.set(state, { state, key, axis, ...place, failure })
    }
  }
  return [...found.values()]
}

/**
 * What is asked about and is over: of one of their keys the newest numbers of the attempt are all without fault. Whether
 * another key is in alarm is not looked at.
 */
export async function wellAgain(
  store: Store,
  attempt: number,
  isAsked: (state: string) => boolean
): Promise<{ state: string; key: string; value: number }[]> {
  const found = new Map<string, { state: string; key: string; value: number }>()
  for (const { series, state, alarms } of limitedSeries(store, attempt)) {
    const { key, count } = series
    if (found.has(state) || count < WELL_AFTER || !isAsked(state)) continue
    const tail = await store.tail(key, WELL_AFTER)
    const newest = tail.at(-1)
    const isWell = tail.every(({ value }) => !alarms.some((alarm) => isIn(value, alarm)))
    if (newest !== undefined && isWell) found.set(state, { state, key, value: newest.value })
  }
  return [...found.values()]
}

/** The series of an attempt that have limits, with those that hold beside the other keys. */
function limitedSeries(
  store: Pick<MetricStore, 'series'>,
  attempt: number
): { series: SeriesFacts; state: string; alarms: Alarm[] }[] {
  const all = store.series().filter((series) => series.attempt === attempt && series.count > 0)
  const names = new Set(all.map(({ key }) => key))
  return all.flatMap((series) => {
    const alarms = alarmsOf(series.key).filter(
      ({ unless }) => unless === undefined || !names.has(unless)
    )
    const [first] = alarms
    return first === undefined ? [] : [{ series, state: first.state ?? series.key, alarms }]
  })
}

function isIn(value: number, { from, to }: Alarm): boolean {
  return value >= from && value <= to
}

/** The newest number that is in alarm, and where it was measured; null when it is none. */
async function placeInAlarm(
  store: Pick<MetricStore, 'tail'>,
  { key, count, first }: SeriesFacts,
  alarm: Alarm
): Promise<{ x: number; value: number } | null> {
  if (alarm.when === 'first')
    return first !== null && isIn(first.value, alarm) ? { x: first.x, value: first.value } : null
  if (count < alarm.when) return null
  const tail = await store.tail(key, alarm.when)
  const newest = tail.at(-1)
  if (newest === undefined || tail.length < alarm.when) return null
  const inAlarm = tail.every(({ value }) => isIn(value, alarm))
  return inAlarm ? { x: newest.x, value: newest.value } : null
}
