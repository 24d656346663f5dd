import { useTranslation } from 'react-i18next'
import type { RunDetail } from '@contract/run'
import { formatCount } from '../../i18n'
import type { RunTab } from '../../state'
import type { TabItem } from '../../ui'

export const TAB_ORDER: readonly RunTab[] = [
  'curves',
  'releases',
  'compare',
  'stack',
  'log',
  'recipe',
  'preflight',
  'records',
  'notes'
]

/** What there is to see of a record that was made of files. */
const OF_IMPORTED: readonly RunTab[] = ['curves', 'log', 'notes']

/** The tabs of a run, with the counts worth a glance. */
export function useRunTabs(detail: RunDetail): TabItem<RunTab>[] {
  const { t } = useTranslation('run')
  const { released } = detail.summary.stages
  const weaver: readonly RunTab[] = detail.nexrl?.plan.service === 'weaver' ? ['weaver'] : []
  const shown = detail.summary.target.kind === 'import' ? OF_IMPORTED : TAB_ORDER
  return [...shown, ...weaver].map((tab) => ({
    value: tab,
    label: t(`tabs.${tab}`),
    count:
      tab === 'releases' && detail.nexrl === undefined && released > 0
        ? formatCount(released)
        : undefined
  }))
}
