import { ChevronRight } from 'lucide-react'
import { Fragment, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { NexrlPipeline } from '@contract/nexrl'
import { formatCount, formatDuration, formatScore, useLanguage, useText } from '../../i18n'
import { useNow } from '../../state'
import { Icon, Panel, Tooltip } from '../../ui'

interface Stage {
  id: string
  name: string
  /** The count that tells most. */
  value: string
  /** Two lines below it. */
  more: readonly ReactNode[]
  active: boolean
}

/** The driver's pipeline as a picture with live counts, from the data to the exported weights. */
export function PipelinePanel(props: { pipeline: NexrlPipeline }) {
  const { pipeline } = props
  const { t } = useTranslation('nexrl')
  const stages = useStages(pipeline)
  const said = useText()(pipeline.said)
  return (
    <Panel
      className="flex-none"
      title={t('pipeline')}
      sub={t('pipelineSub')}
      actions={
        <Tooltip text={t('verdictHint')}>
          <span
            className={`tag ${tone(pipeline.verdict)}`}
            data-testid="nexrl-verdict"
            data-verdict={pipeline.verdict}
          >
            {t(`verdict.${pipeline.verdict}`)}
          </span>
        </Tooltip>
      }
      data-testid="pipeline"
    >
      <div className="flex items-stretch gap-1 px-3 pb-2" role="list">
        {stages.map((stage, at) => (
          <Fragment key={stage.id}>
            {at === 0 ? null : (
              <Icon of={ChevronRight} size="small" className="t3 flex-none self-center" />
            )}
            <StageBox stage={stage} />
          </Fragment>
        ))}
      </div>
      <div className="px-3 pb-3 text-xs">
        <p className="t2 mb-2">{said}</p>
        <Facts pipeline={pipeline} />
      </div>
    </Panel>
  )
}

function tone(verdict: NexrlPipeline['verdict']): string {
  switch (verdict) {
    case 'done':
      return 'c-ok'
    case 'failed':
    case 'crashed':
      return 'c-fail'
    case 'ended-early':
    case 'unknown':
      return 'c-warn'
    case 'running':
      return 'c-running'
    case 'starting':
      return ''
  }
}

function StageBox(props: { stage: Stage }) {
  const { id, name, value, more, active } = props.stage
  return (
    <div
      role="listitem"
      className={`flex min-w-0 flex-1 basis-0 flex-col gap-1 rounded border px-2 py-2 text-xs ${
        active ? 'border-line-2 bg-surface-2' : 'border-line-1'
      }`}
      data-testid={`pipeline-${id}`}
    >
      <span className="t2">{name}</span>
      <b className="num text-base font-semibold whitespace-nowrap">{value}</b>
      {more.map((line, at) => (
        <span key={at} className="t2 num">
          {line}
        </span>
      ))}
    </div>
  )
}

function useStages(pipeline: NexrlPipeline): Stage[] {
  const { t } = useTranslation('nexrl')
  const language = useLanguage()
  const now = useNow()
  const { loader, workers, rewards, pool, trainer, sync, exported, exportedCount } = pipeline
  const of = (have: number | null, need: number | null): string =>
    have === null
      ? '–'
      : need === null
        ? formatCount(have)
        : t('of', { have: formatCount(have), need: formatCount(need) })
  const ago = (at: number | null, none: string): string =>
    at === null ? none : t('ago', { time: formatDuration(now - at, language) })
  const last = exported.at(-1)
  const life =
    last === undefined
      ? t('nothingExported')
      : last.expiresAt === null
        ? t('kept')
        : last.expiresAt <= now
          ? t('expired')
          : t('expiresIn', { time: formatDuration(last.expiresAt - now, language) })
  const running = pipeline.verdict === 'running'
  return [
    {
      id: 'loader',
      name: t('loader'),
      value: of(loader.done, loader.of),
      more: [loader.exhausted ? t('loaderUsedUp') : t('loaderReads')],
      active: running && !loader.exhausted
    },
    {
      id: 'workers',
      name: t('workers'),
      value: of(workers.active, workers.of),
      more: [],
      active: running && (workers.active ?? 0) > 0
    },
    {
      id: 'rewards',
      name: t('rewards'),
      value: rewards.mean === null ? '–' : formatScore(rewards.mean),
      more: [
        t('rewardsGroups', { count: rewards.groups }),
        ...(rewards.equalGroups === 0
          ? []
          : [
              <Tooltip key="equal" text={t('rewardsEqualHint')}>
                <span>{t('rewardsEqual', { n: formatCount(rewards.equalGroups) })}</span>
              </Tooltip>
            ])
      ],
      active: running
    },
    {
      id: 'pool',
      name: t('pool'),
      value: pool.finished === null ? '–' : formatCount(pool.finished),
      more: [t('poolFinished')],
      active: running
    },
    {
      id: 'trainer',
      name: t('trainer'),
      value: of(trainer.steps, trainer.of),
      more: [
        ago(trainer.lastAt, '–'),
        ...(trainer.skipped === 0
          ? []
          : [
              <Tooltip key="skipped" text={t('skippedHint')}>
                <span className="c-warn">{t('skipped', { n: formatCount(trainer.skipped) })}</span>
              </Tooltip>
            ])
      ],
      active: running
    },
    {
      id: 'sync',
      name: t('sync'),
      value: sync.version === null ? '–' : `v${sync.version}`,
      more: [
        `${t('syncMode', { mode: sync.mode })}, ${t('lag', { n: formatCount(sync.lag) })}`,
        ago(sync.lastAt, t('syncNever')),
        ...(sync.failures === 0
          ? []
          : [
              <span key="failures" className="c-fail">
                {t('syncFailures', { n: formatCount(sync.failures) })}
              </span>
            ])
      ],
      active: running && sync.lag > 0
    },
    {
      id: 'exported',
      name: t('exportedWeights'),
      value: formatCount(exportedCount),
      more: [life],
      active: false
    }
  ]
}

function Facts(props: { pipeline: NexrlPipeline }) {
  const { model, heartbeatAt, errors, exported } = props.pipeline
  const { t } = useTranslation('nexrl')
  const language = useLanguage()
  const now = useNow()
  const last = exported.at(-1)
  const beat =
    heartbeatAt === null
      ? t('noHeartbeat')
      : t('ago', { time: formatDuration(now - heartbeatAt, language) })
  const facts = [
    [t('model'), model === null ? '–' : model, 'mono'],
    [t('exportedWeights'), last === undefined ? '–' : last.path, 'mono break-all'],
    [t('heartbeat'), beat, 'num'],
    [t('errors'), formatCount(errors), 'num']
  ] as const
  return (
    <div className="flex flex-wrap gap-x-6 gap-y-1">
      {facts.map(([name, value, look]) => (
        <span key={name} className="flex gap-2">
          <span className="t2 whitespace-nowrap">{name}</span>
          <span className={look}>{value}</span>
        </span>
      ))}
    </div>
  )
}
