import { useMutation } from '@tanstack/react-query'
import { RotateCcw } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { LaunchRequest } from '@contract/launch'
import type { PreflightFix } from '@contract/preflight'
import { engine } from '../../api/client'
import type { LaunchInput } from '../../api/queries'
import { Button, Skeleton, TextArea } from '../../ui'
import { FailureNote } from '../shared/failure-note'
import { useTargetName } from '../shared/use-target-name'
import type { Gate } from './preflight-model'
import { PreflightReportView, ReportSummary } from './report-view'
import type { PreflightState } from './use-preflight'

/** Preflight of the launch being planned: as it fills in, with its fixes and the way past a judgement. */
export function PreflightPanel(props: {
  state: PreflightState
  gate: Gate
  input: LaunchInput | null
  /** The target it is judged for. */
  place: { id: string; name: string }
  because: string
  setBecause: (because: string) => void
  /** The launch as a fix has made it. */
  fixed: (request: LaunchRequest) => void
}) {
  const { state, input } = props
  const { t } = useTranslation('preflight')
  const targetName = useTargetName()
  const mend = useMutation({
    mutationFn: (fix: PreflightFix) => {
      if (input === null) throw new Error('no launch to mend')
      return engine.preflight.fix({ request: input, fix })
    },
    onSuccess: ({ request }) => props.fixed(request)
  })
  const report = state.report ?? state.shown
  return (
    <section data-testid="preflight" data-gate={props.gate.kind}>
      <div className="mb-2 flex items-center gap-3">
        <h2 className="text-base font-semibold">{t('head')}</h2>
        <span className="ml-auto">
          <Button size="small" icon={RotateCcw} onClick={state.again} data-testid="preflight-again">
            {t('again')}
          </Button>
        </span>
      </div>
      {mend.isError ? <FailureNote className="mb-2" thrown={mend.error} /> : null}
      {state.thrown !== null ? (
        <FailureNote thrown={state.thrown} retry={state.again} />
      ) : report === null ? (
        <div aria-busy="true" data-testid="preflight-checking">
          <p className="t2 mb-2" role="status">
            {t('checking', { target: targetName(props.place) })}
          </p>
          <Skeleton className="h-32" />
        </div>
      ) : (
        <div className="flex flex-col gap-3">
          <ReportSummary report={report} />
          <WhyField {...props} />
          <PreflightReportView
            report={report}
            fixes={{ apply: (fix) => mend.mutate(fix), busy: mend.isPending }}
          />
        </div>
      )}
    </section>
  )
}

/** Asked only when nothing but judgements is left, and kept on screen while it is being typed. */
function WhyField(props: { gate: Gate; because: string; setBecause: (because: string) => void }) {
  const { gate, because, setBecause } = props
  const { t } = useTranslation('preflight')
  if (gate.kind !== 'ask-why' && because === '') return null
  return (
    <div className="callout warn">
      <div className="font-medium">{t('whyTitle')}</div>
      <div className="t2 mt-1 mb-2">{t('whyText')}</div>
      <TextArea
        label={t('whyLabel')}
        placeholder={t('whyLabel')}
        rows={2}
        value={because}
        onChange={setBecause}
        data-testid="preflight-why"
      />
    </div>
  )
}
