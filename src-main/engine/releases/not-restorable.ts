import type { Release } from '../../contract/releases'
import type { Text } from '../../contract/text'
import type { Draft } from './chain-drafts'

/** Why the content of this row cannot be had again, or null when it can. */
export function notRestorableBecause(
  draft: Draft,
  result: Release['result'],
  baseStep: number | null,
  idRestorable: boolean
): Text | null {
  switch (result) {
    case 'rejected':
    case 'skipped':
    case 'failed':
      return {
        en:
          baseStep === null
            ? 'This step published nothing.'
            : `This step published nothing; go back to r${baseStep}, which stayed served.`,
        zh:
          baseStep === null
            ? '这一步没有发布任何内容。'
            : `这一步没有发布任何内容；可回滚到当时仍在服务的 r${baseStep}。`
      }
    case 'published':
    case 'selected':
    case 'pending':
    case 'promoted':
      break
  }
  if (idRestorable) return null
  return draft.row.contentKind === 'live_weights'
    ? {
        en: 'Live weights: they existed only in the serving engine and were never saved.',
        zh: '实时权重：只存在于推理引擎中，从未保存。'
      }
    : {
        en: 'No checkpoint was kept for this release.',
        zh: '该版本没有保留 checkpoint。'
      }
}
