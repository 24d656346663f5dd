import { useTranslation } from 'react-i18next'
import type { RunDetail } from '@contract/run'
import { CopyButton, KeyValues, Panel } from '../../ui'
import { useTargetName } from '../shared/use-target-name'
import { PipelinePanel } from '../nexrl-run'
import { isActive } from '../runs'
import { AttemptsPanel } from './attempts-panel'
import { CompanionsPanel } from './companions-panel'
import { ClusterPanels } from './cluster-panel'
import { EventsPanel } from './events-panel'
import { FailureCard } from './failure-card'
import { ServicesPanel } from './services-panel'

/** What runs, how it came up, and what happened to it. */
export function StackTab(props: { detail: RunDetail }) {
  const { detail } = props
  const { summary } = detail
  return (
    <>
      {detail.nexrl === undefined ? null : (
        <div className="flex-none px-3 pt-2">
          <PipelinePanel pipeline={detail.nexrl} />
        </div>
      )}
      <div className="grid min-h-0 flex-1 grid-cols-[minmax(0,1fr)_minmax(320px,400px)] gap-2 px-3 py-2">
        <div className="flex min-h-0 flex-col gap-2 overflow-auto">
          <FailureCard detail={detail} />
          <ServicesPanel detail={detail} />
          <CompanionsPanel detail={detail} />
          {isActive(summary.state) && !summary.recipe.practice && ownsHardware(detail) ? (
            <ClusterPanels run={summary.id} />
          ) : null}
          <AttemptsPanel detail={detail} />
        </div>
        <div className="flex min-h-0 flex-col gap-2">
          <PlacePanel detail={detail} />
          <EventsPanel events={detail.events} />
        </div>
      </div>
    </>
  )
}

/** A driver whose model is trained in a service has no Ray, no engines and no GPUs of its own. */
function ownsHardware({ nexrl }: RunDetail): boolean {
  return nexrl === undefined || nexrl.plan.service === 'own'
}

function PlacePanel(props: { detail: RunDetail }) {
  const { detail } = props
  const { t } = useTranslation(['stack', 'launch', 'common'])
  const { summary } = detail
  const targetName = useTargetName()
  const rollback = {
    api: t('launch:rollbackApi'),
    redeploy: t('launch:rollbackRedeploy'),
    none: t('launch:rollbackNone')
  }[detail.rollback]
  const address =
    detail.address === null ? (
      <span className="t2">{t('stack:noAddress')}</span>
    ) : (
      <span className="flex items-center gap-1">
        <span className="mono" data-testid="address">
          {detail.address}
        </span>
        <CopyButton
          text={detail.address}
          label={t('stack:copyAddress')}
          done={t('common:copied')}
        />
      </span>
    )
  return (
    <Panel className="flex-none" title={t('stack:place')} sub={targetName(summary.target)}>
      <div className="px-3 pb-2">
        <KeyValues
          rows={[
            [t('stack:address'), address],
            [
              t('stack:scenarios'),
              detail.scenarios.length === 0 ? null : detail.scenarios.join(', ')
            ],
            [t('stack:rollback'), rollback],
            [t('stack:writer'), t(`stack:writers.${detail.writer}`)],
            [
              t('stack:folder'),
              <span className="mono" key="folder">
                {summary.folder}
              </span>
            ]
          ]}
        />
      </div>
    </Panel>
  )
}
