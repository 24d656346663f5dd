import { lineageOf } from '../contract/comparing'
import type { Release } from '../contract/releases'
import type { Text } from '../contract/text'

/**
 * Steps trained on the way to one release that are not on the way to another, oldest first, in stretches: rows of
 * another way that lie between two of them, such as those now served, would be named by one range over all. What came
 * to nothing on the way that is left parts nothing.
 */
function leftBehind(releases: readonly Release[], from: number, to: number): number[][] {
  const kept = new Set(lineageOf(releases, to).map(({ step }) => step))
  const left = new Set(
    lineageOf(releases, from)
      .map(({ step }) => step)
      .filter((step) => !kept.has(step))
  )
  const bases = new Set(releases.map(({ baseStep }) => baseStep))
  const stretches: number[][] = [[]]
  for (const { step, baseStep, operation } of [...releases].reverse()) {
    const deadEnd = !bases.has(step) && baseStep !== null && left.has(baseStep)
    if (left.has(step)) {
      if (operation === 'training') stretches.at(-1)?.push(step)
    } else if (!deadEnd) stretches.push([])
  }
  return stretches.filter((stretch) => stretch.length > 0)
}

/** Whether the newest way back only returned to what was served before the one before it: undone, that one is done again. */
function isRedo(releases: readonly Release[]): boolean {
  const [newest, before] = releases.filter((one) => one.rollbackTargetStep !== null)
  return before !== undefined && newest?.rollbackTargetStep === before.step - 1
}

function rangeOf(steps: readonly number[]): string {
  const [first = 0, last = first] = [steps[0], steps.at(-1)]
  return first === last ? `r${first}` : `r${first} … r${last}`
}

function leftWords(stretches: readonly number[][]): Text {
  const ranges = stretches.map(rangeOf)
  if (ranges.length === 0) return { en: '', zh: '' }
  return ranges.length === 1
    ? {
        en: ` ${ranges.join('')}: training since then is left behind.`,
        zh: `${ranges.join('')}：此后的训练不再延续。`
      }
    : {
        en: ` ${ranges.join(', ')}: this training is left behind.`,
        zh: `${ranges.join('、')}：这些训练不再延续。`
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
