import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { NexrlPipeline } from '@contract/nexrl'
import { EmptyReason, Panel } from '../../ui'
import { CheckpointsPanel } from './checkpoints-panel'
import { KeyPanel } from './key-panel'
import { weaverStatusQuery } from './weaver-feed'

/** What the training service holds of one run. */
export function WeaverTab(props: { pipeline: NexrlPipeline }) {
  const { model, plan } = props.pipeline
  const { t } = useTranslation('weaver')
  const status = useQuery(weaverStatusQuery).data
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-2 overflow-auto px-3 py-2 text-xs">
      <p className="t2">{t('notTried')}</p>
      <Panel className="flex-none" title={t('rule')}>
        <p className="px-3 pb-3" data-testid="weaver-rule">
          {plan.extendEvery === 0 ? t('ruleOff') : t('ruleOn', { n: plan.extendEvery })}
        </p>
      </Panel>
      {status?.key === 'missing' ? <KeyPanel /> : null}
      {model === null ? (
        <EmptyReason what={t('noModelYet')} why={t('noModels')} />
      ) : status === undefined || status.key === 'missing' ? null : (
        <CheckpointsPanel model={model} />
      )}
    </div>
  )
}
