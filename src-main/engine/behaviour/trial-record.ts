import { z } from 'zod'
import {
  FEWEST_SIDES,
  MOST_SIDES,
  TrialAnswer,
  TrialRow,
  TrialSideFacts,
  TrialVerdict,
  type BestShare,
  type Tally,
  type Trial,
  type TrialSummary
} from '../../contract/behaviour'
import { wilson } from '../compare'

/** Trials were of two sides once, and kept which of them is shown first. */
const PromptOfTwo = z
  .object({ text: z.string(), first: z.enum(['a', 'b']) })
  .transform(({ text, first }) => ({ text, order: first === 'a' ? [0, 1] : [1, 0] }))

/** Verdicts had names while there were two sides. */
const VerdictOfTwo = z
  .enum(['a', 'b', 'tie'])
  .transform((name): TrialVerdict => (name === 'tie' ? [0, 1] : [name === 'a' ? 0 : 1]))

/** What a trial is made of once; it never changes. */
export const TrialHead = z.object({
  id: z.string(),
  name: z.string(),
  madeAt: z.number(),
  blind: z.boolean(),
  temperature: z.number().nullable(),
  maxTokens: z.number().int().nullable(),
  sides: z.array(TrialSideFacts).min(FEWEST_SIDES).max(MOST_SIDES),
  prompts: z.array(
    z.union([z.object({ text: z.string(), order: TrialRow.shape.order }), PromptOfTwo])
  )
})
export type TrialHead = z.infer<typeof TrialHead>

const Place = z.object({ row: z.number().int().min(0) })
const Side = z
  .number()
  .int()
  .min(0)
  .max(MOST_SIDES - 1)

/** What happened in a trial, one line each, in order; of two about the same thing the later counts. */
export const TrialLine = z.discriminatedUnion('kind', [
  Place.extend({ kind: z.literal('answer'), side: Side, answer: TrialAnswer }),
  Place.extend({
    kind: z.literal('verdict'),
    verdict: z.union([TrialVerdict, VerdictOfTwo]).nullable(),
    at: z.number()
  }),
  Place.extend({ kind: z.literal('reported'), side: Side, score: z.number(), at: z.number() })
])
export type TrialLine = z.infer<typeof TrialLine>

/** The trial its lines have led to. A line about a row or a side that is not there changes nothing. */
export function trialOf(head: TrialHead, lines: readonly TrialLine[]): Trial {
  const { prompts, ...rest } = head
  const count = head.sides.length
  const none = (): null[] => Array.from({ length: count }, () => null)
  const rows = prompts.map(({ text, order }): TrialRow => ({
    prompt: text,
    order,
    answers: none(),
    verdict: null,
    reported: none()
  }))
  for (const line of lines) {
    const row = rows[line.row]
    if (row === undefined || ('side' in line && line.side >= count)) continue
    switch (line.kind) {
      case 'answer':
        row.answers[line.side] = line.answer
        break
      case 'verdict':
        row.verdict = line.verdict
        break
      case 'reported':
        row.reported[line.side] = line.score
        break
    }
  }
  const places = Array.from({ length: count }, (_, place) => place)
  return {
    ...rest,
    rows,
    tallies: places.slice(1).map((place) => tallyOf(rows, place)),
    bests: places.map((place) => bestShareOf(rows, place, count))
  }
}

type Judged = readonly Pick<TrialRow, 'verdict'>[]

/**
 * Wins, ties and losses of a side against the first. Ties say nothing about who is better, so the share is of the rest.
 * A verdict that has neither of the two among its best says nothing of them at all.
 */
export function tallyOf(rows: Judged, place: number): Tally {
  const said = { win: 0, tie: 0, loss: 0 }
  for (const { verdict } of rows) {
    const [first, other] = [verdict?.includes(0) ?? false, verdict?.includes(place) ?? false]
    if (first && other) said.tie += 1
    else if (other) said.win += 1
    else if (first) said.loss += 1
  }
  const { share, interval, against } = shareOf(said.win, said.win + said.loss, 0.5)
  const proven = { above: 'better', below: 'worse', no: 'no' } as const
  return { ...said, share, interval, proven: proven[against] }
}

/** How often a side was the best, among the verdicts that name one side alone. */
export function bestShareOf(rows: Judged, place: number, count: number): BestShare {
  const verdicts = rows.flatMap(({ verdict }) => (verdict === null ? [] : [verdict]))
  const single = verdicts.filter(({ length }) => length === 1)
  const alone = single.filter(([best]) => best === place).length
  const together = verdicts.filter((one) => one.length > 1 && one.includes(place)).length
  const { share, interval, against } = shareOf(alone, single.length, 1 / count)
  const proven = { above: 'more', below: 'less', no: 'no' } as const
  return { alone, together, share, interval, proven: proven[against] }
}

/** A share with its interval, and on which side of `chance` the whole interval lies. */
function shareOf(
  part: number,
  whole: number,
  chance: number
): Pick<Tally, 'share' | 'interval'> & { against: 'above' | 'below' | 'no' } {
  const interval = wilson(part, whole)
  if (interval === null) return { share: null, interval, against: 'no' }
  const [low, high] = interval
  return {
    share: part / whole,
    interval,
    against: low > chance ? 'above' : high < chance ? 'below' : 'no'
  }
}

/** Score a verdict gives the answer of a side: best alone 1, best together with others 0.5, else 0. */
export function scoreOf(verdict: TrialVerdict, place: number): number {
  if (!verdict.includes(place)) return 0
  return verdict.length === 1 ? 1 : 0.5
}

export function summaryOf(trial: Trial): TrialSummary {
  const { id, name, madeAt, tallies, bests, sides, rows } = trial
  const runs = sides.flatMap(({ side }) => ('run' in side ? [side.run] : []))
  return {
    id,
    name,
    madeAt,
    tallies,
    bests,
    labels: sides.map(({ label }) => label),
    runs: [...new Set(runs)],
    prompts: rows.length,
    judged: rows.filter(({ verdict }) => verdict !== null).length
  }
}
