import { z } from 'zod'
import type { TalkForm, Turn } from '../../contract/talk'

/** A question in one of the two forms. */
export interface Question {
  form: TalkForm
  stream: boolean
  model: string
  turns: readonly Turn[]
  temperature?: number | undefined
  maxTokens?: number | undefined
}

/** Anthropic's form must name a limit; this is what is sent when a person gave none. */
const USUAL_LIMIT = 1024

export const ROUTES: Record<TalkForm, string> = {
  openai: '/v1/chat/completions',
  anthropic: '/v1/messages'
}

/** The body a client library of that form would send. */
export function bodyOf(question: Question): Record<string, unknown> {
  const { form, stream, model, turns, temperature, maxTokens } = question
  const common = {
    model,
    stream,
    ...(temperature === undefined ? {} : { temperature })
  }
  const messages = turns.map(({ role, text }) => ({ role, content: text }))
  if (form === 'openai') {
    return { ...common, messages, ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }) }
  }
  const system = turns.filter(({ role }) => role === 'system').map(({ text }) => text)
  return {
    ...common,
    max_tokens: maxTokens ?? USUAL_LIMIT,
    messages: messages.filter(({ role }) => role !== 'system'),
    ...(system.length === 0 ? {} : { system: system.join('\n\n') })
  }
}

/** What one event of a streamed answer, or a whole answer, says. */
export type Piece =
  | { kind: 'text'; text: string }
  | { kind: 'receipt'; id: string }
  /** The answer is whole. */
  | { kind: 'end' }
  | { kind: 'broken'; words: string }

const Common = z.looseObject({
  reef: z.looseObject({ agent_record_id: z.string().optional() }).nullish(),
  error: z.union([z.string(), z.looseObject({ message: z.string().optional() })]).nullish()
})
const Chunk = z.looseObject({
  choices: z.array(
    z.looseObject({
      delta: z.looseObject({ content: z.string().nullish() }).optional(),
      message: z.looseObject({ content: z.string().nullish() }).optional(),
      finish_reason: z.string().nullish()
    })
  )
})
const Stop = z.looseObject({ type: z.literal('message_stop') })
const Delta = z.looseObject({
  type: z.literal('content_block_delta'),
  delta: z.looseObject({ text: z.string().optional() })
})
const Message = z.looseObject({ content: z.array(z.looseObject({ text: z.string().optional() })) })

function textIn(form: TalkForm, value: unknown): string {
  if (form === 'openai') {
    const chunk = Chunk.safeParse(value)
    const first = chunk.data?.choices[0]
    return first?.delta?.content ?? first?.message?.content ?? ''
  }
  const delta = Delta.safeParse(value)
  if (delta.success) return delta.data.delta.text ?? ''
  const message = Message.safeParse(value)
  return message.success ? message.data.content.map(({ text }) => text ?? '').join('') : ''
}

/** True for what a service sends last: a stream that ends without it was cut off. */
function ends(form: TalkForm, value: unknown): boolean {
  if (form === 'anthropic') return Stop.safeParse(value).success
  const reason = Chunk.safeParse(value).data?.choices[0]?.finish_reason
  return reason !== null && reason !== undefined
}

/**
 * Reads the data of one server-sent event, or the body of an answer that is not streamed. A streamed answer's receipt
 * is `reef.agent_record_id` of its last event (`docs/reference/http-api.rst`). What says nothing gives no piece.
 */
export function readPieces(form: TalkForm, data: string): Piece[] {
  if (data.trim() === '[DONE]') return [{ kind: 'end' }]
  let value: unknown
  try {
    value = JSON.parse(data)
  } catch {
    return [{ kind: 'broken', words: data.slice(0, 500) }]
  }
  const common = Common.safeParse(value)
  const error = common.data?.error
  if (error !== undefined && error !== null) {
    const words = typeof error === 'string' ? error : (error.message ?? JSON.stringify(error))
    return [{ kind: 'broken', words }]
  }
  const text = textIn(form, value)
  const id = common.data?.reef?.agent_record_id
  return [
    ...(text === '' ? [] : [{ kind: 'text' as const, text }]),
    ...(id === undefined ? [] : [{ kind: 'receipt' as const, id }]),
    ...(id !== undefined || ends(form, value) ? [{ kind: 'end' as const }] : [])
  ]
}
