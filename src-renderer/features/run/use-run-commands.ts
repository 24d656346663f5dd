import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { RunDetail } from '@contract/run'
import { useCommands, type Command } from '../../commands'
import { go, layout } from '../../state'
import { canStop, isActive, useRunUpdate } from '../runs'
import { useRestart } from './acts'
import { runDialogs } from './dialogs-store'
import { TAB_ORDER } from './use-run-tabs'

/** What can be done with the run that is open. Stopping has no key of its own: it is in the palette. */
export function useRunCommands(runId: string, detail: RunDetail | undefined): void {
  const { t } = useTranslation(['run', 'log', 'talk'])
  const update = useRunUpdate()
  const { mutate: restart } = useRestart(runId)
  const state = detail?.summary.state
  const imported = detail?.summary.target.kind === 'import'
  const active = state !== undefined && isActive(state)
  const stoppable = state !== undefined && canStop(state)
  const serving = active && detail?.address !== null && detail?.summary.served !== null
  const starred = detail?.summary.starred ?? false
  const commands = useMemo<Command[]>(
    () => [
      ...TAB_ORDER.map((tab, i): Command => ({
        id: `tab-${tab}`,
        title: t(`run:tabs.${tab}`),
        group: 'run',
        keys: [`Alt+${i + 1}`],
        run: () => go({ page: 'run', id: runId, tab })
      })),
      {
        id: 'try-it',
        title: t('talk:open'),
        group: 'run',
        keys: ['Y'],
        off: serving ? undefined : t('talk:openOff'),
        run: () => runDialogs.getState().open('try-it')
      },
      {
        id: 'star',
        title: starred ? t('run:starOff') : t('run:starOn'),
        group: 'run',
        run: () => void update(runId, { starred: !starred })
      },
      {
        id: 'rename',
        title: t('run:rename'),
        group: 'run',
        run: () => runDialogs.getState().open('rename')
      },
      {
        id: 'edit-tags',
        title: t('run:editTags'),
        group: 'run',
        keys: ['T'],
        run: () => runDialogs.getState().open('tags')
      },
      {
        id: 'toggle-log',
        title: t('log:toggle'),
        group: 'log',
        keys: ['Mod+J'],
        run: () => layout.getState().toggleLogDock()
      },
      ...(active
        ? [
            {
              id: 'stop',
              title: t('run:stop'),
              group: 'run' as const,
              off: stoppable ? undefined : t('run:stopping'),
              run: () => runDialogs.getState().open('stop')
            }
          ]
        : imported
          ? []
          : [
              {
                id: 'restart',
                title: t('run:restart'),
                group: 'run' as const,
                run: () => restart()
              }
            ])
    ],
    [t, runId, update, restart, active, imported, stoppable, serving, starred]
  )
  useCommands(commands)
}
