import { readFile } from 'node:fs/promises'
import type { Trial, TrialAnswer, TrialSide, TrialSideFacts } from '../../contract/behaviour'
import type { AskEvent } from '../../contract/talk'
import { type Clock, fail, FailureError, messageOf, redactor } from '../lib'
import type { RunService } from '../stacks'
import { ask, type TalkService } from '../talk'
import { answersFrom } from './prompts'

export interface SourceOptions {
  talk: Pick<TalkService, 'ask' | 'recorded'>
  runs: Pick<RunService, 'chain'>
  /** Value of a secret by name; null when there is none. */
  secret: (name: string) => Promise<string | null>
  clock: Clock
}

/** Gives one side's answer to a prompt. */
export type AnswerSource = (prompt: string, signal?: AbortSignal) => Promise<TrialAnswer>

type Sampling = Pick<Trial, 'temperature' | 'maxTokens'>

/** Milliseconds one answer may take before it counts as missing. */
const LONGEST_MS = 600_000
/** Answers of a release that are looked through at most. */
const MOST_RECORDED = 5_000

/** Opens the source of a side's answers, reading what has to be read once. */
export async function openSource(
  facts: TrialSideFacts,
  sampling: Sampling,
  options: SourceOptions,
  signal?: AbortSignal
): Promise<AnswerSource> {
  const { side } = facts
  switch (side.kind) {
    case 'file':
      return fileSource(side.path, options.clock)
    case 'address':
      return stackSource(side, sampling, options)
    case 'run':
      return runSource(side, sampling, options, null)
    case 'release':
      return facts.way === 'recorded'
        ? recordedSource(side, options, signal)
        : runSource(side, sampling, options, { step: side.step, way: facts.way })
  }
}

const samplingOf = ({ temperature, maxTokens }: Sampling) => ({
  ...(temperature === null ? {} : { temperature }),
  ...(maxTokens === null ? {} : { maxTokens })
})

const turnsOf = (prompt: string) => [{ role: 'user' as const, text: prompt }]

function limited(signal: AbortSignal | undefined): { signal: AbortSignal; end: () => void } {
  const aborter = new AbortController()
  const stop = (): void => aborter.abort()
  const timer = setTimeout(stop, LONGEST_MS)
  signal?.addEventListener('abort', stop, { once: true })
  if (signal?.aborted === true) stop()
  return {
    signal: aborter.signal,
    end: () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
    }
  }
}

/** A refusal is an answer of its own kind; that nobody is there stops the collecting, which can be taken up again. */
function refusalOf(thrown: unknown): TrialAnswer {
  if (!(thrown instanceof FailureError) || thrown.failure.code === 'service-away') throw thrown
  const { what, detail } = thrown.failure
  const more = detail === undefined ? '' : ` ${detail.slice(0, 300)}`
  return { kind: 'missing', why: { en: `${what.en}${more}`, zh: `${what.zh}${more}` } }
}

function runSource(
  side: Extract<TrialSide, { kind: 'run' | 'release' }>,
  sampling: Sampling,
  { talk, runs, clock }: SourceOptions,
  wanted: { step: number; way: TrialSideFacts['way'] } | null
): AnswerSource {
  const { run, scenario = '' } = side
  const releaseId = async (step: number): Promise<string> => {
    const { releases } = await runs.chain({ run, scenario })
    return releases.find((one) => one.step === step)?.releaseId ?? ''
  }
  return async (prompt, outer) => {
    const { signal, end } = limited(outer)
    const id = wanted === null ? null : await releaseId(wanted.step)
    try {
      const request = {
        run,
        scenario,
        form: 'openai' as const,
        stream: true,
        turns: turnsOf(prompt),
        ...samplingOf(sampling),
        ...(wanted?.way === 'asked-release' && id !== null ? { release: id } : {})
      }
      const { text, done } = await heard(talk.ask(request, signal))
      if (wanted !== null && done.release.releaseId !== id)
        return movedOn(wanted.step, done.release)
      return { kind: 'text', text, receipt: done.receipt, release: done.release, at: clock.now() }
    } catch (thrown) {
      return refusalOf(thrown)
    } finally {
      end()
    }
  }
}

/** A service that trains serves another release from one answer to the next. */
function movedOn(step: number, { step: now }: { step: number | null }): TrialAnswer {
  const name = now === null ? '?' : `r${now}`
  return {
    kind: 'missing',
    why: {
      en: `By then the service served ${name} and not r${step} any more.`,
      zh: `此时在线的已是 ${name}，而不是 r${step}。`
    }
  }
}

async function heard(
  events: AsyncIterable<AskEvent>
): Promise<{ text: string; done: Extract<AskEvent, { kind: 'done' }> }> {
  let text = ''
  for await (const event of events) {
    if (event.kind === 'done') return { text, done: event }
    text += event.text
  }
  return fail({
    code: 'answer-broken',
    what: { en: 'The answer broke off.', zh: '回答中断了。' },
    remedy: { en: 'Collect the answers again.', zh: '请重新收集回答。' }
  })
}

function stackSource(
  side: Extract<TrialSide, { kind: 'address' }>,
  sampling: Sampling,
  { secret, clock }: SourceOptions
): AnswerSource {
  return async (prompt, outer) => {
    const { signal, end } = limited(outer)
    try {
      const token = await tokenOf(side.tokenName, secret)
      const redact = redactor(token === null ? [] : [token])
      const access = { address: baseOf(side.address), token }
      const question = {
        form: 'openai' as const,
        stream: true,
        model: side.model ?? 'default',
        turns: turnsOf(prompt),
        ...samplingOf(sampling)
      }
      let text = ''
      for await (const one of ask({ access, scenario: side.scenario, question, clock, signal })) {
        if (one.kind === 'text') text += one.text
        else
          return {
            kind: 'text',
            text: redact(text),
            receipt: null,
            release: { releaseId: one.releaseId, step: null },
            at: clock.now()
          }
      }
      return fail({
        code: 'answer-broken',
        what: { en: 'The answer broke off.', zh: '回答中断了。' },
        where: side.address
      })
    } catch (thrown) {
      return refusalOf(thrown)
    } finally {
      end()
    }
  }
}

/** People paste the address with and without the `/v1` their client library wants. */
function baseOf(address: string): string {
  return address.replace(/\/+$/, '').replace(/\/v1$/, '')
}

async function tokenOf(
  name: string | null,
  secret: SourceOptions['secret']
): Promise<string | null> {
  if (name === null) return null
  const value = await secret(name)
  if (value !== null && value !== '') return value
  return fail({
    code: 'token-missing',
    what: { en: `No token is known under the name ${name}.`, zh: `没有名为 ${name} 的令牌。` },
    where: name,
    remedy: {
      en: 'Set the environment variable of that name before Slipway starts, or leave the name empty.',
      zh: '请在启动 Slipway 之前设置该环境变量，或将名称留空。'
    }
  })
}

async function recordedSource(
  { run, scenario = '', step }: Extract<TrialSide, { kind: 'release' }>,
  { talk }: SourceOptions,
  signal: AbortSignal | undefined
): Promise<AnswerSource> {
  const byPrompt = new Map<string, TrialAnswer>()
  let seen = 0
  for await (const one of talk.recorded({ run, scenario, step }, signal)) {
    const prompt = one.prompt.trim()
    // The newest comes first; it stays.
    if (!byPrompt.has(prompt)) {
      const { reply: text, id: receipt, release, at } = one
      byPrompt.set(prompt, { kind: 'text', text, receipt, release, at: at ?? 0 })
    }
    seen += 1
    if (seen >= MOST_RECORDED) break
  }
  return (prompt) =>
    Promise.resolve(
      byPrompt.get(prompt.trim()) ?? {
        kind: 'missing',
        why: {
          en: `No answer of r${step} to this prompt is on record.`,
          zh: `记录中没有 r${step} 对该 prompt 的回答。`
        }
      }
    )
}

/** Answers kept in a file, by prompt. Throws FailureError `answers-unreadable`. */
export async function readAnswers(path: string): Promise<Map<string, string>> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) =>
    fail(
      {
        code: 'answers-unreadable',
        what: { en: 'The file of answers cannot be read.', zh: '无法读取回答文件。' },
        where: path,
        detail: messageOf(cause)
      },
      cause
    )
  )
  return answersFrom(text, path)
}

async function fileSource(path: string, clock: Clock): Promise<AnswerSource> {
  const redact = redactor([])
  const answers = await readAnswers(path)
  return (prompt) => {
    const answer = answers.get(prompt.trim())
    return Promise.resolve(
      answer === undefined
        ? {
            kind: 'missing',
            why: {
              en: 'The file has no answer to this prompt.',
              zh: '文件中没有对该 prompt 的回答。'
            }
          }
        : { kind: 'text', text: redact(answer), receipt: null, release: null, at: clock.now() }
    )
  }
}
