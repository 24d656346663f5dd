import type { Clock, Redactor } from '../lib'
import type { IngestReport, IngestSource, MetricStore } from './model'

export interface IngestOptions {
  store: MetricStore
  redact: Redactor
  clock: Clock
  /** Most bytes one poll reads, all sources together; the rest stays for the next. Default 16 MiB. */
  maxBytes?: number
}

/** Reads what is new in a run's logs and puts it into the store, each byte exactly once. */
export class Ingest {
  constructor(private readonly options: IngestOptions) {}

  /** The sources to read from now on. Sources that were there before go on where they were. */
  setSources(sources: readonly IngestSource[]): void {
    void sources
  }

  /** Reads what is new. Calls do not overlap: a second call waits for the first. */
  poll(): Promise<IngestReport> {
    return Promise.reject(new Error(`not there yet: ${this.options.store.revision}`))
  }
}
