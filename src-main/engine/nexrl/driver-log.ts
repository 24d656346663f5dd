import type { ExportedWeights } from '../../contract/nexrl'
import { peelHead } from '../logs'

/** Life of sampler weights in the SDK's present default; NexRL passes none of its own (`weaver/_artifacts.py`). */
export const SAMPLER_LIFE_MS = 3_600_000

const MOST_EXPORTED = 50

/** What the lines of a driver's log have said so far. Times in Unix milliseconds, null before the first. */
export interface DriverReading {
  lines: number
  /** Boots seen beyond the first: the pod was restarted into the same log. */
  restarts: number
  booted: boolean
  /** Between the line that announces the configuration and the next stamped line: keys stand there in clear text. */
  inConfig: boolean
  controllerReady: boolean
  looping: boolean
  model: string | null
  batch: { done: number; of: number } | null
  workersActive: number | null
  trajectoriesFinished: number | null
  rewardMean: number | null
  groups: number
  equalGroups: number
  /** Newest completed step, counted from 0 as the trainer does. */
  lastStep: number | null
  stepAt: number | null
  skipped: number
  version: number | null
  syncedAt: number | null
  syncFailures: number
  /** Batches for which no new weights were sent, though there were some. */
  syncsNotNeeded: number
  exported: readonly ExportedWeights[]
  exportedCount: number
  heartbeatAt: number | null
  stepsReached: boolean
  exhausted: boolean
  finished: boolean
  /** The line that ended it, where the driver ended itself for a fault. */
  unhealthy: string | null
  modulesDead: string | null
  /** Last line of a traceback that nothing followed. Empty while its lines still come. */
  traceback: string | null
  errors: number
  lastError: string | null
  /** What a launch of one's own cluster left there, and the command that takes it away; null: nothing was said. */
  leftInCluster: string | null
}

export function freshReading(): DriverReading {
  return {
    lines: 0,
    restarts: 0,
    booted: false,
    inConfig: false,
    controllerReady: false,
    looping: false,
    model: null,
    batch: null,
    workersActive: null,
    trajectoriesFinished: null,
    rewardMean: null,
    groups: 0,
    equalGroups: 0,
    lastStep: null,
    stepAt: null,
    skipped: 0,
    version: null,
    syncedAt: null,
    syncFailures: 0,
    syncsNotNeeded: 0,
    exported: [],
    exportedCount: 0,
    heartbeatAt: null,
    stepsReached: false,
    exhausted: false,
    finished: false,
    unhealthy: null,
    modulesDead: null,
    traceback: null,
    errors: 0,
    lastError: null,
    leftInCluster: null
  }
}

type Change = Partial<DriverReading>
type Reader = (message: string, reading: DriverReading, at: number) => Change | null

/** Shapes of lines by the words they hold. Sources: `nexrl/controller.py`, `nexrl/trainer`, `nexrl/weight_sync`, `nexrl/main.py`. */
const readers: readonly (readonly [holds: string, read: Reader])[] = [
  ['Starting NexRL in', boot],
  ['Starting NexRL with configuration:', () => ({ inConfig: true })],
  ['Training client model id', modelId],
  ['NexRL Controller initialized successfully', () => ({ controllerReady: true })],
  ['Starting training loop', () => ({ looping: true, inConfig: false })],
  ['Module liveness check passed', (_, __, at) => ({ heartbeatAt: at, traceback: null })],
  ['Progress: ', progress],
  ['rollout metrics: ', rewardMean],
  ['rewards: [', group],
  ['Training step ', step],
  ['No valid datums after filtering', (_, reading) => ({ skipped: reading.skipped + 1 })],
  ['Weight synchronization completed', synced],
  ['Weight synchronization failed', (_, was) => ({ syncFailures: was.syncFailures + 1 })],
  ['weight sync not needed', (_, was) => ({ syncsNotNeeded: was.syncsNotNeeded + 1 })],
  ['Finish check: steps_reached=True', () => ({ stepsReached: true })],
  ['All data has been consumed', () => ({ exhausted: true })],
  ['NexRL training process finished', () => ({ finished: true })],
  ['NexRL training completed', () => ({ finished: true })],
  ['System health check', health],
  ['Module liveness check detected dead', (message) => ({ modulesDead: message })],
  ['Error in sample', failed],
  ['WeaverAPIError', failed],
  ['WeaverOperationError', failed],
  ['[slipway] still in the cluster: ', left]
]
const anyOf = new RegExp(
  readers.map(([holds]) => holds.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')
)
const TRACEBACK = 'Traceback (most recent call last):'
const ENDS_TRACEBACK = /^(?:\w+\.)*\w*(?:Error|Exception|Interrupt|Exit)\b.*/
const REWARD = /-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?=\)?\s*$)/
const STAMPED = /^\[\d{4}-\d\d-\d\d/

/** The reading after one more line of the log. Pure; the same object when the line says nothing. `at`: when it was written. */
export function readDriverLine(reading: DriverReading, line: string, at: number): DriverReading {
  const config =
    reading.inConfig && STAMPED.test(line) && !line.includes('configuration:')
      ? { ...reading, inConfig: false }
      : reading
  const found = anyOf.exec(line)
  if (found === null) return readTraceback(config, line)
  const reader = readers.find(([holds]) => holds === found[0])
  const { message } = peelHead(line)
  const change = reader?.[1](message, config, at) ?? null
  return change === null ? config : { ...config, ...change }
}

function readTraceback(reading: DriverReading, line: string): DriverReading {
  if (line.includes(TRACEBACK)) return { ...reading, traceback: '' }
  if (reading.traceback !== '') return reading
  return ENDS_TRACEBACK.test(line) ? { ...reading, traceback: line } : reading
}

function boot(_message: string, reading: DriverReading): Change {
  if (!reading.booted) return { booted: true }
  const { lines, restarts } = reading
  return { ...freshReading(), lines, restarts: restarts + 1, booted: true }
}

function modelId(message: string): Change | null {
  // Printed as a tuple: `('m-1f2e',)`.
  const model = /model id: \(?'?([^',)\s]+)/.exec(message)?.[1]
  return model === undefined ? null : { model }
}

function progress(message: string): Change {
  const batch = /Batch: (\d+)\/(\d+)/.exec(message)
  const workers = /Workers: (\d+) active/.exec(message)
  const finished = /Trajectories: (\d+) finished/.exec(message)
  return {
    ...(batch === null ? {} : { batch: { done: Number(batch[1]), of: Number(batch[2]) } }),
    ...(workers === null ? {} : { workersActive: Number(workers[1]) }),
    ...(finished === null ? {} : { trajectoriesFinished: Number(finished[1]) })
  }
}

function rewardMean(message: string): Change | null {
  const said = /'rollout\/reward_mean': (?:np\.float\d+\()?(-?[\d.eE+-]+)/.exec(message)?.[1]
  const mean = Number(said)
  return said === undefined || !Number.isFinite(mean) ? null : { rewardMean: mean }
}

function group(message: string, reading: DriverReading): Change | null {
  const said = /group_id: .*?rewards: \[([^\]]*)\]/.exec(message)?.[1]
  if (said === undefined) return null
  // With NumPy 2 each is printed as `np.float64(1.0)`.
  const rewards = said.split(',').map((one) => Number(REWARD.exec(one)?.[0] ?? Number.NaN))
  const equal = rewards.length > 1 && rewards.every((one) => one === rewards[0])
  return { groups: reading.groups + 1, equalGroups: reading.equalGroups + (equal ? 1 : 0) }
}

function step(message: string, reading: DriverReading, at: number): Change | null {
  const found = /^Training step (\d+) completed(?:, updated sampling path: (\S+))?/.exec(message)
  if (found === null) return null
  const completed = Number(found[1])
  const path = found[2]
  const weights: ExportedWeights[] =
    path === undefined
      ? []
      : [
          {
            step: completed + 1,
            path,
            at,
            expiresAt: path.startsWith('weaver://') ? at + SAMPLER_LIFE_MS : null
          }
        ]
  return {
    lastStep: completed,
    stepAt: at,
    traceback: null,
    exported: [...reading.exported, ...weights].slice(-MOST_EXPORTED),
    exportedCount: reading.exportedCount + weights.length
  }
}

function synced(message: string, _reading: DriverReading, at: number): Change {
  const version = /to version (\d+)/.exec(message)?.[1]
  return { syncedAt: at, ...(version === undefined ? {} : { version: Number(version) }) }
}

function health(message: string): Change | null {
  // With `policy: continue` the same check only warns, and says that the system remains healthy.
  return /System is unhealthy|critical issues/.test(message) ? { unhealthy: message } : null
}

function left(message: string): Change | null {
  const said = /still in the cluster: (.+)$/.exec(message)?.[1]
  return said === undefined ? null : { leftInCluster: said }
}

function failed(message: string, reading: DriverReading): Change {
  return { errors: reading.errors + 1, lastError: message }
}
