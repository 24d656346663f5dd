import type { Release } from '@contract/releases'
import {
  Check,
  Circle,
  CircleDashed,
  CircleX,
  Pause,
  RotateCcw,
  type LucideIcon
} from 'lucide-react'
import type { TFunction } from 'i18next'
import type { StateLook } from '../../ui'
import { nameOf } from './release-model'

const look = (tone: StateLook['tone'], icon: LucideIcon): StateLook => ({ tone, icon })

/** Icon, colour and word of a row's state; null for an ordinary trained row, which needs none. */
export function releaseState(
  release: Release,
  t: TFunction<'releases'>
): { look: StateLook; word: string } | null {
  if (release.served) return { look: look('ready', Check), word: t('state.served') }
  switch (release.result) {
    case 'pending':
      return { look: look('idle', CircleDashed), word: t('state.pending') }
    case 'rejected':
      return { look: look('fail', CircleX), word: t('state.rejected') }
    case 'failed':
      return { look: look('fail', CircleX), word: t('state.failed') }
    case 'skipped':
      return { look: look('idle', Pause), word: t('state.skipped') }
    case 'published':
    case 'promoted':
    case 'selected':
      break
  }
  if (release.leftBehind) return { look: look('idle', Circle), word: t('state.leftBehind') }
  const target = release.rollbackTargetStep
  const name = target === null ? (release.rollbackTarget ?? '') : nameOf(target)
  if (release.operation === 'rollback')
    return { look: look('warn', RotateCcw), word: t('state.rollback', { name }) }
  if (release.operation === 'promote')
    return { look: look('warn', RotateCcw), word: t('state.promote', { name }) }
  return null
}
