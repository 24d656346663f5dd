import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { runsQuery } from '../../api/queries'
import { fileName, go, useRoute } from '../../state'

export interface Crumb {
  label: string
  /** Absent for the place one is in. */
  go?: () => void
}

/** The path from the rail's entry to here. */
export function useCrumbs(): Crumb[] {
  const { t } = useTranslation(['frame', 'run', 'launch', 'settings'])
  const route = useRoute()
  const id = route.page === 'run' ? route.id : null
  const called = useQuery({
    ...runsQuery,
    select: ({ runs }) => runs.find((run) => run.id === id)?.name
  }).data
  const toRuns: Crumb = { label: t('frame:runs'), go: () => go({ page: 'runs' }) }
  switch (route.page) {
    case 'runs':
      return [{ label: t('frame:runs') }]
    case 'new':
      return [toRuns, { label: t('launch:title') }]
    case 'run': {
      const name = called ?? route.id
      const toRun = (): void => go({ page: 'run', id: route.id, tab: 'curves' })
      return [toRuns, { label: name, go: toRun }, { label: t(`run:tabs.${route.tab}`) }]
    }
    case 'recipes':
      return route.path === undefined
        ? [{ label: t('frame:recipes') }]
        : [
            { label: t('frame:recipes'), go: () => go({ page: 'recipes' }) },
            { label: fileName(route.path) }
          ]
    case 'settings':
      return [
        {
          label: t('frame:settings'),
          go: () => go({ page: 'settings', section: 'targets' })
        },
        { label: t(`settings:${route.section}`) }
      ]
  }
}
