import { createHash, randomBytes, randomInt } from 'node:crypto'
import { basename, join } from 'node:path'
import {
  PromptSet,
  type Trial,
  type TrialEvent,
  type TrialSide,
  type TrialSideFacts,
  type TrialSummary,
  type TrialVerdict
} from '../../contract/behaviour'
import type { Text } from '../../contract/text'
import { Shelf } from '../compare'
import { fail, FailureError } from '../lib'
import type { RunService } from '../stacks'
import type { TalkService } from '../talk'
import { openSource, readAnswers, type AnswerSource, type SourceOptions } from './answer-source'
import { wayOf } from './answer-way'
import { promptsFrom } from './prompts'
import { scoreOf, summaryOf, type TrialLine } from './trial-record'
import { TrialStore } from './trial-store'

export interface TrialOptions extends SourceOptions {
  home: string
  talk: Pick<TalkService, 'ask' | 'recorded' | 'report'>
  runs: Pick<RunService, 'chain' | 'access'>
  /** Name of a run, for the sides' labels. */
  nameOf: (run: string) => Promise<string>
}

export interface TrialRequest {
  name?: string | undefined
  /** Two to eight; the first is the baseline. */
  sides: readonly TrialSide[]
  text: string
  blind: boolean
  temperature?: number | undefined
  maxTokens?: number | undefined
}

/** Answers asked for at the same time. */
const AT_ONCE = 4

type Named = Omit<TrialSideFacts, 'label'> & { run: string | null; own: string }

/** Trials: the same prompts to two to eight sides, kept with their answers and what a person thinks of them. */
export class TrialService {
  private readonly trials: TrialStore
  private readonly sets: Shelf<PromptSet>

  constructor(private readonly options: TrialOptions) {
    this.trials = new TrialStore(join(options.home, 'trials'))
    this.sets = new Shelf(join(options.home, 'prompt-sets'), PromptSet)
  }

  /** By name. */
  async promptSets(): Promise<PromptSet[]> {
    const { documents } = await this.sets.list()
    return documents.sort((one, two) => one.name.localeCompare(two.name))
  }

  savePromptSet({ name, text }: { name: string; text: string }): Promise<PromptSet> {
    const called = name.trim()
    if (called === '')
      return fail({
        code: 'name-missing',
        what: { en: 'Give the prompt set a name.', zh: '请为 prompt 集命名。' }
      })
    const id = createHash('sha256').update(called).digest('hex').slice(0, 16)
    const prompts = promptsFrom(text)
    return this.sets.put({ id, name: called, savedAt: this.options.clock.now(), prompts })
  }

  removePromptSet(id: string): Promise<void> {
    return this.sets.remove(id)
  }

  /** Prompts of a scenario's recorded answers, each once, newest first. */
  async recordedPrompts(request: {
    run: string
    scenario?: string | undefined
    step?: number | undefined
    limit: number
  }): Promise<string[]> {
    const { run, step = null, limit } = request
    const { scenario } = await this.options.runs.chain(request)
    const prompts = new Set<string>()
    for await (const { prompt } of this.options.talk.recorded({ run, scenario, step })) {
      if (prompt.trim() !== '') prompts.add(prompt.trim())
      if (prompts.size >= limit) break
    }
    return [...prompts]
  }

  async list(): Promise<{ trials: TrialSummary[]; unreadable: string[] }> {
    const { trials, unreadable } = await this.trials.list()
    return { trials: trials.map(summaryOf), unreadable }
  }

  read(id: string): Promise<Trial> {
    return this.trials.read(id)
  }

  remove(id: string): Promise<void> {
    return this.trials.remove(id)
  }

  async make(request: TrialRequest): Promise<Trial> {
    const prompts = promptsFrom(request.text)
    const named: Named[] = []
    for (const side of request.sides) named.push(await this.named(side))
    const [first] = named
    const oneRun = named.every(({ run }) => run !== null && run === first?.run)
    const sides = named.map((one) => labelled(one, oneRun))
    const name = request.name?.trim() ?? ''
    return this.trials.make({
      id: `t-${randomBytes(6).toString('hex')}`,
      name: name === '' ? sides.map(({ label }) => label).join(' – ') : name,
      madeAt: this.options.clock.now(),
      blind: request.blind,
      temperature: request.temperature ?? null,
      maxTokens: request.maxTokens ?? null,
      sides,
      prompts: prompts.map((text) => ({ text, order: shuffled(sides.length) }))
    })
  }

  /** Asks for every answer that is not there yet. What came before an interruption is kept. */
  async *collect(id: string, signal?: AbortSignal): AsyncGenerator<TrialEvent, void, undefined> {
    const left = (): boolean => signal?.aborted === true
    const trial = await this.trials.read(id)
    const open = new Map<number, AnswerSource>()
    const wanted = trial.rows.flatMap(({ answers, prompt }, row) =>
      answers.flatMap((answer, side) => (answer?.kind === 'text' ? [] : [{ row, side, prompt }]))
    )
    const total = trial.rows.length * trial.sides.length
    let done = total - wanted.length
    for (const [side, facts] of trial.sides.entries())
      if (wanted.some((one) => one.side === side))
        open.set(side, await openSource(facts, trial, this.options, signal))
    for (let at = 0; at < wanted.length && !left(); at += AT_ONCE) {
      yield { kind: 'progress', done, total }
      const group = wanted.slice(at, at + AT_ONCE)
      const tried = await Promise.allSettled(
        group.map(async ({ side, prompt }) => open.get(side)?.(prompt, signal))
      )
      const lines = tried.flatMap((one, index): TrialLine[] => {
        const place = group[index]
        return one.status === 'rejected' || one.value === undefined || place === undefined
          ? []
          : [{ kind: 'answer', row: place.row, side: place.side, answer: one.value }]
      })
      await this.trials.append(id, lines)
      const failed = tried.find((one) => one.status === 'rejected')
      if (failed !== undefined && !left()) throw failed.reason
      done += group.length
    }
    if (!left()) yield { kind: 'done', trial: await this.trials.read(id) }
  }

  async judge(request: { id: string; row: number; verdict: TrialVerdict | null }): Promise<Trial> {
    const { id, row } = request
    const trial = await this.trials.read(id)
    const judged = trial.rows[row]
    const verdict =
      request.verdict === null ? null : [...new Set(request.verdict)].sort((a, b) => a - b)
    if (verdict?.some((place) => place >= trial.sides.length) === true)
      return fail({
        code: 'verdict-wrong',
        what: {
          en: `This trial has ${trial.sides.length} sides; the verdict names another.`,
          zh: `该对照只有 ${trial.sides.length} 方，评判中指定了不存在的一方。`
        },
        where: `${id} ${row + 1}`
      })
    if (judged === undefined || judged.answers.some((answer) => answer?.kind !== 'text'))
      return fail({
        code: 'nothing-to-judge',
        what: {
          en: 'Only a prompt that every side answered can be judged.',
          zh: '只有各方都作答的 prompt 才能评判。'
        },
        where: `${id} ${row + 1}`
      })
    const at = this.options.clock.now()
    await this.trials.append(id, [{ kind: 'verdict', row, verdict, at }])
    return this.trials.read(id)
  }

  /** Sends what is judged and not sent yet. A report's id is made of its place, so that a second sending is safe. */
  async report(id: string): Promise<{
    sent: number
    without: number
    refused: { row: number; why: Text }[]
    trial: Trial
  }> {
    const trial = await this.trials.read(id)
    const result = { sent: 0, without: 0, refused: [] as { row: number; why: Text }[] }
    for (const [index, row] of trial.rows.entries()) {
      const { verdict } = row
      if (verdict === null) continue
      for (const [place, { side }] of trial.sides.entries()) {
        if (row.reported[place] !== null) continue
        const answer = row.answers[place]
        const score = scoreOf(verdict, place)
        const receipt = answer?.kind === 'text' ? answer.receipt : null
        if (receipt === null || !('run' in side)) {
          result.without += 1
          continue
        }
        const request = {
          run: side.run,
          scenario: side.scenario ?? '',
          references: [receipt],
          score,
          id: `slipway-${id}-${index}-${place}`
        }
        try {
          await this.options.talk.report(request)
        } catch (thrown) {
          if (!(thrown instanceof FailureError) || thrown.failure.code !== 'report-refused')
            throw thrown
          result.refused.push({ row: index, why: wordsOf(thrown) })
          continue
        }
        const at = this.options.clock.now()
        const line: TrialLine = { kind: 'reported', row: index, side: place, score, at }
        await this.trials.append(id, [line])
        result.sent += 1
      }
    }
    return { ...result, trial: await this.trials.read(id) }
  }

  /** A side with its scenario settled and how it comes to answer. */
  private async named(side: TrialSide): Promise<Named> {
    switch (side.kind) {
      case 'address':
        return {
          side,
          way: 'second-stack',
          note: null,
          run: null,
          own: hostOf(side.address)
        }
      case 'file':
        await readAnswers(side.path)
        return { side, way: 'file', note: null, run: null, own: basename(side.path) }
      case 'run':
      case 'release':
        return this.namedRun(side)
    }
  }

  private async namedRun(side: Extract<TrialSide, { kind: 'run' | 'release' }>): Promise<Named> {
    const { runs, nameOf } = this.options
    const access = await liveAccess(runs, side)
    const { scenario, releases } = await runs.chain(side)
    const run = await nameOf(side.run)
    const served = releases.find((release) => release.served)?.step ?? null
    if (side.kind === 'run')
      return {
        side: { ...side, scenario },
        way: 'asked',
        note: null,
        run,
        own: served === null ? '' : `r${served}`
      }
    if (!releases.some(({ step }) => step === side.step))
      return fail({
        code: 'no-such-release',
        what: {
          en: `There is no release r${side.step} in this run.`,
          zh: `该运行中没有版本 r${side.step}。`
        },
        where: run,
        remedy: {
          en: '`slipway releases RUN` lists them.',
          zh: '可用 `slipway releases RUN` 列出。'
        }
      })
    const { practice } = access ?? { practice: false }
    const live = access !== null
    const verdict = wayOf({ step: side.step, served, practice, live })
    return { side: { ...side, scenario }, ...verdict, run, own: `r${side.step}` }
  }
}

/** How the run's service is reached; null when it is not up and recorded answers will do. */
async function liveAccess(
  runs: Pick<RunService, 'access'>,
  side: Extract<TrialSide, { kind: 'run' | 'release' }>
): Promise<{ practice: boolean } | null> {
  try {
    return await runs.access(side.run)
  } catch (thrown) {
    const away = thrown instanceof FailureError && thrown.failure.code === 'not-live'
    if (away && side.kind === 'release') return null
    throw thrown
  }
}

function labelled({ run, own, ...facts }: Named, oneRun: boolean): TrialSideFacts {
  return { ...facts, label: run === null || oneRun ? own : `${run} ${own}`.trim() }
}

/** Places from 0 in an order drawn by lot, each order as likely as any other: every place comes in anywhere. */
function shuffled(count: number): number[] {
  const places: number[] = []
  for (let place = 0; place < count; place += 1) {
    const at = randomInt(place + 1)
    places.splice(at, 0, place)
  }
  return places
}

function hostOf(text: string): string {
  const address = URL.canParse(text) ? new URL(text) : null
  const bare = address?.username === '' && address.search === '' && address.hash === ''
  if (address !== null && /^https?:$/.test(address.protocol) && bare) return address.host
  return fail({
    code: 'address-wrong',
    what: { en: 'This is no address of a service.', zh: '这不是服务地址。' },
    where: text.replace(/\/\/[^/@]*@/, '//…@').replace(/[?#].*$/s, '?…'),
    remedy: {
      en: 'Give it as http://host:port; name a token by its variable, not in the address.',
      zh: '请写成 http://主机:端口；令牌用变量名指定，不要写在地址里。'
    }
  })
}

function wordsOf({ failure: { what, detail } }: FailureError): Text {
  const more = detail === undefined ? '' : ` ${detail.slice(0, 300)}`
  return { en: `${what.en}${more}`, zh: `${what.zh}${more}` }
}
