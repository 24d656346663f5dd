import { join } from 'node:path'
import { z } from 'zod'
import { Alert } from '../../contract/alerts'
import { JsonLinesFile, readJsonLines } from '../runs'

/** First line: from when on things are told. A home that is older than its book is not told its whole past. */
const Begin = z.object({ since: z.number() })
/** A person has looked at everything before this line. */
const Seen = z.object({ seen: z.number() })

/** `alerts.jsonl` of the home: what was told, so that nothing is told twice, also after a restart. */
export class AlertBook {
  private constructor(
    private readonly file: JsonLinesFile,
    private readonly since: number,
    private readonly told: Alert[],
    /** How many of them were looked at. */
    private looked: number
  ) {}

  static async open(home: string, now: number): Promise<AlertBook> {
    const path = join(home, 'alerts.jsonl')
    const file = new JsonLinesFile(path)
    const { values } = await readJsonLines(path)
    const begun = values
      .map((value) => Begin.safeParse(value).data)
      .find((one) => one !== undefined)
    if (begun === undefined) await file.append([{ since: now }])
    const told: Alert[] = []
    let looked = 0
    for (const value of values) {
      const alert = Alert.safeParse(value).data
      if (alert !== undefined) told.push(alert)
      else if (Seen.safeParse(value).success) looked = told.length
    }
    return new AlertBook(file, begun?.since ?? now, told, looked)
  }

  /** Newest first. */
  get alerts(): Alert[] {
    return [...this.told].reverse()
  }

  get unseen(): number {
    return this.told.length - this.looked
  }

  /** All that were told so far were looked at. */
  async see(now: number): Promise<void> {
    if (this.unseen === 0) return
    this.looked = this.told.length
    await this.file.append([{ seen: now }])
  }

  /** Keeps the ones that are new; gives those. */
  async keep(found: readonly Alert[]): Promise<Alert[]> {
    const known = new Set(this.told.map(({ id }) => id))
    const fresh = found.filter(({ id, at }) => at >= this.since && !known.has(id))
    if (fresh.length === 0) return []
    await this.file.append(fresh)
    this.told.push(...fresh)
    return fresh
  }
}
