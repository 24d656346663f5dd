import type { PanelPlace } from '@contract/settings'
import { useQuery } from '@tanstack/react-query'
import { ArrowLeft, ArrowRight, EyeOff, StretchHorizontal } from 'lucide-react'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { settingsQuery } from '../../api/queries'
import type { MenuEntry } from '../../ui'
import { useSettingsChange } from '../settings/use-settings-change'
import { arrange, changed, hiddenCount, moved } from './panel-layout'
import type { PlannedPanel } from './panel-plan'

type PlaceAct = 'wide' | 'narrow' | 'earlier' | 'later' | 'hide'

const NONE: readonly PanelPlace[] = []

export type PanelLayout = {
  /** The panels in their order, each with what can be done with its place. */
  readonly shown: readonly {
    readonly panel: PlannedPanel
    readonly wide: boolean
    readonly menu: readonly MenuEntry[]
  }[]
  readonly hidden: number
  /** The default order again, nothing hidden. */
  readonly reset: () => void
}

/** A person's arrangement of the default panels, kept for each recipe family. */
export function usePanelLayout(
  planned: readonly PlannedPanel[],
  family: string | null
): PanelLayout {
  const { t } = useTranslation('curves')
  const settings = useQuery(settingsQuery).data
  const change = useSettingsChange()
  const name = family ?? 'any'
  const layouts = settings?.curveLayouts
  return useMemo(() => {
    const places = layouts?.[name] ?? NONE
    const shown = arrange(planned, places)
    const keep = (next: readonly PanelPlace[]): void =>
      change({ curveLayouts: { ...layouts, [name]: [...next] } })
    const item = (id: PlaceAct, icon: typeof EyeOff, run: () => void, off = false): MenuEntry => ({
      kind: 'item',
      id,
      label: t(`place.${id}`),
      icon,
      off,
      run
    })
    const menuOf = (id: string, at: number, wide: boolean): readonly MenuEntry[] => {
      const move = (by: number) => () => keep(moved(planned, places, id, by))
      return [
        { kind: 'line', id: 'line-place' },
        item(wide ? 'narrow' : 'wide', StretchHorizontal, () =>
          keep(changed(planned, places, id, { wide: !wide }))
        ),
        item('earlier', ArrowLeft, move(-1), at <= 0),
        item('later', ArrowRight, move(1), at === shown.length - 1),
        item('hide', EyeOff, () => keep(changed(planned, places, id, { hidden: true })))
      ]
    }
    return {
      shown: shown.map(({ panel, wide }, at) => ({
        panel,
        wide,
        menu: menuOf(panel.id, at, wide)
      })),
      hidden: hiddenCount(planned, places),
      reset: () => keep([])
    }
  }, [planned, layouts, name, t, change])
}
