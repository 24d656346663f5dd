import { useQuery } from '@tanstack/react-query'
import { Check, Circle, LoaderCircle } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { ReactNode } from 'react'
import type { Pulse, TrainingMode } from '@contract/talk'
import { formatCount, formatScore } from '../../i18n'
import { Icon, Meter } from '../../ui'
import { conversationQuery, LearntBy, pulseQuery, scenariosQuery } from '../records'
import type { Exchange } from './talk-store'

/** How far a report has come. */
export type Stage = 'batch' | 'step' | 'released'

/** Where a report is: waiting for its batch, in a step that is out, or learnt from. */
export function stageOf(
  learntBy: number | null,
  pulse: Pulse | undefined,
  mode: TrainingMode | null = null
): Stage {
  if (learntBy !== null) return 'released'
  // A full batch begins no step by itself where somebody has to ask for it.
  if (mode === 'manual' && (pulse?.job ?? null) === null) return 'batch'
  const { have, need } = pulse?.batch ?? { have: null, need: null }
  const full = have !== null && need !== null && have >= need
  const out = pulse?.job !== null && pulse?.job !== undefined
  return full || (out && have === 0) ? 'step' : 'batch'
}

/** From the report to the release that learnt from it, as it happens. */
export function LearningWay(props: {
  run: string
  one: Exchange
  receipt: string
  close: () => void
}) {
  const { run, one, receipt } = props
  const { t } = useTranslation('talk')
  const told = useQuery({
    ...conversationQuery(run, one.scenario, receipt),
    enabled: one.report !== null
  })
  const pulse = useQuery(pulseQuery(run, one.scenario)).data
  const scenarios = useQuery({ ...scenariosQuery(run), enabled: one.report !== null })
  if (one.report === null) return null
  const mode = scenarios.data?.find(({ name }) => name === one.scenario)?.mode ?? null
  const mine = told.data?.reports.find(({ record }) => record.id === one.report?.id)
  const learntBy = mine?.record.learntBy ?? null
  const stage = stageOf(learntBy, pulse, mode)
  const { have, need } = pulse?.batch ?? { have: null, need: null }
  return (
    <section className="mt-3" data-testid="learning-way" data-stage={stage}>
      <h2 className="font-semibold">{t('wayHead')}</h2>
      <Step done name={t('wayReported')}>
        {one.report.score === null ? null : formatScore(one.report.score)}
      </Step>
      <Step done={stage !== 'batch'} now={stage === 'batch'} name={t('wayBatch')}>
        {stage !== 'batch' ? (
          t('wayBatchFull')
        ) : have === null || need === null ? (
          t('unknown')
        ) : (
          <span className="flex items-center gap-2">
            <Meter className="w-24" share={have / need} label={t('wayBatch')} />
            {t('wayBatchOf', { have: formatCount(have), need: formatCount(need) })}
          </span>
        )}
      </Step>
      <Step done={stage === 'released'} now={stage === 'step'} name={t('wayStep')}>
        {stage === 'batch'
          ? t('wayStepWaits')
          : stage === 'step'
            ? t('wayStepOut')
            : t('wayStepDone')}
      </Step>
      <Step done={stage === 'released'} name={t('wayRelease')}>
        {learntBy === null ? (
          t('wayReleaseNone')
        ) : (
          <LearntBy run={run} step={learntBy} onOpen={props.close} />
        )}
      </Step>
      {mode === 'manual' && learntBy === null ? (
        <div className="callout info mt-2" data-testid="way-manual">
          {t('wayManual')}
        </div>
      ) : null}
      {one.report.score === null ? (
        <div className="callout info mt-2">{t('wayUnscored')}</div>
      ) : null}
    </section>
  )
}

function Step(props: { done: boolean; now?: boolean; name: string; children: ReactNode }) {
  const { done, now, name } = props
  const tone = done ? 'c-ready' : now === true ? 'c-running' : 'c-idle'
  return (
    <div className="flex h-7 items-center gap-2">
      <Icon
        of={done ? Check : now === true ? LoaderCircle : Circle}
        size="small"
        className={tone}
      />
      <span className="w-20 flex-none">{name}</span>
      <span className="num t2">{props.children}</span>
    </div>
  )
}
