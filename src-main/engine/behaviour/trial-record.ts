import { z } from 'zod'
import {
  TrialAnswer,
  TrialRow,
  TrialSideFacts,
  TrialVerdict,
  type Tally,
  type Trial,
  type TrialSummary
} from '../../contract/behaviour'
import { wilson } from '../compare'

/** What a trial is made of once; it never changes. */
export const TrialHead = z.object({
  id: z.string(),
  name: z.string(),
  madeAt: z.number(),
  blind: z.boolean(),
  temperature: z.number().nullable(),
  maxTokens: z.number().int().nullable(),
  sides: z.tuple([TrialSideFacts, TrialSideFacts]),
  prompts: z.array(z.object({ text: z.string(), first: TrialRow.shape.first }))
})
export type TrialHead = z.infer<typeof TrialHead>

const Place = z.object({ row: z.number().int().min(0) })
const Side = z.union([z.literal(0), z.literal(1)])

/** What happened in a trial, one line each, in order; of two about the same thing the later counts. */
export const TrialLine = z.discriminatedUnion('kind', [
  Place.extend({ kind: z.literal('answer'), side: Side, answer: TrialAnswer }),
  Place.extend({
    kind: z.literal('verdict'),
    verdict: TrialVerdict.nullable(),
    at: z.number()
  }),
  Place.extend({ kind: z.literal('reported'), side: Side, score: z.number(), at: z.number() })
])
export type TrialLine = z.infer<typeof TrialLine>

/** The trial its lines have led to. A line about a row that is not there changes nothing. */
export function trialOf(head: TrialHead, lines: readonly TrialLine[]): Trial {
  const { prompts, ...rest } = head
  const rows = prompts.map(({ text, first }): TrialRow => ({
    prompt: text,
    first,
    answers: [null, null],
    verdict: null,
    reported: [null, null]
  }))
  for (const line of lines) {
    const row = rows[line.row]
    if (row === undefined) continue
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
  return { ...rest, rows, tally: tallyOf(rows) }
}

/** Wins, ties and losses of B. Ties say nothing about who is better, so the share is of the rest. */
export function tallyOf(rows: readonly Pick<TrialRow, 'verdict'>[]): Tally {
  const count = (wanted: TrialVerdict): number =>
    rows.filter(({ verdict }) => verdict === wanted).length
  const [win, tie, loss] = [count('b'), count('tie'), count('a')]
  const decided = win + loss
  const interval = wilson(win, decided)
  return {
    win,
    tie,
    loss,
    share: decided === 0 ? null : win / decided,
    interval,
    proven: interval === null ? 'no' : interval[0] > 0.5 ? 'b' : interval[1] < 0.5 ? 'a' : 'no'
  }
}

/** Scores a verdict gives the two answers: better 1, worse 0, as good 0.5. */
export function scoresOf(verdict: TrialVerdict): readonly [number, number] {
  switch (verdict) {
    case 'a':
      return [1, 0]
    case 'b':
      return [0, 1]
    case 'tie':
      return [0.5, 0.5]
  }
}

export function summaryOf(trial: Trial): TrialSummary {
  const { id, name, madeAt, tally, sides, rows } = trial
  const runs = sides.flatMap(({ side }) => ('run' in side ? [side.run] : []))
  return {
    id,
    name,
    madeAt,
    tally,
    labels: [sides[0].label, sides[1].label],
    runs: [...new Set(runs)],
    prompts: rows.length,
    judged: rows.filter(({ verdict }) => verdict !== null).length
  }
}
