import type { Release } from '@contract/releases'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useCommands, type Command } from '../../commands'
import { go } from '../../state/route'
import { choose, toggleOther } from './release-selection'
import { useLatest } from './use-latest'

type CommandScene = {
  readonly run: string
  readonly listed: readonly Release[]
  readonly selected: number | null
  readonly other: number | null
  /** Puts the focus into the filter; null where there is none. */
  readonly focusFilter: (() => void) | null
  readonly ask: (step: number) => void
}

/** The keys of a page with releases, so that the whole of it works without a mouse. */
export function useReleaseCommands(scene: CommandScene): void {
  const { t } = useTranslation('releases')
  const latest = useLatest(scene)
  const commands = useMemo<Command[]>(() => {
    const move = (distance: number): void => {
      const { listed, selected, run } = latest.current
      const index = listed.findIndex((release) => release.step === selected)
      const next = listed[Math.min(listed.length - 1, Math.max(0, index + distance))]
      if (next !== undefined) choose(run, { step: next.step })
    }
    return [
      {
        id: 'release-older',
        title: t('command.older'),
        group: 'list',
        keys: ['J'],
        quiet: true,
        run: () => move(1)
      },
      {
        id: 'release-newer',
        title: t('command.newer'),
        group: 'list',
        keys: ['K'],
        quiet: true,
        run: () => move(-1)
      },
      {
        id: 'release-mark',
        title: t('command.mark'),
        group: 'list',
        keys: ['X'],
        run: () => {
          const { selected, run } = latest.current
          if (selected !== null) toggleOther(run, selected)
        }
      },
      {
        id: 'release-compare',
        title: t('command.compare'),
        group: 'run',
        keys: ['C'],
        run: () => {
          const { selected, other, run } = latest.current
          // Without a pair the page it leads to says how one is chosen.
          if (selected !== null && other !== null) choose(run, { step: selected, other })
          go({ page: 'run', id: run, tab: 'compare' })
        }
      },
      {
        id: 'release-filter',
        title: t('command.filter'),
        group: 'list',
        keys: ['/'],
        run: () => latest.current.focusFilter?.()
      },
      {
        id: 'release-rollback',
        title: t('command.rollBack'),
        group: 'run',
        keys: ['Mod+B'],
        run: () => {
          const { selected, ask } = latest.current
          if (selected !== null) ask(selected)
        }
      }
    ]
  }, [t, latest])
  useCommands(commands)
}
