import { CircleCheck } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { Finding, Severity } from '@contract/recipes'
import { useText } from '../../i18n'
import { Button, EmptyReason, InlineState } from '../../ui'
import { breaksText, saysFirst, worstFirst } from './problem-order'
import type { ProblemActs } from './problems'
import { severityLooks } from './severity-looks'

const ORDER: readonly Severity[] = ['error', 'warning', 'hint']

/** Findings by severity, with why they matter, where the rule comes from, and the fix. */
export function FindingsList(props: {
  findings: readonly Finding[]
  fresh: boolean
  acts: ProblemActs
}) {
  const { t } = useTranslation('recipes')
  if (props.findings.length === 0) {
    return (
      <EmptyReason
        className="flex-1"
        icon={CircleCheck}
        what={t('noFindings')}
        why={t('noFindingsWhy')}
      />
    )
  }
  return (
    <div className="min-h-0 flex-1 overflow-auto pb-4" data-testid="recipe-findings">
      {saysFirst(props.findings) ? (
        <p className="c-fail px-4 pt-2 font-medium">
          {t('fixFirst', { count: props.findings.filter(breaksText).length })}
        </p>
      ) : null}
      {ORDER.map((severity) => {
        const members = worstFirst(props.findings).filter(
          (finding) => finding.severity === severity
        )
        return members.length === 0 ? null : (
          <section key={severity} aria-label={t(`severities.${severity}`)}>
            <h2 className="px-4">
              <InlineState look={severityLooks[severity]}>
                {t(`severities.${severity}`)}
              </InlineState>
              <span className="t2 font-normal">{t(`severityWhy.${severity}`)}</span>
            </h2>
            {members.map((finding, i) => (
              <FindingCard
                key={`${finding.rule}/${finding.line}/${i}`}
                finding={finding}
                fresh={props.fresh}
                acts={props.acts}
              />
            ))}
          </section>
        )
      })}
    </div>
  )
}

function FindingCard(props: { finding: Finding; fresh: boolean; acts: ProblemActs }) {
  const { finding, acts } = props
  const { t } = useTranslation('recipes')
  const text = useText()
  const where = [
    finding.path,
    finding.file === undefined ? '' : t('inFile', { file: finding.file }),
    finding.line > 0 ? t('line', { n: finding.line }) : ''
  ].filter((part) => part !== '')
  return (
    <div className="flex flex-col gap-1 border-b border-line-1 px-4 py-2">
      <button
        type="button"
        className="text-left font-medium hover:underline"
        onClick={() => acts.reveal(finding)}
      >
        {text(finding.message)}
      </button>
      <p className="t2">{text(finding.explanation)}</p>
      <p className="mono t2 break-words">{where.join(', ')}</p>
      <p className="t2 break-words">
        <span className="mono">{finding.rule}</span>
        {' · '}
        {t('source', { source: finding.source })}
        {finding.generations === undefined
          ? ''
          : ` · ${t('onlyIn', { g: finding.generations.join(', ') })}`}
      </p>
      {finding.fix === undefined ? null : (
        <div className="mt-1">
          <Button
            size="small"
            off={props.fresh ? false : t('checking')}
            onClick={() => acts.fix(finding)}
          >
            {text(finding.fix.title)}
          </Button>
        </div>
      )}
    </div>
  )
}
