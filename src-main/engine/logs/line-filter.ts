import { createContext, Script } from 'node:vm'
import { patternFlags, type LogFilter } from '../../contract/logs'
import { fail, FailureError, messageOf } from '../lib'

/** Milliseconds that a pattern may take over one batch of lines. */
const BATCH_LIMIT = 500

/** Decides which texts of a batch match. */
export type TextFilter = (texts: readonly string[]) => boolean[]

/** The text part of a filter; null when it asks for no text. */
export function textFilter(filter: LogFilter): TextFilter | null {
  if (filter.text === undefined || filter.text === '') return null
  if (filter.regex) return regexFilter(filter.text, filter.caseSensitive)
  if (filter.caseSensitive) {
    const wanted = filter.text
    return (texts) => texts.map((text) => text.includes(wanted))
  }
  const wanted = filter.text.toLowerCase()
  return (texts) => texts.map((text) => text.toLowerCase().includes(wanted))
}

/** Whether a piece of a line decides: a pattern that asks where the line begins or ends would find that in each. */
export function canMatchPieces({ text = '', regex }: LogFilter): boolean {
  return !regex || !/[\^$]/.test(text.replace(/\\.|\[\^/g, ''))
}

/**
 * Patterns come from people and may take for ever on some line. They run where the engine can interrupt them:
 * `vm` stops a backtracking expression when its time is over.
 */
function regexFilter(source: string, caseSensitive: boolean): TextFilter {
  const flags = flagsOf(source, caseSensitive)
  const context = createContext({ source, flags, texts: [] as readonly string[] })
  const script = new Script(
    'globalThis.pattern ??= new RegExp(source, flags); texts.map((text) => pattern.test(text))'
  )
  return (texts) => {
    context['texts'] = texts
    try {
      const answer: unknown = script.runInContext(context, { timeout: BATCH_LIMIT })
      return Array.isArray(answer) ? answer.map((one) => one === true) : texts.map(() => false)
    } catch (cause) {
      return tooSlow(source, cause)
    }
  }
}

function flagsOf(source: string, caseSensitive: boolean): string {
  try {
    return patternFlags(source, caseSensitive)
  } catch (cause) {
    return fail(
      {
        code: 'search-pattern-invalid',
        what: {
          en: 'The search pattern is not a valid regular expression.',
          zh: '搜索式不是有效的正则表达式。'
        },
        where: source,
        remedy: {
          en: 'Correct the pattern, or switch off "regular expression" to search for the text itself.',
          zh: '请修改搜索式，或关闭“正则表达式”按原文搜索。'
        },
        detail: messageOf(cause)
      },
      cause
    )
  }
}

function tooSlow(source: string, cause: unknown): never {
  if (cause instanceof FailureError) throw cause
  fail(
    {
      code: 'search-pattern-slow',
      what: {
        en: 'The search pattern takes too long on some line and was stopped.',
        zh: '搜索式在某一行上耗时过长，已停止。'
      },
      where: source,
      remedy: {
        en: 'Avoid repeats inside repeats, such as (a+)+, or search for plain text.',
        zh: '请避免嵌套的重复，例如 (a+)+，或改用普通文本搜索。'
      },
      detail: messageOf(cause)
    },
    cause
  )
}
