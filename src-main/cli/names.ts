import type { Release } from '../contract/releases'
import type { Text } from '../contract/text'
import { fail } from '../engine/lib'

/** Refuses an empty word where something must be named: in a script it comes from a variable that is not set. */
export function refuseNoName(wanted: string, what: Text): void {
  if (wanted.trim() !== '') return
  fail({
    code: 'name-unreadable',
    what: { en: `No ${what.en} is named: the word is empty.`, zh: `未指定${what.zh}：参数为空。` },
    remedy: {
      en: 'Give an id. In a script, check that the variable is set.',
      zh: '请给出 id。在脚本中请确认变量已设置。'
    }
  })
}

/** Fewer characters of an id than this may begin another one by chance: `abc` must not go back to somebody's `abc6…`. */
const LEAST_OF_ID = 8

/**
 * A release by number (`r12` or `12`), by its id, or by at least eight first characters of it.
 * @param releases newest first; rows that share an id are one and the same content, and the newest is meant
 */
export function findRelease(releases: readonly Release[], wanted: string): Release {
  refuseNoName(wanted, { en: 'release', zh: '版本' })
  const step = /^r?(\d{1,9})$/.exec(wanted)?.[1]
  const numbered =
    step === undefined ? undefined : releases.find((release) => release.step === Number(step))
  const exact = numbered ?? releases.find(({ releaseId }) => releaseId === wanted)
  if (exact !== undefined) return exact
  const near =
    wanted.length < LEAST_OF_ID
      ? []
      : releases.filter(({ releaseId }) => releaseId.startsWith(wanted))
  const ids = [...new Set(near.map(({ releaseId }) => releaseId))]
  if (near[0] !== undefined && ids.length === 1) return near[0]
  if (ids.length > 1)
    return fail({
      code: 'release-ambiguous',
      what: {
        en: `“${wanted}” could be ${ids.join(', ')}.`,
        zh: `“${wanted}”可能是 ${ids.join('、')}。`
      },
      remedy: { en: 'Give more of the id.', zh: '请给出更多 id 字符。' }
    })
  return fail({
    code: 'release-unknown',
    what: { en: `There is no release “${wanted}”.`, zh: `没有版本“${wanted}”。` },
    remedy: {
      en: 'Give its number (r12), its id, or at least the first 8 characters of the id; “slipway releases RUN” lists them.',
      zh: '请给出编号（r12）、id 或 id 的至少前 8 个字符；“slipway releases RUN”列出全部版本。'
    }
  })
}
