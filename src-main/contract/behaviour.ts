import { eventIterator } from '@orpc/contract'
import { z } from 'zod'
import { procedure } from './failure'
import { NamedRelease } from './talk'
import { Text } from './text'

/** Who answers. A release is asked where its service can serve it, else its recorded answers are looked for. */
export const TrialSide = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('release'),
    run: z.string(),
    scenario: z.string().optional(),
    step: z.number().int()
  }),
  /** Whatever the run serves while it is asked. */
  z.object({ kind: z.literal('run'), run: z.string(), scenario: z.string().optional() }),
  /** Another service of OpenAI's form. The token is named, never given. */
  z.object({
    kind: z.literal('address'),
    address: z.string(),
    tokenName: z.string().nullable().default(null),
    model: z.string().nullable().default(null),
    scenario: z.string().nullable().default(null)
  }),
  /** Answers kept in a file: JSON lines of `{prompt, answer}`. */
  z.object({ kind: z.literal('file'), path: z.string() })
])
export type TrialSide = z.infer<typeof TrialSide>

/** How a side's answers come about. */
export const AnswerWay = z.enum(['asked', 'asked-release', 'recorded', 'second-stack', 'file'])
export type AnswerWay = z.infer<typeof AnswerWay>

export const TrialAnswer = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('text'),
    text: z.string(),
    /** What a report about it references; null: nobody recorded it. */
    receipt: z.string().nullable(),
    release: NamedRelease.nullable(),
    at: z.number()
  }),
  z.object({ kind: z.literal('missing'), why: Text })
])
export type TrialAnswer = z.infer<typeof TrialAnswer>

/** At least two sides are compared, at most as many as in any comparison. */
export const FEWEST_SIDES = 2
export const MOST_SIDES = 8

const PerSide = <T extends z.ZodType>(one: T) => z.array(one).min(FEWEST_SIDES).max(MOST_SIDES)
const Place = z
  .number()
  .int()
  .min(0)
  .max(MOST_SIDES - 1)

/**
 * Places of the sides whose answer a person finds best. One alone is the better or best; several are as good as each
 * other and better than the rest; all of them: they are as good; none: no answer is any good.
 */
export const TrialVerdict = z.array(Place).max(MOST_SIDES)
export type TrialVerdict = z.infer<typeof TrialVerdict>

export const TrialRow = z.object({
  prompt: z.string(),
  /** Null: not asked yet. */
  answers: PerSide(TrialAnswer.nullable()),
  /** Places of the sides as they are shown; drawn by lot for each row when the trial was made. */
  order: PerSide(Place),
  verdict: TrialVerdict.nullable(),
  /** Score the service has taken for each side's answer. */
  reported: PerSide(z.number().nullable())
})
export type TrialRow = z.infer<typeof TrialRow>

const Interval = z.tuple([z.number(), z.number()]).nullable()

/** Of one side against the first, over the verdicts that say anything of these two: one or both are among the best. */
export const Tally = z.object({
  win: z.number().int(),
  tie: z.number().int(),
  loss: z.number().int(),
  /** Wins among the rows that are decided (no ties); null while none is. */
  share: z.number().nullable(),
  /** 95 % Wilson interval of that share, of this pair by itself. */
  interval: Interval,
  proven: z.enum(['better', 'worse', 'no'])
})
export type Tally = z.infer<typeof Tally>

/** How often a side's answer was the best of all. */
export const BestShare = z.object({
  /** Best alone. */
  alone: z.number().int(),
  /** Best together with others, all of them included. */
  together: z.number().int(),
  /** Best alone among the verdicts that name one side alone; null while there is none. */
  share: z.number().nullable(),
  /** 95 % Wilson interval of that share, of this side by itself. */
  interval: Interval,
  /** More or less often than by chance, which is one in the number of sides. */
  proven: z.enum(['more', 'less', 'no'])
})
export type BestShare = z.infer<typeof BestShare>

export const TrialSideFacts = z.object({
  side: TrialSide,
  label: z.string(),
  way: AnswerWay,
  /** Why it is done this way, where that needs saying. */
  note: Text.nullable()
})
export type TrialSideFacts = z.infer<typeof TrialSideFacts>

export const Trial = z.object({
  id: z.string(),
  name: z.string(),
  madeAt: z.number(),
  /** Sides stay unnamed until every answered row is judged or the person asks. */
  blind: z.boolean(),
  temperature: z.number().nullable(),
  maxTokens: z.number().int().nullable(),
  /** The first is the baseline. */
  sides: PerSide(TrialSideFacts),
  rows: z.array(TrialRow),
  /** One for each side after the first. */
  tallies: z
    .array(Tally)
    .min(FEWEST_SIDES - 1)
    .max(MOST_SIDES - 1),
  bests: PerSide(BestShare)
})
export type Trial = z.infer<typeof Trial>

export const TrialSummary = Trial.pick({
  id: true,
  name: true,
  madeAt: true,
  tallies: true,
  bests: true
}).extend({
  labels: PerSide(z.string()),
  /** Runs whose releases it compares. */
  runs: z.array(z.string()),
  prompts: z.number().int(),
  judged: z.number().int()
})
export type TrialSummary = z.infer<typeof TrialSummary>

export const PromptSet = z.object({
  id: z.string(),
  name: z.string(),
  savedAt: z.number(),
  prompts: z.array(z.string().min(1))
})
export type PromptSet = z.infer<typeof PromptSet>

export const TrialEvent = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('progress'), done: z.number().int(), total: z.number().int() }),
  z.object({ kind: z.literal('done'), trial: Trial })
])
export type TrialEvent = z.infer<typeof TrialEvent>

/** Whether a person can say which is better: every side answered. */
export function isAnswered(row: Pick<TrialRow, 'answers'>): boolean {
  return row.answers.every((answer) => answer?.kind === 'text')
}

/** The name somebody gave a trial; null where it is only made of its sides, which a blind one does not tell. */
export function givenName({ name, sides }: Pick<Trial, 'name' | 'sides'>): string | null {
  return name === sides.map(({ label }) => label).join(' – ') ? null : name
}

/** Whether the sides stay unnamed: the trial is blind, and something is still to be judged. */
export function isHidden(trial: Pick<Trial, 'blind' | 'rows'>, revealed: boolean): boolean {
  if (!trial.blind || revealed) return false
  const open = trial.rows.filter(isAnswered)
  // Before the first answers came there is nothing to judge and nothing to show either.
  return open.length === 0 || open.some(({ verdict }) => verdict === null)
}

/** Places of the sides in the order they are shown. A blind trial keeps its lots after its sides are named. */
export function orderOf(
  trial: Pick<Trial, 'blind'>,
  row: Pick<TrialRow, 'order'>
): readonly number[] {
  return trial.blind ? row.order : [...row.order].sort((one, two) => one - two)
}

const OfTrial = z.object({ id: z.string() })

/** The same prompts to two to eight sides, judged by a person. */
export const behaviour = {
  promptSets: procedure.output(z.array(PromptSet)),
  /** Saves under a name; a set of that name is replaced. `text`: one prompt a line, or blocks between lines of `---`. */
  savePromptSet: procedure
    .input(z.object({ name: z.string(), text: z.string() }))
    .output(PromptSet),
  removePromptSet: procedure.input(OfTrial).output(z.object({})),
  /** Prompts a scenario was asked, newest first, each once: what recorded answers can be found for. */
  recordedPrompts: procedure
    .input(
      z.object({
        run: z.string(),
        scenario: z.string().optional(),
        /** Only those this release answered. */
        step: z.number().int().optional(),
        limit: z.number().int().min(1).max(200).default(20)
      })
    )
    .output(z.array(z.string())),
  /** Newest first; `unreadable` names files that hold no trial any more. */
  trials: procedure.output(
    z.object({ trials: z.array(TrialSummary), unreadable: z.array(z.string()) })
  ),
  trial: procedure.input(OfTrial).output(Trial),
  make: procedure
    .input(
      z.object({
        name: z.string().optional(),
        sides: PerSide(TrialSide),
        /** As for a prompt set. */
        text: z.string(),
        blind: z.boolean().default(true),
        temperature: z.number().min(0).max(2).optional(),
        maxTokens: z.number().int().positive().optional()
      })
    )
    .output(Trial),
  /** Collects the answers that are missing still. Ends early when the caller stops listening; what came is kept. */
  collect: procedure.input(OfTrial).output(eventIterator(TrialEvent)),
  /** Null takes a verdict back. */
  judge: procedure
    .input(OfTrial.extend({ row: z.number().int().min(0), verdict: TrialVerdict.nullable() }))
    .output(Trial),
  /** Sends the verdicts as scores about the answers that have a receipt: best alone 1, best together 0.5, else 0. */
  report: procedure.input(OfTrial).output(
    z.object({
      sent: z.number().int(),
      /** Judged answers nobody can be told of: no receipt, or a side that is no run. */
      without: z.number().int(),
      refused: z.array(z.object({ row: z.number().int(), why: Text })),
      trial: Trial
    })
  ),
  removeTrial: procedure.input(OfTrial).output(z.object({}))
}
