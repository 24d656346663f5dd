import { z } from 'zod'
import type { Turn } from '../../contract/talk'

const Block = z.looseObject({ type: z.string().optional(), text: z.string().optional() })
const Content = z.union([z.string(), z.array(z.union([z.string(), Block]))])
const Message = z.looseObject({ role: z.string(), content: Content.nullish() })
const Request = z.looseObject({
  messages: z.array(Message),
  /** Anthropic's form keeps it apart. */
  system: Content.nullish()
})
const Reply = z.looseObject({
  text: z.string().optional(),
  content: Content.nullish(),
  choices: z
    .array(z.looseObject({ message: Message.optional(), text: z.string().optional() }))
    .optional()
})
const Payload = z.looseObject({
  request: z.unknown().optional(),
  response: z.unknown().optional(),
  messages: z.unknown().optional()
})
const Report = z.looseObject({
  feedback: z.union([z.string(), z.record(z.string(), z.unknown())]).nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish()
})

function textOf(content: z.infer<typeof Content> | null | undefined): string {
  if (content === null || content === undefined) return ''
  if (typeof content === 'string') return content
  return content
    .map((block) => {
      if (typeof block === 'string') return block
      return block.text ?? `[${block.type ?? '?'}]`
    })
    .join('')
}

function roleOf(role: string): Turn['role'] {
  if (role === 'assistant') return 'assistant'
  return role === 'system' || role === 'developer' ? 'system' : 'user'
}

/** The turns of a recorded request, in OpenAI's or Anthropic's form; null when it is neither. */
export function turnsOf(payload: unknown): Turn[] | null {
  const outer = Payload.safeParse(payload)
  const request = Request.safeParse(outer.data?.request ?? payload)
  if (!request.success) return null
  const { messages, system } = request.data
  return [
    ...(system === null || system === undefined
      ? []
      : [{ role: 'system' as const, text: textOf(system) }]),
    ...messages.map(({ role, content }) => ({ role: roleOf(role), text: textOf(content) }))
  ]
}

/** The text of a recorded answer; null when it is in no form known. */
export function replyOf(payload: unknown): string | null {
  const outer = Payload.safeParse(payload)
  const reply = Reply.safeParse(outer.data?.response)
  if (!reply.success) return null
  const { choices, content, text } = reply.data
  const choice = choices?.[0]
  if (choice !== undefined) return choice.text ?? textOf(choice.message?.content)
  if (content !== null && content !== undefined) return textOf(content)
  return text ?? null
}

/** What a recorded report said beside its score. */
export function wordsOf(payload: unknown): { words: string | null; metadata: string | null } {
  const report = Report.safeParse(payload)
  if (!report.success) return { words: null, metadata: null }
  const { feedback, metadata } = report.data
  const words =
    feedback === null || feedback === undefined || feedback === ''
      ? null
      : typeof feedback === 'string'
        ? feedback
        : JSON.stringify(feedback)
  const empty = metadata === null || metadata === undefined || Object.keys(metadata).length === 0
  return { words, metadata: empty ? null : JSON.stringify(metadata) }
}
