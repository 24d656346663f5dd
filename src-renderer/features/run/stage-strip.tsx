import { ChevronRight } from 'lucide-react'
import { memo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Stages } from '@contract/run'
import { formatCount } from '../../i18n'
import { Icon, Meter, Tooltip } from '../../ui'

/** The four stages of continual learning, with counts since the run began. */
export const StageStrip = memo(function StageStrip(props: { stages: Stages }) {
  const { stages } = props
  const { t } = useTranslation('run')
  return (
    <div
      className="t2 flex flex-none items-center gap-2 text-xs"
      role="group"
      aria-label={t('stages.label')}
      data-testid="stages"
    >
      <Stage
        id="served"
        name={t('stages.served')}
        hint={t('stages.servedHint')}
        value={formatCount(stages.served)}
      />
      <Icon of={ChevronRight} size="small" className="t3" />
      <Stage
        id="reported"
        name={t('stages.reported')}
        hint={t('stages.reportedHint')}
        value={formatCount(stages.reported)}
      />
      <Icon of={ChevronRight} size="small" className="t3" />
      <Batch stages={stages} />
      <Icon of={ChevronRight} size="small" className="t3" />
      <Stage
        id="released"
        name={t('stages.released')}
        hint={t('stages.releasedHint')}
        value={formatCount(stages.released)}
      />
    </div>
  )
})

const Stage = memo(function Stage(props: {
  id: string
  name: string
  hint: string
  value: string
}) {
  return (
    <Tooltip text={props.hint}>
      <span className="flex gap-1 whitespace-nowrap" data-testid={`stage-${props.id}`}>
        <span>{props.name}</span>
        <b className="num font-medium text-text">{props.value}</b>
      </span>
    </Tooltip>
  )
})

function Batch(props: { stages: Stages }) {
  const { batchHave, batchNeed } = props.stages
  const { t } = useTranslation('run')
  const known = batchHave !== null && batchNeed !== null
  const value = known
    ? t('stages.batchOf', { have: formatCount(batchHave), need: formatCount(batchNeed) })
    : '–'
  return (
    <span className="flex items-center gap-2">
      <Stage id="batch" name={t('stages.batch')} hint={t('stages.batchHint')} value={value} />
      {known ? (
        <Meter
          className="w-12"
          share={batchNeed === 0 ? null : batchHave / batchNeed}
          label={t('stages.batch')}
        />
      ) : null}
    </span>
  )
}
