import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { ChartGroup } from '../../charts'
import { shownRange } from '../../charts'
import { useCommands, type Command } from '../../commands'
import { curvePrefs } from './curve-prefs'
import { openLineUnderCrosshair } from './open-line'

/** Share of the shown width that one key press moves, and by which it zooms. */
const PAN = 0.2
const ZOOM = 1.4

/** The keys of the curves. Several groups move together: a page may have curves by step and by rollout. */
export function useCurveCommands(scene: {
  readonly run: string
  readonly groups: readonly ChartGroup[]
  readonly openSmoothing: () => void
}): void {
  const { t } = useTranslation('curves')
  const { run, groups, openSmoothing } = scene
  const commands = useMemo<Command[]>(() => {
    const each = (act: (group: ChartGroup) => void) => (): void => groups.forEach(act)
    const zoom = (factor: number) =>
      each((group) => {
        const state = group.store.getState()
        const [low, high] = shownRange(state)
        group.zoom(state.cross?.x ?? (low + high) / 2, factor)
      })
    const pan = (share: number) =>
      each((group) => {
        const [low, high] = shownRange(group.store.getState())
        group.pan((high - low) * share)
      })
    const { change } = curvePrefs.getState()
    return [
      {
        id: 'curves-log',
        title: t('command.log'),
        group: 'curves',
        keys: ['L'],
        run: () => change({ log: !curvePrefs.getState().log })
      },
      {
        id: 'curves-smoothing',
        title: t('command.smoothing'),
        group: 'curves',
        keys: ['S'],
        run: openSmoothing
      },
      {
        id: 'curves-clip',
        title: t('command.clip'),
        group: 'curves',
        keys: ['O'],
        run: () => change({ clip: !curvePrefs.getState().clip })
      },
      {
        id: 'curves-papers',
        title: t('command.papers'),
        group: 'curves',
        keys: ['P'],
        run: () => change({ papers: !curvePrefs.getState().papers })
      },
      {
        id: 'curves-reset',
        title: t('command.reset'),
        group: 'curves',
        keys: ['R'],
        run: each((group) => group.reset())
      },
      {
        id: 'curves-live',
        title: t('command.live'),
        group: 'curves',
        keys: ['Space'],
        run: each((group) => group.toggleLive())
      },
      {
        id: 'curves-line',
        title: t('command.line'),
        group: 'curves',
        keys: ['G'],
        run: () => openLineUnderCrosshair(run, groups)
      },
      {
        id: 'curves-zoom-in',
        title: t('command.zoomIn'),
        group: 'curves',
        keys: ['+', '='],
        quiet: true,
        run: zoom(1 / ZOOM)
      },
      {
        id: 'curves-zoom-out',
        title: t('command.zoomOut'),
        group: 'curves',
        keys: ['-'],
        quiet: true,
        run: zoom(ZOOM)
      },
      {
        id: 'curves-left',
        title: t('command.left'),
        group: 'curves',
        keys: ['Shift+ArrowLeft'],
        quiet: true,
        run: pan(-PAN)
      },
      {
        id: 'curves-right',
        title: t('command.right'),
        group: 'curves',
        keys: ['Shift+ArrowRight'],
        quiet: true,
        run: pan(PAN)
      },
      {
        id: 'curves-keys',
        title: t('command.keys'),
        group: 'curves',
        keys: ['A'],
        run: () =>
          change({ panels: curvePrefs.getState().panels === 'default' ? 'all' : 'default' })
      },
      {
        id: 'curves-inspector',
        title: t('command.inspector'),
        group: 'curves',
        keys: ['I'],
        run: () => change({ inspector: !curvePrefs.getState().inspector })
      }
    ]
  }, [t, run, groups, openSmoothing])
  useCommands(commands)
}
