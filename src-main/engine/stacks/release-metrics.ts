import { z } from 'zod'
import type { MetricStore, Row } from '../metrics'
import type { ReleaseRow } from '../runs'

/** A row of the chain as far as its numbers go; the service and the commit log write both alike. */
const Numbers = z.looseObject({
  metrics: z.record(z.string(), z.unknown()).nullish(),
  recorded_at: z.number().nullish()
})

/** Families of which a log tells some numbers of a rollout with the next one only: it has them, if it has any. */
const REPORTED_LATE = /^(?:perf|rollout)\//
/** Optimizer step of a commit, where it trained weights. */
const OPTIMIZER_STEP = 'train/step'

/**
 * Draws what the commits of a chain say of themselves (`metrics` of a release row): wins and scores of a harness, age of
 * the data, what was dropped. A trainer's own numbers are repeated there; where its log has a key the log's samples
 * stand, and the commit's are left out.
 */
export class ReleaseMetrics {
  constructor(
    private readonly options: { metrics: MetricStore; attempt: number; storage: number }
  ) {}

  /** Takes in the rows of a scenario that are new. Its trainer's log must have been read since they were there. */
  async look(scenario: string, rows: readonly ReleaseRow[]): Promise<void> {
    const { metrics, attempt, storage } = this.options
    const source = `${storage}/releases/${scenario}`
    const done = metrics.cursor(source)?.offset ?? 0
    const fresh = rows
      .filter((row) => row.scenario === scenario && row.storage === storage && row.step > done)
      .sort((a, b) => a.step - b.step)
    const newest = fresh.at(-1)
    if (newest === undefined) return
    const logged = this.loggedKeys(source)
    const measured = fresh.flatMap((row) => rowOf(row, logged))
    await metrics.append({ source, attempt, from: done, to: newest.step, rows: measured })
  }

  /** Which keys are left to what else has measured in this run: its logs and trackers. */
  private loggedKeys(own: string): (key: string) => boolean {
    const others = this.options.metrics.series().filter(({ source }) => source !== own)
    const keys = new Set(others.map(({ key }) => key))
    const logs = others.some(({ key }) => REPORTED_LATE.test(key))
    return (key) => keys.has(key) || (logs && REPORTED_LATE.test(key))
  }
}

/** The numbers of one commit, yes and no as 1 and 0, where the trainer's curves of the step stand. None: no row. */
function rowOf({ step, at, row }: ReleaseRow, logged: (key: string) => boolean): Row[] {
  const parsed = Numbers.safeParse(row)
  const { metrics, recorded_at: seconds } = parsed.success ? parsed.data : {}
  const found = Object.entries(metrics ?? {}).flatMap(([key, value]): [string, number][] => {
    const number = typeof value === 'boolean' ? Number(value) : value
    const drawn = typeof number === 'number' && Number.isFinite(number) && !logged(key)
    return drawn ? [[key, number]] : []
  })
  if (found.length === 0) return []
  const trained = metrics?.[OPTIMIZER_STEP]
  const place: Pick<Row, 'axis' | 'x'> =
    typeof trained === 'number' && Number.isFinite(trained)
      ? { axis: 'step', x: trained }
      : { axis: 'commit', x: step }
  return [
    {
      ...place,
      at: typeof seconds === 'number' ? seconds * 1000 : at,
      keys: found.map(([key]) => key),
      values: found.map(([, value]) => value)
    }
  ]
}
