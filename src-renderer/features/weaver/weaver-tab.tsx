import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { NexrlPipeline } from '@contract/nexrl'
import { engine } from '../../api'
import { Button, EmptyReason, Field, Panel } from '../../ui'
import { FailureNote } from '../shared/failure-note'
import { CheckpointsPanel } from './checkpoints-panel'
import { KeyPanel } from './key-panel'
import { weaverStatusQuery } from './weaver-feed'

/** What the training service holds of one run. */
export function WeaverTab(props: { run: string; pipeline: NexrlPipeline }) {
  const { model, plan, exportedCount } = props.pipeline
  const { t } = useTranslation('weaver')
  const status = useQuery(weaverStatusQuery).data
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-2 overflow-auto px-3 py-2 text-xs">
      <p className="t2">{t('notTried')}</p>
      <RulePanel run={props.run} every={plan.extendEvery} />
      {status?.key === 'missing' ? <KeyPanel /> : null}
      {model === null ? (
        <EmptyReason what={t('noModelYet')} why={t('noModels')} />
      ) : status === undefined || status.key === 'missing' ? null : (
        <CheckpointsPanel model={model} exported={exportedCount} />
      )}
    </div>
  )
}

function RulePanel(props: { run: string; every: number }) {
  const { run, every } = props
  const { t } = useTranslation('weaver')
  const [typed, setTyped] = useState(String(every))
  const wanted = Number(typed)
  const legal = typed.trim() !== '' && Number.isInteger(wanted) && wanted >= 0
  const change = useMutation({
    mutationFn: () => engine.runs.update({ run, extendEvery: wanted })
  })
  return (
    <Panel className="flex-none" title={t('rule')}>
      <div className="flex items-end gap-3 px-3 pb-3">
        <Field
          className="w-72"
          label={t('ruleEvery')}
          showLabel
          value={typed}
          onChange={setTyped}
          data-testid="weaver-every"
        />
        <Button
          off={!legal ? t('ruleNumber') : wanted === every ? t('ruleSame') : undefined}
          onClick={() => change.mutate()}
          data-testid="weaver-set-rule"
        >
          {t('keep')}
        </Button>
        <p className="t2 min-w-0 flex-1 pb-1" data-testid="weaver-rule">
          {every === 0 ? t('ruleOff') : t('ruleOn', { n: every })}
        </p>
      </div>
      {change.isError ? <FailureNote className="mx-3 mb-3" thrown={change.error} /> : null}
    </Panel>
  )
}
