import { create } from 'zustand'
import type { AskEvent, TalkForm, Turn } from '@contract/talk'
import { engine } from '../../api'

export type AnswerState =
  | { kind: 'coming' }
  | { kind: 'stopped' }
  | { kind: 'failed'; thrown: unknown }
  | { kind: 'done'; end: Extract<AskEvent, { kind: 'done' }> }

/** One question with its answer, in the scenario it was asked in. */
export interface Exchange {
  id: number
  scenario: string
  question: string
  text: string
  state: AnswerState
  /** Id of the report sent from here and its score; null before. */
  report: { id: string; score: number | null } | null
}

export interface Talk {
  scenario: string | null
  form: TalkForm
  stream: boolean
  temperature: string
  draft: string
  exchanges: readonly Exchange[]
  /** Exchange whose answer is looked at. */
  chosen: number | null
}

const fresh: Talk = {
  scenario: null,
  form: 'openai',
  stream: true,
  temperature: '',
  draft: '',
  exchanges: [],
  chosen: null
}

interface TalkStore {
  talks: Readonly<Record<string, Talk>>
  set: (run: string, change: Partial<Talk>) => void
}

/** What was talked with each run while the window is open; closing the dialog forgets nothing. */
export const talks = create<TalkStore>((set) => ({
  talks: {},
  set: (run, change) =>
    set((was) => ({
      talks: { ...was.talks, [run]: { ...(was.talks[run] ?? fresh), ...change } }
    }))
}))

export function useTalk(run: string): Talk {
  return talks((store) => store.talks[run]) ?? fresh
}

function talkOf(run: string): Talk {
  return talks.getState().talks[run] ?? fresh
}

export function changeExchange(run: string, id: number, change: Partial<Exchange>): void {
  const { exchanges } = talkOf(run)
  talks.getState().set(run, {
    exchanges: exchanges.map((one) => (one.id === id ? { ...one, ...change } : one))
  })
}

/** Begins a scenario's conversation anew; what was recorded stays recorded. */
export function forgetScenario(run: string, scenario: string): void {
  const exchanges = talkOf(run).exchanges.filter((one) => one.scenario !== scenario)
  talks.getState().set(run, { exchanges, chosen: null })
}

/** A number a person typed; null when the field is empty, undefined when it is none. */
export function readNumber(text: string): number | null | undefined {
  const plain = text.trim()
  if (plain === '') return null
  const value = Number(plain.replace('−', '-'))
  return Number.isFinite(value) ? value : undefined
}

/** A temperature a person typed, from 0 to 2; null when the field is empty, undefined when it is none. */
export function readTemperature(text: string): number | null | undefined {
  const value = readNumber(text)
  return typeof value === 'number' && (value < 0 || value > 2) ? undefined : value
}

/** The turns of a conversation so far, then the new question. Answers that never came are left out. */
export function turnsFor(
  exchanges: readonly Exchange[],
  scenario: string,
  question: string
): Turn[] {
  const before = exchanges
    .filter((one) => one.scenario === scenario && one.state.kind === 'done')
    .flatMap((one): Turn[] => [
      { role: 'user', text: one.question },
      { role: 'assistant', text: one.text }
    ])
  return [...before, { role: 'user', text: question }]
}

const under = new Map<string, AbortController>()

/** Asks and takes down the answer as it comes, also while the dialog is closed. */
export async function askNow(run: string, scenario: string): Promise<void> {
  const { draft, exchanges, form, stream, temperature } = talkOf(run)
  const question = draft.trim()
  const warmth = readTemperature(temperature)
  if (question === '' || under.has(run) || warmth === undefined) return
  const id = Math.max(0, ...exchanges.map((one) => one.id)) + 1
  const one: Exchange = {
    id,
    scenario,
    question,
    text: '',
    state: { kind: 'coming' },
    report: null
  }
  talks.getState().set(run, { draft: '', exchanges: [...exchanges, one], chosen: id })
  const aborter = new AbortController()
  under.set(run, aborter)
  try {
    const events = await engine.talk.ask(
      {
        run,
        scenario,
        form,
        stream,
        turns: turnsFor(exchanges, scenario, question),
        ...(warmth === null ? {} : { temperature: warmth })
      },
      { signal: aborter.signal }
    )
    let text = ''
    for await (const event of events) {
      if (event.kind === 'text') {
        text += event.text
        changeExchange(run, id, { text })
      } else changeExchange(run, id, { state: { kind: 'done', end: event } })
    }
    // An engine that was swapped for another ends its streams without a word.
    const left = talkOf(run).exchanges.find((mine) => mine.id === id)
    if (left?.state.kind === 'coming') changeExchange(run, id, { state: { kind: 'stopped' } })
  } catch (thrown) {
    const state: AnswerState = aborter.signal.aborted
      ? { kind: 'stopped' }
      : { kind: 'failed', thrown }
    changeExchange(run, id, { state })
  } finally {
    under.delete(run)
  }
}

export function stopAsking(run: string): void {
  under.get(run)?.abort()
}
