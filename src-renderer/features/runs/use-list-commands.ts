import { useMemo, type RefObject } from 'react'
import { useTranslation } from 'react-i18next'
import { useCommands, type Command } from '../../commands'
import { go, runsView } from '../../state'
import { moveCursor, type Row } from './rows'

/** Moving in the list and acting on the row the keyboard is on. */
export function useListCommands(
  rows: readonly Row[],
  filter: RefObject<HTMLInputElement | null>
): void {
  const { t } = useTranslation('runs')
  const commands = useMemo<Command[]>(() => {
    const step = (by: 1 | -1) => (): void => {
      const { cursor, setCursor } = runsView.getState()
      setCursor(moveCursor(rows, cursor, by))
    }
    const withCursor = (act: (id: string) => void) => (): void => {
      const { cursor } = runsView.getState()
      if (cursor !== null) act(cursor)
    }
    const list = { group: 'list' as const, quiet: true }
    return [
      { ...list, id: 'next', title: t('next'), keys: ['J', 'ArrowDown'], run: step(1) },
      { ...list, id: 'previous', title: t('previous'), keys: ['K', 'ArrowUp'], run: step(-1) },
      {
        ...list,
        id: 'open',
        title: t('open'),
        keys: ['Enter'],
        run: withCursor((id) => go({ page: 'run', id, tab: 'curves' }))
      },
      {
        ...list,
        id: 'select',
        title: t('select'),
        keys: ['X'],
        run: withCursor(runsView.getState().toggle)
      },
      {
        ...list,
        id: 'filter',
        title: t('focusFilter'),
        keys: ['/'],
        run: () => filter.current?.focus()
      },
      {
        ...list,
        id: 'clear',
        title: t('clearSelection'),
        keys: ['Escape'],
        run: runsView.getState().clear
      }
    ]
  }, [rows, filter, t])
  useCommands(commands)
}
