import { fail } from '../lib'

/**
 * The name a person gives a run, without blanks around it.
 * @throws FailureError `run-name-unusable` for one that says nothing, or would break every list that has a line a run
 */
export function runName(written: string): string {
  const name = written.trim()
  if (name === '')
    return fail({
      code: 'run-name-unusable',
      what: { en: 'The name of a run cannot be empty.', zh: '运行的名称不能为空。' },
      remedy: {
        en: 'Give a name, or none to take the recipe’s.',
        zh: '请给出名称；不指定则使用配方的名称。'
      }
    })
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(name))
    return fail({
      code: 'run-name-unusable',
      what: {
        en: 'The name of a run is one line without control characters.',
        zh: '运行的名称须为一行，且不含控制字符。'
      },
      where: JSON.stringify(name),
      remedy: { en: 'Leave the line break out.', zh: '请去掉换行。' }
    })
  return name
}
