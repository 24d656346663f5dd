import type { Release } from '@contract/releases'
import { useCallback, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { nameOf, releaseAt, servedOf } from './release-model'
import { dismissAct } from './rollback-act'
import type { ReleaseActKind, RollbackOrder } from './rollback-act'

export type Asked = {
  readonly act: ReleaseActKind
  readonly run: string
  readonly scenario: string | null
  readonly step: number
  readonly before: number | null
  readonly why: string
}

/** Which going back is being asked about, and how its dialog opens and closes. */
export function useRollbackAsk(scene: {
  readonly run: string
  readonly scenario: string | null
  readonly releases: readonly Release[]
}): {
  readonly asked: Asked | null
  readonly ask: (step: number) => void
  readonly undo: (order: RollbackOrder | null) => void
  readonly close: () => void
} {
  const { t } = useTranslation('releases')
  const [asked, setAsked] = useState<Asked | null>(null)
  const { run, scenario, releases } = scene
  const before = servedOf(releases)?.step ?? null
  const ask = useCallback(
    (step: number) => {
      if (step === before) return
      const act = releaseAt(releases, step)?.result === 'pending' ? 'promote' : 'rollback'
      setAsked({ act, run, scenario, step, before, why: '' })
    },
    [run, scenario, releases, before]
  )
  const undo = useCallback(
    (order: RollbackOrder | null) => {
      dismissAct(run)
      const step = order?.before ?? before ?? 0
      const why = order === null ? '' : t('act.undoWhy', { name: nameOf(order.step) })
      setAsked({ act: 'undo', run, scenario: order?.scenario ?? scenario, step, before, why })
    },
    [run, scenario, before, t]
  )
  const close = useCallback(() => setAsked(null), [])
  return { asked, ask, undo, close }
}
