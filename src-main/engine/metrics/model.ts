import type { Axis, KeyInfo, SeriesAnswer, SeriesQuery } from '../../contract/metrics'
import type { Progress } from '../../contract/logs'
import type { FileAccess } from '../targets'

/** What one log line (or one imported record) measured: several keys at one place of one axis. */
export interface Row {
  axis: Axis
  /** Place on `axis`. For the wall axis Unix milliseconds. */
  x: number
  /** Unix milliseconds of the measurement, as well as it is known. */
  at: number
  keys: readonly string[]
  /** As many as `keys`; NaN and infinities are kept, they are the alarm. */
  values: readonly number[]
}

/** Something the stack said that is not a number: ready, saved, out of memory, … */
export interface StackEvent {
  /** 0-based number within the run; never reused, never missing: what a reader deduplicates by. */
  seq: number
  source: string
  attempt: number
  /** Byte offset of the line within its source. */
  offset: number
  /** Unix milliseconds. */
  at: number
  /** Stable kebab-case name, e.g. `service-ready`, `out-of-memory`, `log-truncated`. */
  kind: string
  severity: 'info' | 'warning' | 'error'
  step?: number
  /** Parts of the line by name: service, path, reason, …; `zh` is the line in Chinese, where it is ours. Redacted. */
  data: Record<string, string>
  /** The line, redacted, at most 2 kB. */
  line: string
}

/** How far a source has been read, and what the parser must remember to go on from there. */
export interface SourceCursor {
  attempt: number
  /** Byte offset of the first byte not yet taken in. */
  offset: number
  /** Opaque to the store: whatever the writer of the frame gave. */
  state: string
}

/** What is appended at once: all of it is kept, or (after a crash) nothing of it. */
export interface Frame {
  source: string
  attempt: number
  /** The bytes of the source this frame stands for: `[from, to)`. The store's cursor becomes `to`. */
  from: number
  to: number
  state?: string
  rows: readonly Row[]
  events?: readonly Omit<StackEvent, 'seq' | 'source' | 'attempt'>[]
}

/** Bytes at the end of a journal that are no whole frames. */
export interface Unread {
  /** `torn`: a frame without its end, perhaps being written. `damaged`: other bytes than were written. */
  kind: 'torn' | 'damaged'
  /** The first of them. */
  offset: number
  bytes: number
}

/** One stored number. */
export interface Sample {
  key: string
  axis: Axis
  attempt: number
  source: string
  x: number
  at: number
  value: number
}

/** One key of one source within one attempt. */
export interface SeriesFacts {
  key: string
  axis: Axis
  attempt: number
  source: string
  count: number
  nonFinite: number
  /** Place of the first sample that is NaN or infinite. */
  firstNonFinite: { x: number } | null
  first: { x: number; value: number; at: number } | null
  last: { x: number; value: number; at: number } | null
}

/** The answer to a series query before it is sent. */
export type SeriesNumbers = Omit<SeriesAnswer, 'numbers'> & { numbers: Float64Array<ArrayBuffer> }

/**
 * The metrics of one run on disk. One process appends (the one that holds the run's lock);
 * any number may open and read. Opening writes nothing.
 */
export interface MetricStore {
  /** Grows with every appended frame, also across re-openings. */
  readonly revision: number
  /** Unix milliseconds of the newest sample, null before the first. */
  readonly lastSampleAt: number | null
  /** What of the journal was no whole frame at the last opening or refresh; the next append writes over it. */
  readonly unread: Unread | null
  /** How many events there are: the `seq` of the next one. */
  readonly eventCount: number
  cursor(source: string): SourceCursor | null
  /** Appends one frame. Resolves when it survives the end of this process. */
  append(frame: Frame): Promise<void>
  /** Takes in what another process appended since. Not needed in the process that appends. */
  refresh(): Promise<void>
  /** Every key seen, with what is known about it. */
  keys(): KeyInfo[]
  series(): SeriesFacts[]
  /** Drawn form of some keys; see contract/metrics. `run` of the query is not looked at. */
  query(query: SeriesQuery): Promise<SeriesNumbers>
  /** Every stored number of a key, in the order of arrival within each series. */
  samples(key: string): AsyncIterable<Sample>
  /** The newest samples of the newest attempt that has the key, at most `count`, oldest first. */
  tail(key: string, count: number): Promise<{ x: number; at: number; value: number }[]>
  /** Events with `seq >= from`, oldest first. */
  events(from?: number): Promise<StackEvent[]>
  /** Called after each append or refresh that changed something. Returns how to stop. */
  onChange(changed: () => void): () => void
  /** Moves what is only in the journal into columns, so that the next opening reads little. */
  settle(): Promise<void>
  /** Settles when this process appended, and lets go of the files. */
  close(): Promise<void>
}

/** A log file of the run. */
export interface IngestSource {
  /** `<attempt>/<service>`. */
  id: string
  attempt: number
  path: string
  files: FileAccess
  /**
   * `service`: the complete log of a service. `launcher`: the launcher's own output, which repeats the services'
   * text late, cut and mixed; only its `[reef]` lines are taken. `tracker`: a TensorBoard event file or a W&B offline
   * file, which is no text.
   */
  role: 'service' | 'launcher' | 'tracker'
  /** Nobody writes it any more: a last line without an end counts as a line. */
  ended?: boolean
}

export interface IngestReport {
  /** Events of this poll. They are in the store already (with the same `seq`): after a crash use `store.events(seq)`. */
  events: StackEvent[]
  /** Bars being drawn now, one for each source and label. */
  progress: Progress[]
  revision: number
  /** Samples added by this poll. */
  samples: number
  /** Bytes of the sources not yet read: not 0 means "poll again soon". */
  behind: number
  /** Sources that could not be read this time, with the reason; the others went on. */
  unreadable: { source: string; why: string }[]
}
