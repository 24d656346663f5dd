import { useTranslation } from 'react-i18next'
import type { Check, PreflightReport } from '@contract/preflight'
import { formatDuration, useLanguage, useText } from '../../i18n'
import { InlineState } from '../../ui'
import { CheckRow, type FixActions } from './check-row'
import { stepLooks } from './looks'
import { byArea, byNextStep, type NextStep } from './preflight-model'

const bars: Record<NextStep, string> = {
  fix: 'var(--fail)',
  know: 'var(--warn)',
  unknown: 'var(--text-3)',
  fine: 'var(--ready)',
  skipped: 'var(--line-2)'
}

/** How many of each kind, as a strip and in words, and how long it took. */
export function ReportSummary(props: { report: PreflightReport }) {
  const { checks, running, took } = props.report
  const { t } = useTranslation('preflight')
  const language = useLanguage()
  const groups = byNextStep(checks)
  const time = took < 1000 ? `${Math.round(took)} ms` : formatDuration(took, language)
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1" data-testid="preflight-summary">
      <span className="flex h-1.5 w-40 gap-px" aria-hidden="true">
        {groups.flatMap(({ step, checks: members }) =>
          members.map((check) => (
            <i key={check.id} className="block flex-1" style={{ background: bars[step] }} />
          ))
        )}
      </span>
      {groups.map(({ step, checks: { length } }) =>
        step === 'skipped' ? null : (
          <span key={step}>{t(`counts.${step}`, { count: length, n: length })}</span>
        )
      )}
      <span className="t2" data-testid="preflight-progress">
        {running.length > 0
          ? t('running', { count: running.length, n: running.length })
          : t('done', { count: checks.length, n: checks.length, time })}
      </span>
    </div>
  )
}

/** A report grouped by what to do next: on the launch page with its fixes, with a run as it was saved. */
export function PreflightReportView(props: { report: PreflightReport; fixes?: FixActions }) {
  return (
    <div className="flex flex-col gap-4">
      {byNextStep(props.report.checks).map(({ step, checks }) => (
        <Group key={step} step={step} checks={checks} fixes={props.fixes} />
      ))}
    </div>
  )
}

function Group(props: { step: NextStep; checks: readonly Check[]; fixes: FixActions | undefined }) {
  const { step, checks, fixes } = props
  const { t } = useTranslation('preflight')
  const head = (
    <>
      <InlineState look={stepLooks[step]}>{t(`groups.${step}`)}</InlineState>
      <span className="cnt text-xs">{checks.length}</span>
      <span className="t2 el text-xs font-normal">{t(`subs.${step}`)}</span>
    </>
  )
  // What does not arise here is nobody's next step: its head says how many, a click which.
  if (step === 'skipped')
    return (
      <details data-testid="preflight-skipped">
        <summary className="mb-1 text-sm font-medium">
          <span className="inline-flex items-center gap-2 align-middle">{head}</span>
        </summary>
        <QuietChecks step={step} checks={checks} />
      </details>
    )
  return (
    <section data-testid={`preflight-${step}`}>
      <div className="mb-1 flex items-center gap-2 text-sm font-medium">{head}</div>
      {step === 'fine' ? (
        <QuietChecks step={step} checks={checks} />
      ) : (
        <div className="panel" style={step === 'fix' ? { borderColor: 'var(--fail)' } : undefined}>
          {checks.map((check) => (
            <CheckRow key={check.id} check={check} step={step} fixes={fixes} />
          ))}
        </div>
      )}
    </section>
  )
}

/** What needs nothing, one line each; the whole evidence stands in its tooltip when it is cut. */
function QuietChecks(props: { step: NextStep; checks: readonly Check[] }) {
  const { t } = useTranslation('preflight')
  const text = useText()
  return (
    <div className="panel grid grid-cols-[repeat(auto-fill,minmax(280px,1fr))] gap-x-6 gap-y-3 px-3 py-3">
      {byArea(props.checks).map(({ area, checks }) => (
        <div key={area} className="min-w-0">
          <div className="mb-1 font-medium">{t(`areas.${area}`)}</div>
          {checks.map((check) => (
            <div
              key={check.id}
              className="flex min-h-5 items-center gap-2"
              data-testid={`check-${check.id}`}
              data-verdict={check.verdict}
            >
              <InlineState look={stepLooks[props.step]}>
                <span className="sr-only">{t(`groups.${props.step}`)}</span>
              </InlineState>
              <span className="max-w-[60%] flex-none">{text(check.title)}</span>
              <span className="t2 num el ml-auto" title={text(check.evidence)}>
                {text(check.evidence)}
              </span>
            </div>
          ))}
        </div>
      ))}
    </div>
  )
}
