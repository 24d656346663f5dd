import { CircleX, Info, TriangleAlert } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { Finding, RecipeCheck, Severity } from '@contract/recipes'
import { useText } from '../../i18n'
import { InlineState, Panel, Skeleton, type StateLook } from '../../ui'

export const findingLooks: Record<Severity, StateLook> = {
  error: { tone: 'fail', icon: CircleX },
  warning: { tone: 'warn', icon: TriangleAlert },
  hint: { tone: 'idle', icon: Info }
}

/** What the checker says about the recipe, worst first. */
export function FindingsPanel(props: { check: RecipeCheck | undefined }) {
  const { check } = props
  const { t } = useTranslation('launch')
  if (check === undefined) return <Skeleton className="h-24" />
  const order: readonly Severity[] = ['error', 'warning', 'hint']
  const sorted = order.flatMap((severity) =>
    check.findings.filter((finding) => finding.severity === severity)
  )
  return (
    <Panel
      className="flex-none"
      title={t('findings')}
      sub={t('checkedIn', { time: Math.max(1, Math.round(check.took)) })}
      actions={<FindingCounts summary={check.summary} />}
      data-testid="findings"
    >
      {sorted.map((finding, i) => (
        <FindingRow key={`${finding.rule}/${finding.line}/${i}`} finding={finding} />
      ))}
    </Panel>
  )
}

/** Errors, warnings and hints as icon, number and word. */
export function FindingCounts(props: { summary: RecipeCheck['summary'] }) {
  const { errors, warnings, hints } = props.summary
  const { t } = useTranslation('launch')
  if (errors + warnings + hints === 0) {
    return <span className="t2 text-xs">{t('findingsNone')}</span>
  }
  return (
    <span className="flex gap-3">
      {errors === 0 ? null : (
        <InlineState look={findingLooks.error}>
          {t('errors', { count: errors, n: errors })}
        </InlineState>
      )}
      {warnings === 0 ? null : (
        <InlineState look={findingLooks.warning}>
          {t('warnings', { count: warnings, n: warnings })}
        </InlineState>
      )}
      {hints === 0 ? null : (
        <InlineState look={findingLooks.hint}>{t('hints', { count: hints, n: hints })}</InlineState>
      )}
    </span>
  )
}

function FindingRow(props: { finding: Finding }) {
  const { finding } = props
  const { t } = useTranslation('launch')
  const text = useText()
  const where = [finding.path, finding.line > 0 ? t('line', { n: finding.line }) : '']
    .filter((part) => part !== '')
    .join(', ')
  return (
    <div className="flex gap-3 border-t border-line-1 px-3 py-2">
      <InlineState look={findingLooks[finding.severity]}>
        <span className="sr-only">{t(`severity.${finding.severity}`)}</span>
      </InlineState>
      <div className="min-w-0 flex-1">
        <div className="font-medium">{text(finding.message)}</div>
        <div className="t2">{text(finding.explanation)}</div>
      </div>
      <span className="mono t2 max-w-[40%] text-right break-all">{where}</span>
    </div>
  )
}
