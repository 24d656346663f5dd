import { z } from 'zod'
import { FailureError, redactor } from '../lib'

/** Body of a refusal: `{error, message, retryable?, request_id?, details?}` (`weaver/_http.py`). */
const Refusal = z
  .object({
    error: z.string(),
    message: z.string(),
    request_id: z.string(),
    details: z.object({ required_usd: z.string(), available_usd: z.string() }).partial()
  })
  .partial()

interface Words {
  code: string
  en: string
  zh: string
  remedy?: { en: string; zh: string }
}

function wordsOf(status: number): Words {
  switch (status) {
    case 401:
    case 403:
      return {
        code: 'weaver-key-refused',
        en: 'Weaver does not accept the key.',
        zh: 'Weaver 未接受该密钥。',
        remedy: {
          en: 'Set WEAVER_API_KEY to a valid key, or store one in Settings.',
          zh: '请把 WEAVER_API_KEY 设为有效密钥，或在设置中保存。'
        }
      }
    case 402:
      return {
        code: 'weaver-quota',
        en: 'The quota of the Weaver account does not allow it.',
        zh: 'Weaver 账户额度不足。',
        remedy: { en: 'Raise the quota, or ask for less.', zh: '请提高额度或减少用量。' }
      }
    case 404:
      return {
        code: 'weaver-not-found',
        en: 'Weaver does not know it; it may have expired.',
        zh: 'Weaver 中没有该对象，可能已过期。'
      }
    case 429:
      return {
        code: 'weaver-rate-limited',
        en: 'Weaver asks to slow down.',
        zh: 'Weaver 要求降低请求频率。',
        remedy: { en: 'Try again in a moment.', zh: '请稍后重试。' }
      }
    default:
      return status >= 500
        ? {
            code: 'weaver-unavailable',
            en: `Weaver is not well (HTTP ${status}).`,
            zh: `Weaver 服务异常（HTTP ${status}）。`,
            remedy: { en: 'Try again later.', zh: '请稍后重试。' }
          }
        : {
            code: 'weaver-refused',
            en: `Weaver refuses it (HTTP ${status}).`,
            zh: `Weaver 拒绝了请求（HTTP ${status}）。`
          }
  }
}

function refusalOf(body: string): z.infer<typeof Refusal> {
  try {
    return Refusal.safeParse(JSON.parse(body)).data ?? {}
  } catch {
    // A proxy's page, not JSON: its text is the detail.
    return {}
  }
}

/** What a refused request becomes for the person. The key never stands in it. */
export function refused(status: number, body: string, where: string, key: string): FailureError {
  const { code, en, zh, remedy } = wordsOf(status)
  const { error, message, request_id: request, details } = refusalOf(body)
  const said = [
    error === undefined ? body.slice(0, 300) : `[${status}] ${error}: ${message ?? ''}`,
    ...(details?.required_usd === undefined
      ? []
      : [`required $${details.required_usd}, available $${details.available_usd ?? '?'}`]),
    ...(request === undefined ? [] : [`request ${request}`])
  ].join('; ')
  return new FailureError({
    code,
    what: { en, zh },
    where,
    ...(said === '' ? {} : { detail: redactor([key])(said) }),
    ...(remedy === undefined ? {} : { remedy })
  })
}

/** Nobody answered, or not in time. `harmless`: asking once more does no more than asking once. */
export function unanswered(
  where: string,
  why: string,
  key: string,
  harmless: boolean
): FailureError {
  return new FailureError({
    code: 'weaver-unanswered',
    what: { en: 'Weaver does not answer.', zh: 'Weaver 没有应答。' },
    where,
    detail: redactor([key])(why),
    remedy: harmless
      ? {
          en: 'Check the network, and WEAVER_BASE_URL where it is set.',
          zh: '请检查网络；若设置了 WEAVER_BASE_URL，请核对其值。'
        }
      : {
          en: 'It may have been done all the same: look at the list before you do it again.',
          zh: '该操作可能已经完成：重试之前请先查看列表。'
        }
  })
}

/** An answer of another shape than the published one. */
export function unreadable(where: string, why: string): FailureError {
  return new FailureError({
    code: 'weaver-unreadable',
    what: {
      en: 'Weaver’s answer has another shape than the published one.',
      zh: 'Weaver 的应答格式与公开格式不符。'
    },
    where,
    detail: why
  })
}
