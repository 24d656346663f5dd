import { ChevronRight } from 'lucide-react'
import { Fragment } from 'react'
import { useTranslation } from 'react-i18next'
import type { NexrlPipeline } from '@contract/nexrl'
import { formatCount } from '../../i18n'
import { Icon, Meter, Tooltip } from '../../ui'

/** The stages of a NexRL driver in one line, where a Reef run shows its four. */
export function PipelineStrip(props: { pipeline: NexrlPipeline }) {
  const { loader, trainer, sync, exportedCount } = props.pipeline
  const { t } = useTranslation('nexrl')
  const of = (have: number | null, need: number | null): string =>
    have === null
      ? '–'
      : need === null
        ? formatCount(have)
        : t('of', { have: formatCount(have), need: formatCount(need) })
  const stages = [
    { id: 'batch', name: t('batch'), hint: t('batchHint'), value: of(loader.done, loader.of) },
    {
      id: 'trainer',
      name: t('trainer'),
      hint: t('trainerHint'),
      value: of(trainer.steps, trainer.of)
    },
    {
      id: 'weights',
      name: t('weights'),
      hint: t('weightsHint'),
      value: sync.version === null ? '–' : `v${sync.version}`
    },
    {
      id: 'exported',
      name: t('exported'),
      hint: t('exportedHint'),
      value: formatCount(exportedCount)
    }
  ]
  return (
    <div
      className="t2 flex flex-none items-center gap-2 text-xs"
      role="group"
      aria-label={t('strip')}
      data-testid="stages"
    >
      {stages.map(({ id, name, hint, value }, at) => (
        <Fragment key={id}>
          {at === 0 ? null : <Icon of={ChevronRight} size="small" className="t3" />}
          <Tooltip text={hint}>
            <span className="flex gap-1 whitespace-nowrap" data-testid={`stage-${id}`}>
              <span>{name}</span>
              <b className="num font-medium text-text">{value}</b>
            </span>
          </Tooltip>
          {id === 'batch' && loader.done !== null && loader.of !== null && loader.of > 0 ? (
            <Meter className="w-12" share={loader.done / loader.of} label={t('batch')} />
          ) : null}
        </Fragment>
      ))}
    </div>
  )
}
