import type { Axis } from '../../contract/metrics'
import { FailureError } from '../lib'
import { alarmedKeys, wellAgain } from '../metrics'
import { type FreeSpace, hoursUntilFull, rewardCollapsed } from './health-signs'
import type { WatchOptions } from './watch-options'

const DISK_EVERY_MS = 60_000
/** The trend of the last hour counts: what happened before is over. */
const DISK_LOOKS = 60

/** Looks for signs that a run goes wrong though its stack lives, and tells each once. */
export class HealthWatch {
  private revision = -1
  private diskAt = Number.NEGATIVE_INFINITY
  private space: FreeSpace[] = []

  constructor(private readonly options: WatchOptions) {}

  async look(): Promise<void> {
    await this.lookForNumbers()
    await this.lookAtLimits()
    await this.lookAtReward()
    await this.lookAtDisk()
  }

  private async lookForNumbers(): Promise<void> {
    const { metrics, journal } = this.options
    // The first of a key is told, whichever attempt it is of: attempts come in their order.
    for (const { key, axis, firstNonFinite } of metrics.series()) {
      if (firstNonFinite === null) continue
      await journal.tell(
        {
          kind: 'not-finite',
          text: {
            en: `${key} is not a finite number (NaN or infinite).`,
            zh: `${key} 不是有限数值（NaN 或无穷大）。`
          },
          step: this.stepAt(axis, firstNonFinite.x),
          data: { metric: key }
        },
        `not-finite ${key}`
      )
    }
  }

  /** Numbers that the catalogue calls a failure of their key: each fault once a run, again only after it was over. */
  private async lookAtLimits(): Promise<void> {
    const { metrics, journal } = this.options
    if (metrics.revision === this.revision) return
    this.revision = metrics.revision
    const { number } = journal.attempt
    const alarmed = await alarmedKeys(metrics, number)
    for (const { state, key, axis, x, value, failure } of alarmed) {
      await journal.tell(
        {
          kind: 'metric-unhealthy',
          text: {
            en: `${key} is out of its healthy range: ${shown(value)}. ${failure.en}`,
            zh: `${key} 超出健康范围：${shown(value)}。${failure.zh}`
          },
          step: this.stepAt(axis, x),
          data: { metric: key, value }
        },
        this.faultKey(state)
      )
    }
    const isOpen = (state: string): boolean =>
      journal.hasTold(this.faultKey(state)) && !alarmed.some((one) => one.state === state)
    for (const { state, key, value } of await wellAgain(metrics, number, isOpen)) {
      await journal.tell(
        {
          kind: 'metric-well',
          text: {
            en: `${key} is back in its healthy range: ${shown(value)}.`,
            zh: `${key} 已回到健康范围：${shown(value)}。`
          },
          step: journal.seen.step,
          data: { metric: key, value }
        },
        wellKey(state, this.timeOf(state))
      )
    }
  }

  /**
   * The step that a sample is told with: its own place, as log and curve show it. The newest step of the run is a later
   * one by the time of a look; it stands in only where the place is no step, but a time.
   */
  private stepAt(axis: Axis, x: number): number {
    const isStep = axis !== 'wall' && axis !== 'relative' && Number.isInteger(x)
    return isStep ? x : this.options.journal.seen.step
  }

  private faultKey(state: string): string {
    return `metric-unhealthy ${this.timeOf(state)} ${state}`
  }

  /** The how-manieth time this fault is looked for: one more than it was over so far. */
  private timeOf(state: string): number {
    let time = 1
    while (this.options.journal.hasTold(wellKey(state, time))) time++
    return time
  }

  private async lookAtReward(): Promise<void> {
    const { journal } = this.options
    const { reward } = journal.seen
    if (reward === null || !rewardCollapsed(reward.spark)) return
    await journal.tell(
      {
        kind: 'reward-collapse',
        text: {
          en: `The reward (${reward.key}) had risen and has fallen back to where it began.`,
          zh: `奖励（${reward.key}）曾经上升，现已跌回起点。`
        },
        step: journal.seen.step,
        data: { metric: reward.key }
      },
      `reward-collapse ${journal.attempt.number}`
    )
  }

  private async lookAtDisk(): Promise<void> {
    const { journal, clock, target } = this.options
    if (clock.ticks() - this.diskAt < DISK_EVERY_MS) return
    this.diskAt = clock.ticks()
    const path = journal.attempt.checkpointDir ?? journal.attempt.runDir
    const facts = await this.freeSpace(path, target)
    if (facts === null) return
    const { freeBytes: free, totalBytes: total } = facts
    this.space = [...this.space, { at: clock.now(), free, total }].slice(-DISK_LOOKS)
    const hours = hoursUntilFull(this.space)
    if (hours === null) return
    const gib = (free / 1024 ** 3).toFixed(1)
    await journal.tell(
      {
        kind: 'disk-filling',
        text:
          hours === 0
            ? {
                en: `The disk is almost full: ${gib} GiB left.`,
                zh: `磁盘几乎已满：仅剩 ${gib} GiB。`
              }
            : {
                en: `The disk is full in about ${Math.ceil(hours)} h at this pace: ${gib} GiB left.`,
                zh: `按当前速度，磁盘约 ${Math.ceil(hours)} 小时后写满：剩余 ${gib} GiB。`
              },
        data: { path, free }
      },
      `disk-filling ${journal.attempt.number}`
    )
  }

  private async freeSpace(
    path: string,
    target: WatchOptions['target']
  ): Promise<{ freeBytes: number; totalBytes: number } | null> {
    try {
      return await target.files.statfs(path)
    } catch (cause) {
      // Files that cannot be looked at (an attached stack) have no trend to tell of.
      if (cause instanceof FailureError) return null
      throw cause
    }
  }
}

/** Key of the event that says a fault is over, for the given time. */
function wellKey(state: string, time: number): string {
  return `metric-well ${time} ${state}`
}

/** A number for a sentence, with up to four significant digits. */
function shown(value: number): string {
  return String(Number(value.toPrecision(4)))
}
