import { z } from 'zod'
import type {
  AskEvent,
  Conversation,
  Doorway,
  FeedbackSummary,
  NamedRelease,
  Pulse,
  RecordsPage,
  ScenarioFacts,
  TalkForm,
  TrainingMode,
  Turn
} from '../../contract/talk'
import { type Clock, FailureError, pause, type Redactor, redactor, Scope } from '../lib'
import type { LogBook } from '../logs'
import { batchHave, type RunService } from '../stacks'
import { ask } from './ask'
import { conversationOf } from './conversation'
import { firstWordsOf } from './first-words'
import { type Desk, KeptDesk, LiveDesk } from './desk'
import { listNewest, sortFeedback } from './feedback'
import { learntFrom } from './learnt'
import { ContentCache, findRecords, type RecordsRequest } from './record-search'
import { type RecordedAnswer, recordedAnswers } from './recorded-answers'
import { RefusalLog } from './refusal-log'
import { refused, valueOf, type Refusal } from './refusals'
import { createScenario, listScenarios, retireScenario, setMode } from './scenario-acts'

export interface TalkOptions {
  runs: Pick<RunService, 'access' | 'chain' | 'kept'>
  /** The log of a run, for the service's words of what it refused. */
  logOf: (run: string) => Promise<LogBook>
  clock: Clock
}

export interface AskRequest {
  run: string
  scenario: string
  form: TalkForm
  stream: boolean
  turns: readonly Turn[]
  temperature?: number | undefined
  maxTokens?: number | undefined
  /** Id of the release to answer from; only the practice stack can. */
  release?: string | undefined
}

export interface ReportRequest {
  run: string
  scenario: string
  references: readonly string[]
  score?: number | undefined
  words?: string | undefined
  id?: string | undefined
}

interface OfScenario {
  run: string
  scenario: string
}

const WATCH_PAUSE_MS = 700
const Receipt = z.looseObject({ agent_record_id: z.string() })

/** Questions, reports, records and scenarios of live services. Keeps no content beyond what was looked at. */
export class TalkService {
  private readonly desks = new Map<string, LiveDesk>()
  private readonly keptDesks = new Map<string, KeptDesk>()
  private readonly refusalLogs = new Map<string, RefusalLog>()
  private readonly contents = new ContentCache()
  private readonly scope = new Scope()

  constructor(private readonly options: TalkOptions) {}

  async doorway(run: string): Promise<Doorway> {
    const { access, client } = await this.desk(run)
    const scenarios = valueOf(await client.scenarios(), '/reef/scenarios')
    return {
      address: access.address,
      tokenName: access.tokenName,
      token: access.token !== null,
      model: access.model,
      scenarios
    }
  }

  async *ask(request: AskRequest, signal?: AbortSignal): AsyncGenerator<AskEvent, void, undefined> {
    const { run, scenario, release, ...question } = request
    const desk = await this.desk(run)
    const { access } = desk
    const heard = ask({
      access,
      scenario,
      question: { ...question, model: access.model ?? 'default' },
      release,
      clock: this.options.clock,
      signal
    })
    for await (const one of heard) {
      if (one.kind === 'text') yield one
      else {
        const { releaseId, ...end } = one
        yield { ...end, release: await namedNow(desk, scenario, releaseId) }
      }
    }
  }

  /** Reports on answers. Throws FailureError `report-refused` with the service's words. */
  async report(request: ReportRequest): Promise<{ id: string }> {
    const { run, scenario, references, score, words, id } = request
    const { client } = await this.desk(run)
    const body = {
      references,
      ...(score === undefined ? {} : { score }),
      ...(words === undefined || words === '' ? {} : { feedback: words }),
      ...(id === undefined ? {} : { agent_record_id: id })
    }
    const route = '/reef/report'
    const answer = await client.call('POST', route, Receipt, body, { 'x-reef-scenario': scenario })
    if (answer.kind === 'refused') {
      throw refused(answer.status, answer.text, `${route} · ${scenario}`, 'report-refused')
    }
    return { id: valueOf(answer, route).agent_record_id }
  }

  async records({ run, scenario, ...request }: OfScenario & RecordsRequest): Promise<RecordsPage> {
    const desk = await this.reading(run)
    return findRecords(desk, await desk.book(scenario), this.contents, request)
  }

  /** How a record begins, for a list: content is read once and not kept. */
  async firstWords({
    run,
    scenario,
    id
  }: OfScenario & { id: string }): Promise<{ words: string | null }> {
    const desk = await this.reading(run)
    return { words: firstWordsOf(await desk.content(scenario, id), this.redact(desk)) }
  }

  async conversation({ run, scenario, id }: OfScenario & { id: string }): Promise<Conversation> {
    const desk = await this.reading(run)
    return conversationOf(desk, await desk.book(scenario), id, this.redact(desk))
  }

  /** Records a chain step learnt from, with their scores and words. */
  async learnt({
    run,
    scenario,
    step
  }: OfScenario & { step: number }): ReturnType<typeof learntFrom> {
    const desk = await this.reading(run)
    return learntFrom(desk, await desk.book(scenario), step, this.redact(desk))
  }

  /** What a scenario answered, newest first: of one release, or of all. */
  async *recorded(
    { run, scenario, step }: OfScenario & { step: number | null },
    signal?: AbortSignal
  ): AsyncGenerator<RecordedAnswer, void, undefined> {
    const desk = await this.reading(run)
    const book = await desk.book(scenario)
    yield* recordedAnswers({ desk, book, step, redact: this.redact(desk), signal })
  }

  async feedback({ run, scenario }: OfScenario): Promise<FeedbackSummary> {
    const desk = await this.reading(run)
    const book = await desk.book(scenario)
    const have = desk instanceof LiveDesk ? await haveNow(desk, scenario) : null
    const sorted = sortFeedback({
      rows: book.rows,
      has: (id) => book.byId.get(id)?.type === 'inference',
      reportsOn: (id) => book.about.get(id)?.length ?? 0,
      learntBy: (row) => book.learntBy(row),
      elsewhere: (id) =>
        desk.open.find((other) => other !== book && other.byId.has(id))?.scenario ?? null,
      partial: !book.complete
    })
    const refusals = await this.refusals(run)
    const show = (row: Parameters<Desk['shown']>[1]) => desk.shown(book, row)
    return {
      answers: sorted.answers,
      reports: sorted.reports,
      learnt: sorted.learnt,
      batch: { have, need: desk.batch },
      unreported: listNewest(sorted.unreported, show),
      astray: listNewest(sorted.astray, ({ row, why }) => ({ record: show(row), why })),
      unscored: listNewest(sorted.unscored, show),
      waiting: listNewest(sorted.waiting, show),
      refused: listNewest([...refusals.found].reverse(), (one: Refusal) => one),
      complete: book.complete && refusals.complete
    }
  }

  /** Scenarios an ended run left records of, and where they lie. Throws FailureError `not-live` for one that has not ended. */
  async kept(run: string): Promise<{ scenarios: string[]; folder: string }> {
    const { kept } = await this.keptDesk(run)
    return { scenarios: [...kept.scenarios], folder: kept.folder }
  }

  /** What moves in a scenario, now and whenever it changed. */
  async *watch(
    { run, scenario }: OfScenario,
    signal?: AbortSignal
  ): AsyncGenerator<Pulse, void, undefined> {
    let shown = ''
    while (signal?.aborted !== true && !this.scope.signal.aborted) {
      const desk = await this.desk(run)
      const book = await desk.book(scenario)
      const status = valueOf(await desk.client.status(), '/reef/status')
      const reports = book.rows.filter(({ type }) => type === 'report').length
      const pulse: Pulse = {
        answers: book.rows.filter(({ type }) => type === 'inference').length,
        reports,
        batch: { have: batchHave(status, scenario), need: desk.access.batch },
        step: desk.chainStep(scenario, book.newestStep),
        job: status.training_job?.status ?? null
      }
      const now = JSON.stringify(pulse)
      if (now !== shown) yield pulse
      shown = now
      await pause(this.options.clock, WATCH_PAUSE_MS, signal)
    }
  }

  async scenarios(run: string): Promise<ScenarioFacts[]> {
    return listScenarios(await this.desk(run))
  }

  async createScenario(request: {
    run: string
    name: string
    releaseId?: string | undefined
  }): Promise<{ name: string; created: boolean }> {
    return createScenario(await this.desk(request.run), request)
  }

  async setMode({ run, scenario, mode }: OfScenario & { mode: TrainingMode }): Promise<void> {
    await setMode(await this.desk(run), scenario, mode)
  }

  async retireScenario({ run, scenario }: OfScenario): Promise<string[]> {
    return retireScenario(await this.desk(run), scenario)
  }

  /** Ends what is under way. */
  dispose(): Promise<void> {
    return this.scope.end()
  }

  /** The run's desk; a new one when its service moved or its token changed. */
  private async desk(run: string): Promise<LiveDesk> {
    const access = await this.options.runs.access(run)
    const known = this.desks.get(run)
    if (known?.access.address === access.address && known.access.token === access.token)
      return known
    const desk = new LiveDesk(access, this.options.runs, this.scope.signal)
    this.desks.set(run, desk)
    return desk
  }

  /** The live desk, or what an ended run left. Throws FailureError `not-live` while a service is on its way. */
  private async reading(run: string): Promise<Desk> {
    try {
      return await this.desk(run)
    } catch (thrown) {
      const away = thrown instanceof FailureError && thrown.failure.code === 'not-live'
      if (!away) throw thrown
      return this.keptDesk(run)
    }
  }

  private async keptDesk(run: string): Promise<KeptDesk> {
    const kept = await this.options.runs.kept(run)
    const known = this.keptDesks.get(run)
    if (known?.kept.attempt === kept.attempt) return known
    const desk = new KeptDesk(kept, this.options.runs)
    this.keptDesks.set(run, desk)
    return desk
  }

  private redact({ token }: Desk): Redactor {
    return redactor(token === null ? [] : [token])
  }

  private async refusals(run: string): Promise<RefusalLog> {
    const log = this.refusalLogs.get(run) ?? new RefusalLog()
    this.refusalLogs.set(run, log)
    await log.refresh(await this.options.logOf(run))
    return log
  }
}

/** The release of an answer. The answer is there, with its receipt, also where the service is gone before this is asked. */
async function namedNow(
  desk: LiveDesk,
  scenario: string,
  releaseId: string | null
): Promise<NamedRelease> {
  try {
    return desk.named(await desk.book(scenario), releaseId)
  } catch (thrown) {
    if (thrown instanceof FailureError) return { releaseId, step: null }
    throw thrown
  }
}

/** Reports in the batch that is being filled, as the service says. */
async function haveNow(desk: LiveDesk, scenario: string): Promise<number | null> {
  return batchHave(valueOf(await desk.client.status(), '/reef/status'), scenario)
}
