import { type MetricStore, openMetricStore } from '../metrics'

const KEPT_OPEN = 8

/**
 * Metric stores opened for reading, the most recently used few kept open.
 * Reading never needs the run's lock; what the writer appended since is taken in on each use.
 */
export class MetricReaders {
  private readonly open = new Map<string, Promise<MetricStore>>()

  /** The store of a run's `metrics` folder, up to date with what is on disk. */
  async of(folder: string): Promise<MetricStore> {
    const known = this.open.get(folder)
    const opening = known ?? openMetricStore(folder)
    this.open.delete(folder)
    this.open.set(folder, opening)
    await this.closeOldest()
    const store = await opening
    if (known !== undefined) await store.refresh()
    return store
  }

  async dispose(): Promise<void> {
    const all = [...this.open.values()]
    this.open.clear()
    for (const opening of all) await (await opening).close()
  }

  private async closeOldest(): Promise<void> {
    for (const [folder, opening] of this.open) {
      if (this.open.size <= KEPT_OPEN) return
      this.open.delete(folder)
      await (await opening).close()
    }
  }
}
