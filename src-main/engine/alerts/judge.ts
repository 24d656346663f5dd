import type { Alert } from '../../contract/alerts'
import type { QueuedLaunch } from '../../contract/queue'
import type { RunEvent, RunSummary } from '../../contract/run'

/** A launch in the queue that does not start. */
type Refused = Pick<QueuedLaunch, 'id' | 'name'> & {
  state: Extract<QueuedLaunch['state'], { kind: 'refused' }>
}

/** Events of a run that are worth an alert, by their kind. */
const eventAlerts: Readonly<Record<string, Alert['kind']>> = {
  'not-finite': 'not-finite',
  'nan-gradient': 'not-finite',
  'reward-collapse': 'reward-collapse',
  'metric-unhealthy': 'unhealthy',
  'disk-filling': 'disk',
  'companion-failing': 'companion'
}

/**
 * What about one run deserves an alert now; `quietMs`: how long it may be quiet. An alert's id names the thing, so that
 * finding it again is no second alert: one of a kind for an attempt, one for each companion of it, one for each time it fell quiet, and one for each
 * fault of a metric, which is an event again only after it was over.
 */
export function alertsOf(
  run: RunSummary,
  events: readonly RunEvent[],
  now: number,
  quietMs: number
): Alert[] {
  const common = { run: run.id, runName: run.name }
  const { state } = run
  const found: Alert[] = []
  if (state.kind === 'failed') {
    const id = `${run.id} crash ${run.attempt}`
    found.push({
      ...common,
      id,
      at: state.at,
      kind: 'crash',
      text: state.cause,
      step: run.trainStep
    })
  }
  if (state.kind === 'stopped' && state.unsure === true) {
    const id = `${run.id} unsure-end ${run.attempt}`
    const { at, why } = state
    found.push({ ...common, id, at, kind: 'unsure-end', text: why ?? run.now, step: run.trainStep })
  }
  if (state.kind === 'quiet' && now - state.since >= quietMs) {
    const id = `${run.id} quiet ${state.since}`
    found.push({
      ...common,
      id,
      at: state.since + quietMs,
      kind: 'quiet',
      text: state.why,
      step: run.trainStep
    })
  }
  for (const event of events) {
    const kind = eventAlerts[event.kind]
    if (kind === undefined) continue
    const id = `${run.id} ${kind} ${whichOf(kind, event)}`
    if (found.some((alert) => alert.id === id)) continue
    found.push({ ...common, id, at: event.at, kind, text: event.text, step: event.step ?? null })
  }
  return found
}

/** Which of those of a kind in a run it is. */
function whichOf(kind: Alert['kind'], event: RunEvent): string {
  if (kind === 'unhealthy') return faultOf(event)
  if (kind === 'companion') return `${event.attempt} ${String(event.data?.['name'])}`
  return String(event.attempt)
}

/** Which fault of which metric: what its event's own key says after the kind. */
function faultOf({ data, kind }: RunEvent): string {
  return String(data?.['key']).slice(kind.length + 1)
}

/** A launch that waited and does not start; each refusal of it is another one. Pure. */
export function refusedAlert({ id, name, state }: Refused): Alert {
  const { at, failure } = state
  return {
    id: `queue ${id} ${at}`,
    at,
    run: null,
    runName: name,
    kind: 'queue',
    text: failure.what,
    step: null
  }
}
