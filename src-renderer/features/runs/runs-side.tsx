import { Archive, List, Play, Server, Tag, TriangleAlert, type LucideIcon } from 'lucide-react'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { RunSummary } from '@contract/run'
import { formatCount } from '../../i18n'
import { runsView, type RunsView } from '../../state'
import { Icon } from '../../ui'
import { useTargetName } from '../shared/use-target-name'
import { tally } from './rows'

/** Which runs: views, targets, tags. */
export function RunsSide(props: { runs: readonly RunSummary[] }) {
  const { t } = useTranslation('runs')
  const targetName = useTargetName()
  const counts = useMemo(() => tally(props.runs), [props.runs])
  return (
    <aside className="side pb-3" aria-label={t('views')}>
      <div className="nav-h mt-3">{t('views')}</div>
      <ViewItem icon={List} label={t('all')} view={{ kind: 'all' }} count={counts.all} />
      <ViewItem icon={Play} label={t('active')} view={{ kind: 'active' }} count={counts.active} />
      <ViewItem
        icon={TriangleAlert}
        label={t('attention')}
        view={{ kind: 'attention' }}
        count={counts.attention}
      />
      <ViewItem
        icon={Archive}
        label={t('archived')}
        view={{ kind: 'archived' }}
        count={counts.archived}
      />
      {counts.targets.length === 0 ? null : <div className="nav-h">{t('targets')}</div>}
      {counts.targets.map((target) => (
        <ViewItem
          key={target.id}
          icon={Server}
          label={targetName(target)}
          view={{ kind: 'target', id: target.id }}
          count={target.count}
        />
      ))}
      {counts.tags.length === 0 ? null : <div className="nav-h">{t('tags')}</div>}
      {counts.tags.map(({ tag, count }) => (
        <ViewItem key={tag} icon={Tag} label={tag} view={{ kind: 'tag', tag }} count={count} />
      ))}
    </aside>
  )
}

function ViewItem(props: { icon: LucideIcon; label: string; view: RunsView; count: number }) {
  const view = runsView((store) => store.view)
  const on = JSON.stringify(view) === JSON.stringify(props.view)
  return (
    <button
      type="button"
      className={`nav-i ${on ? 'on' : ''}`}
      aria-current={on}
      onClick={() => runsView.getState().setView(props.view)}
      data-testid={`view-${props.view.kind}`}
    >
      <Icon of={props.icon} size="medium" />
      <b>{props.label}</b>
      <span className="n">{formatCount(props.count)}</span>
    </button>
  )
}
