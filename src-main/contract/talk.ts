import { eventIterator } from '@orpc/contract'
import { z } from 'zod'
import { procedure } from './failure'
import { Text } from './text'

/** In whose form a question is asked: OpenAI's chat completions or Anthropic's messages. */
export const TalkForm = z.enum(['openai', 'anthropic'])
export type TalkForm = z.infer<typeof TalkForm>

export const Turn = z.object({ role: z.enum(['system', 'user', 'assistant']), text: z.string() })
export type Turn = z.infer<typeof Turn>

/** A release as it is named on an answer. `step` is its place in the chain, null where the chain has no such row. */
export const NamedRelease = z.object({
  releaseId: z.string().nullable(),
  step: z.number().int().nullable()
})
export type NamedRelease = z.infer<typeof NamedRelease>

/** Pieces of an answer as they come, then its end. Times in milliseconds. */
export const AskEvent = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('text'), text: z.string() }),
  z.object({
    kind: z.literal('done'),
    /** Id under which the answer was recorded; what a report references. Null: the service gave none. */
    receipt: z.string().nullable(),
    release: NamedRelease,
    /** From sending to the first piece, and to the end. */
    firstAfter: z.number(),
    took: z.number()
  })
])
export type AskEvent = z.infer<typeof AskEvent>

/** One record without its content. `createdAt` in Unix milliseconds. */
export const TalkRecord = z.object({
  id: z.string(),
  sequence: z.number().int(),
  type: z.string(),
  createdAt: z.number().nullable(),
  references: z.array(z.string()),
  score: z.number().nullable(),
  /** The release that was served when it was made; for an answer, the one that gave it. */
  release: NamedRelease,
  /** Chain step that learnt from it; null when none has yet. */
  learntBy: z.number().int().nullable()
})
export type TalkRecord = z.infer<typeof TalkRecord>

export const RecordsPage = z.object({
  /** Newest first. */
  records: z.array(TalkRecord),
  /** Hand back as `before` for older ones; null at the end. */
  next: z.number().int().nullable(),
  /** Records looked at for this page. */
  scanned: z.number().int(),
  /** Records known of the scenario. */
  total: z.number().int(),
  /** False while records are still being read: then newer ones than these may follow. */
  complete: z.boolean()
})
export type RecordsPage = z.infer<typeof RecordsPage>

/** What a report said, beside its score. */
export const ReportText = z.object({
  record: TalkRecord,
  /** The words given with it; null when there were none. */
  words: z.string().nullable(),
  /** Metadata as JSON; null when there was none. */
  metadata: z.string().nullable()
})
export type ReportText = z.infer<typeof ReportText>

/** One answer with all that came after it. Content is null where the service keeps it no more. */
export const Conversation = z.object({
  answer: TalkRecord.nullable(),
  turns: z.array(Turn).nullable(),
  reply: z.string().nullable(),
  /** The stored content as JSON, redacted, at most 64 kB. */
  raw: z.string().nullable(),
  /** The newest hundred at most, oldest first. */
  reports: z.array(ReportText),
  reportsTotal: z.number().int()
})
export type Conversation = z.infer<typeof Conversation>

/** A record that something is said about. */
export const Suspect = z.object({ record: TalkRecord, why: Text })
export type Suspect = z.infer<typeof Suspect>

/** How full the batch is. Null: the service or the recipe does not say. */
export const BatchFill = z.object({
  have: z.number().int().nullable(),
  need: z.number().int().nullable()
})
export type BatchFill = z.infer<typeof BatchFill>

/** Some of many: the newest are listed, `count` is of all. */
function listed<T extends z.ZodType>(one: T) {
  return z.object({ count: z.number().int(), newest: z.array(one) })
}

/** Where the feedback of one scenario went. */
export const FeedbackSummary = z.object({
  answers: z.number().int(),
  reports: z.number().int(),
  batch: BatchFill,
  /** Answers nobody has reported on. */
  unreported: listed(TalkRecord),
  /** Reports that name no answer, or one that this scenario does not have. */
  astray: listed(Suspect),
  /** Reports without a score. */
  unscored: listed(TalkRecord),
  /** Reports that no step has consumed yet. */
  waiting: listed(TalkRecord),
  /** Reports that a step has consumed. */
  learnt: z.number().int(),
  /** Reports and questions the service turned away, in its own words, from its log. Of the whole run. */
  refused: listed(
    z.object({
      at: z.number().nullable(),
      of: z.enum(['report', 'question']),
      text: z.string()
    })
  ),
  /** False while older records are still being read. */
  complete: z.boolean()
})
export type FeedbackSummary = z.infer<typeof FeedbackSummary>

export const TrainingMode = z.enum(['auto', 'manual', 'hybrid'])
export type TrainingMode = z.infer<typeof TrainingMode>

export const ScenarioFacts = z.object({
  name: z.string(),
  loaded: z.boolean(),
  release: NamedRelease,
  /** As `/contract` says; null where that generation does not say. */
  mode: TrainingMode.nullable(),
  status: z.string().nullable(),
  processor: z.string().nullable(),
  /** Kinds of request it needs before it can train. */
  requires: z.array(z.string()),
  answers: z.number().int(),
  reports: z.number().int(),
  batch: BatchFill,
  /** Name of the scenario this one was probably meant to be. */
  looksLike: z.string().nullable()
})
export type ScenarioFacts = z.infer<typeof ScenarioFacts>

/** How to reach the service from one's own program. The token's value is never among it. */
export const Doorway = z.object({
  address: z.string(),
  /** Environment variable with the token; null: the service is open, or the token stands in the recipe. */
  tokenName: z.string().nullable(),
  /** A token is needed. */
  token: z.boolean(),
  model: z.string().nullable(),
  scenarios: z.array(z.string())
})
export type Doorway = z.infer<typeof Doorway>

/** What moves while one watches a scenario. */
export const Pulse = z.object({
  answers: z.number().int(),
  reports: z.number().int(),
  batch: BatchFill,
  /** Chain step of the newest commit. */
  step: z.number().int().nullable(),
  /** State of the training job that is out; null when none is. */
  job: z.string().nullable()
})
export type Pulse = z.infer<typeof Pulse>

const OfRun = z.object({ run: z.string() })
const OfScenario = OfRun.extend({ scenario: z.string() })

/**
 * Talking with a live service: questions, reports, records, scenarios. Fails with `not-live` when none answers; records,
 * conversation and feedback are then read from what an ended run left.
 */
export const talk = {
  doorway: procedure.input(OfRun).output(Doorway),
  ask: procedure
    .input(
      OfScenario.extend({
        form: TalkForm,
        stream: z.boolean().default(true),
        turns: z.array(Turn).min(1),
        temperature: z.number().min(0).max(2).optional(),
        maxTokens: z.number().int().positive().optional()
      })
    )
    .output(eventIterator(AskEvent)),
  /** A score, words, or both, about answers. Refused by the service: `report-refused` with its words. */
  report: procedure
    .input(
      OfScenario.extend({
        references: z.array(z.string()),
        score: z.number().optional(),
        words: z.string().optional(),
        /** Makes a second sending of the same report safe. */
        id: z.string().optional()
      })
    )
    .output(z.object({ id: z.string() })),
  /** Records newest first. `text` is looked for in ids, scores and contents; a page may then be short. */
  records: procedure
    .input(
      OfScenario.extend({
        type: z.enum(['inference', 'report']).optional(),
        text: z.string().optional(),
        before: z.number().int().optional(),
        limit: z.number().int().min(1).max(200).default(100)
      })
    )
    .output(RecordsPage),
  /** What an ended run left: its scenarios with records, and the folder they lie in. Fails with `not-live` before the end. */
  kept: procedure
    .input(OfRun)
    .output(z.object({ scenarios: z.array(z.string()), folder: z.string() })),
  /** How a record begins, in one line: an answer with what it answers, or the words of a report. Null: none are kept. */
  firstWords: procedure
    .input(OfScenario.extend({ id: z.string() }))
    .output(z.object({ words: z.string().nullable() })),
  conversation: procedure.input(OfScenario.extend({ id: z.string() })).output(Conversation),
  feedback: procedure.input(OfScenario).output(FeedbackSummary),
  /** Now and whenever something in it changed. */
  watch: procedure.input(OfScenario).output(eventIterator(Pulse)),
  scenarios: procedure.input(OfRun).output(z.array(ScenarioFacts)),
  createScenario: procedure
    .input(OfRun.extend({ name: z.string(), releaseId: z.string().optional() }))
    .output(z.object({ name: z.string(), created: z.boolean() })),
  setMode: procedure.input(OfScenario.extend({ mode: TrainingMode })).output(z.object({})),
  /** The service archives the scenario's files and forgets it. */
  retireScenario: procedure.input(OfScenario).output(z.object({ archived: z.array(z.string()) }))
}
