import { fail } from '../lib'

/** Characters of a reason that a run keeps; it stands in its list of events and in every export. */
const LONGEST_REASON = 2000

/** Refuses a reason nobody would read again: usually a file that was given in the place of a sentence. */
export function refuseLongReason(reason: string): void {
  const { length } = reason
  if (length <= LONGEST_REASON) return
  fail({
    code: 'reason-too-long',
    what: {
      en: `The reason has ${length} characters; at most ${LONGEST_REASON} are kept. Nothing was done.`,
      zh: `理由有 ${length} 个字符，最多保存 ${LONGEST_REASON} 个。未执行任何操作。`
    },
    remedy: {
      en: 'Say it shorter here, and keep the rest in the run’s notes.',
      zh: '请在此简短说明，其余内容可写入该运行的笔记。'
    }
  })
}
