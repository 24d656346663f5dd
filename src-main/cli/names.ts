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
