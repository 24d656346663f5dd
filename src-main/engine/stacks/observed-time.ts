/**
 * Time during which we really watched. A machine that slept, a process that was stopped, a clock that was set: none of
 * it counts, so that waking up after a night does not look like eight hours of silence.
 */
export class ObservedTime {
  private last: number | null = null
  private total = 0

  /** @param longest most milliseconds one gap between two looks may count */
  constructor(private readonly longest: number) {}

  /** Called at every look with monotonic milliseconds; returns the observed milliseconds since the last reset. */
  look(ticks: number): number {
    if (this.last !== null) this.total += Math.min(Math.max(ticks - this.last, 0), this.longest)
    this.last = ticks
    return this.total
  }

  reset(ticks: number): void {
    this.last = ticks
    this.total = 0
  }
}
