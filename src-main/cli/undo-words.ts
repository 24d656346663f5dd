import { lineageOf } from '../contract/comparing'
import type { Release } from '../contract/releases'
import type { Text } from '../contract/text'

/** Steps trained on the way to one release that are not on the way to another, oldest first. */
function leftBehind(releases: readonly Release[], from: number, to: number): number[] {
  const kept = new Set(lineageOf(releases, to).map(({ step }) => step))
  return lineageOf(releases, from)
    .filter(({ step, operation }) => operation === 'training' && !kept.has(step))
    .map(({ step }) => step)
}

/** Whether the newest way back only returned to what was served before the one before it: undone, that one is done again. */
function isRedo(releases: readonly Release[]): boolean {
  const [newest, before] = releases.filter((one) => one.rollbackTargetStep !== null)
  return before !== undefined && newest?.rollbackTargetStep === before.step - 1
}

function leftWords(steps: readonly number[]): Text {
  const [first, last] = [steps[0], steps.at(-1)]
  if (first === undefined || last === undefined) return { en: '', zh: '' }
  const range = first === last ? `r${first}` : `r${first} … r${last}`
  return {
    en: ` ${range}: training since then is left behind.`,
    zh: `${range}：此后的训练不再延续。`
  }
}

/**
 * What an undo through the service has done.
 * @param before the chain as it was, newest first
 * @param now the release that came of it, where it is known
 * @param as its number in words
 */
export function undoneWords(before: readonly Release[], now: Release | null, as: Text): Text {
  const step = now?.rollbackTargetStep ?? null
  if (step === null)
    return {
      en: `What was served before is served again, ${as.en}.`,
      zh: `先前在线的版本已重新上线，${as.zh}。`
    }
  const served = before.find((one) => one.served)?.step ?? null
  const left = leftWords(served === null ? [] : leftBehind(before, served, step))
  const redo = isRedo(before)
    ? { en: 'The undo is taken back: ', zh: '撤销已被撤回（重做）：' }
    : { en: '', zh: '' }
  return {
    en: `${redo.en}r${step} is served again, ${as.en}; training goes on from it.${left.en}`,
    zh: `${redo.zh}r${step} 已重新上线，${as.zh}；训练从它继续。${left.zh}`
  }
}
