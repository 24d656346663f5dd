import { z } from 'zod'
import type { Failure } from '../../contract/failure'
import type { Text } from '../../contract/text'
import { redactor } from '../lib'

/** What a schema found wrong, as far as it can be said in words (zod's issues; other fields are left alone). */
const Issue = z.looseObject({
  code: z.string().default(''),
  message: z.string().default(''),
  path: z.array(z.union([z.string(), z.number()])).default([]),
  expected: z.string().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  inclusive: z.boolean().default(true),
  origin: z.string().optional(),
  values: z.array(z.unknown()).optional(),
  keys: z.array(z.string()).optional()
})
type Issue = z.infer<typeof Issue>

/** More than these are hardly read. */
const MOST_TOLD = 3

/** Characters of a word that is repeated. */
const LONGEST_WORD = 40

const redact = redactor([])

/** The failure a call is refused with whose input is not of the contract: field, value, and what is allowed. */
export function inputFailure(issues: readonly unknown[], input: unknown): Failure {
  const told = issues
    .slice(0, MOST_TOLD)
    .flatMap((issue) => Issue.safeParse(issue).data ?? [])
    .map((issue) => issueWords(issue, input))
  const said = told.length > 0
  return {
    code: 'input-wrong',
    what: {
      en: said ? told.map(({ en }) => en).join(' ') : 'A value given is not allowed.',
      zh: said ? told.map(({ zh }) => zh).join('') : '给出的值不被允许。'
    }
  }
}

function issueWords(issue: Issue, input: unknown): Text {
  const field = issue.path.length === 0 ? null : issue.path.join('.')
  const value = shown(valueAt(input, issue.path), issue.code === 'invalid_value')
  const allowed = allowedBy(issue)
  return {
    en: `${field ?? 'The request'} is ${value.en}; ${allowed.en}.`,
    zh: `${field ?? '请求'} 为 ${value.zh}；${allowed.zh}。`
  }
}

function allowedBy(issue: Issue): Text {
  const { code, origin, minimum, maximum, inclusive, expected, values, keys } = issue
  const number = origin === 'number' || origin === 'int'
  switch (code) {
    case 'too_small': {
      const bound = String(minimum ?? '')
      if (number)
        return inclusive
          ? { en: `at least ${bound} is allowed`, zh: `不得小于 ${bound}` }
          : { en: `more than ${bound} is allowed`, zh: `须大于 ${bound}` }
      return { en: `it must have at least ${bound}`, zh: `至少需有 ${bound} 个` }
    }
    case 'too_big': {
      const bound = String(maximum ?? '')
      if (number)
        return inclusive
          ? { en: `at most ${bound} is allowed`, zh: `不得大于 ${bound}` }
          : { en: `less than ${bound} is allowed`, zh: `须小于 ${bound}` }
      return { en: `it may have at most ${bound}`, zh: `最多 ${bound} 个` }
    }
    case 'invalid_type':
      return expected === 'int'
        ? { en: 'a whole number is allowed', zh: '须为整数' }
        : { en: `${expected ?? 'another type'} is expected`, zh: `应为 ${expected ?? '其他类型'}` }
    case 'invalid_value': {
      const list = (values ?? []).map(String).join(', ')
      return { en: `allowed: ${list}`, zh: `可用：${list}` }
    }
    case 'unrecognized_keys': {
      const list = (keys ?? []).join(', ')
      return { en: `${list} is not known`, zh: `${list} 不是已知字段` }
    }
    default:
      return { en: `refused: ${issue.message}`, zh: `被拒绝：${issue.message}` }
  }
}

function valueAt(input: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? (value as Record<string | number, unknown>)[key]
        : undefined,
    input
  )
}

/** A value as it may be repeated: any text could be a secret, save where one of a few words was asked for. */
function shown(value: unknown, word: boolean): Text {
  switch (typeof value) {
    case 'undefined':
      return { en: 'missing', zh: '缺失' }
    case 'string':
      return word && value.length <= LONGEST_WORD
        ? same(JSON.stringify(redact(value)))
        : { en: `a text of ${value.length} characters`, zh: `${value.length} 个字符的文本` }
    case 'number':
    case 'boolean':
      return same(String(value))
    default:
      if (value === null) return same('null')
      return Array.isArray(value)
        ? { en: `a list of ${value.length}`, zh: `含 ${value.length} 项的列表` }
        : { en: 'an object', zh: '对象' }
  }
}

const same = (text: string): Text => ({ en: text, zh: text })
