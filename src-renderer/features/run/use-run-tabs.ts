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

/** What of a run its tabs depend on. */
export type TabFacts = {
  readonly imported: boolean
  readonly weaver: boolean
  /** Releases to count; null for a run that makes none. */
  readonly released: number | null
}

export function tabFacts({ summary, nexrl }: RunDetail): TabFacts {
  return {
    imported: summary.target.kind === 'import',
    weaver: nexrl?.plan.service === 'weaver',
    released: nexrl === undefined ? summary.stages.released : null
  }
}

/** The tabs of a run, with the counts worth a glance. */
export function useRunTabs(facts: TabFacts): TabItem<RunTab>[] {
  const { t } = useTranslation('run')
  const { released } = facts
  const weaver: readonly RunTab[] = facts.weaver ? ['weaver'] : []
  const shown = facts.imported ? OF_IMPORTED : TAB_ORDER
  return [...shown, ...weaver].map((tab) => ({
    value: tab,
    label: t(`tabs.${tab}`),
    count:
      tab === 'releases' && released !== null && released > 0 ? formatCount(released) : undefined
  }))
}
