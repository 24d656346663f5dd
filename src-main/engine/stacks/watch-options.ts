import type { Clock, Redactor } from '../lib'
import type { WeaverClient } from '../weaver'
import type { Ingest, MetricStore } from '../metrics'
import type { ReleaseRow } from '../runs'
import type { StackHandle, Target } from '../targets'
import type { AttemptJournal } from './attempt-journal'
import type { Companions } from './companions'
import type { Below } from './quiet'
import type { ChainAttempt } from './served'

/** What watching one attempt needs. */
export interface WatchOptions {
  journal: AttemptJournal
  handle: StackHandle
  target: Target
  clock: Clock
  metrics: MetricStore
  ingest: Ingest
  redact: Redactor
  address: string
  companions: Companions
  token: string | null
  releases: readonly ReleaseRow[]
  /** All attempts of the run, this one included: the chain goes over all of them. */
  attempts: readonly ChainAttempt[]
  /** Milliseconds without any movement until the attempt is called quiet. */
  quietAfterMs: number
  /** Told when a look failed for a reason of our own: a full disk, a file that cannot be read. */
  onTrouble: (cause: unknown) => void
  signal: AbortSignal
  /** Somebody waits for the first look to have read everything: the looks follow one another until then. */
  hurry: boolean
  /** Whether somebody looks at its curves or its log now. */
  attended: () => boolean
  /** Values of the attempt's secret variables, by name. */
  secrets: readonly { name: string; value: string }[]
  /** What stands below the stack; null where that is not to be seen. */
  below: () => Promise<Below | null>
  /** Weaver with the person's key; null where there is no key. */
  weaver: () => Promise<WeaverClient | null>
}

/** Milliseconds between two looks. */
export const pace = {
  starting: 250,
  active: 1_000,
  idle: 2_500,
  stopping: 300,
  backOffMax: 15_000,
  trouble: 2_000,
  hurry: 100,
  /** Between two readings of logs that grow while somebody looks at them. */
  followed: 30
}

/** A look that comes later than this was not late work: the machine slept or we were stopped. */
export const LONGEST_GAP_MS = 20_000

/** How long the end waits for the last output of a container; then the next look waits again. */
export const COPY_PATIENCE_MS = 10_000

/** Looks in a row without an answer until the service is called unreachable. */
export const PATIENCE = 4
