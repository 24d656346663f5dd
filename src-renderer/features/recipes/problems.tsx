import { useTranslation } from 'react-i18next'
import type { Finding } from '@contract/recipes'
import { useText } from '../../i18n'
import { Button, Icon, Kbd } from '../../ui'
import { breaksText, saysFirst, worstFirst } from './problem-order'
import { severityLooks } from './severity-looks'
import type { CheckState } from './use-recipe-check'

export interface ProblemActs {
  reveal: (finding: Finding) => void
  fix: (finding: Finding) => void
}

/** The findings under the text, one line each; a click goes to the place. */
export function Problems(props: {
  state: CheckState
  cursor: { line: number; column: number }
  acts: ProblemActs
}) {
  const { state, cursor, acts } = props
  const { t } = useTranslation(['recipes', 'launch'])
  const { check } = state
  const counts = check?.summary
  return (
    <section
      className="flex h-[136px] flex-none flex-col border-t border-line-1 bg-panel text-xs"
      aria-label={t('recipes:problems')}
      data-testid="recipe-problems"
    >
      <div className="flex h-8 flex-none items-center gap-3 px-3">
        <span className="font-semibold">{t('recipes:problems')}</span>
        {counts === undefined ? null : (
          <span className="t2 num" data-testid="problem-counts">
            {[
              t('launch:errors', { count: counts.errors, n: counts.errors }),
              t('launch:warnings', { count: counts.warnings, n: counts.warnings }),
              t('launch:hints', { count: counts.hints, n: counts.hints })
            ].join(' · ')}
          </span>
        )}
        <span className="t2 ml-auto flex items-center gap-1.5 whitespace-nowrap">
          {t('recipes:problemsNext')} <Kbd keys="F8" />
        </span>
        <span className="t2 flex items-center gap-1.5 whitespace-nowrap">
          {t('recipes:fix')} <Kbd keys="Mod+." />
        </span>
        <span className="t2 num whitespace-nowrap">
          {state.fresh && check !== undefined
            ? t('recipes:checkedIn', { time: Math.max(1, Math.round(check.took)) })
            : t('recipes:checking')}
        </span>
        <span className="t2 num whitespace-nowrap">{t('recipes:position', cursor)}</span>
      </div>
      <div className="min-h-0 flex-1 overflow-auto pb-1">
        {check?.findings.length === 0 ? (
          <div className="t2 px-3 py-1">{t('recipes:problemsNone')}</div>
        ) : null}
        {check !== undefined && saysFirst(check.findings) ? (
          <div className="c-fail px-3 py-1 font-medium" data-testid="problems-first">
            {t('recipes:fixFirst', { count: check.findings.filter(breaksText).length })}
          </div>
        ) : null}
        {check === undefined
          ? null
          : worstFirst(check.findings).map((finding, i) => (
              <Problem
                key={`${finding.rule}/${finding.line}/${i}`}
                finding={finding}
                here={finding.line === cursor.line && finding.file === undefined}
                fixable={state.fresh}
                acts={acts}
              />
            ))}
      </div>
    </section>
  )
}

function Problem(props: { finding: Finding; here: boolean; fixable: boolean; acts: ProblemActs }) {
  const { finding, acts } = props
  const { t } = useTranslation(['recipes', 'launch'])
  const text = useText()
  const look = severityLooks[finding.severity]
  return (
    <div
      className={`flex min-h-7 items-center gap-2 pr-2 pl-3 ${props.here ? 'bg-accent-wash' : ''}`}
      data-testid={`problem-${finding.rule.replaceAll('/', '-')}`}
    >
      <button
        type="button"
        className="flex min-w-0 flex-1 items-center gap-2 text-left hover:underline"
        onClick={() => acts.reveal(finding)}
      >
        <span className={`c-${look.tone}`}>
          <Icon of={look.icon} size="medium" />
        </span>
        <span className="sr-only">{t(`launch:severity.${finding.severity}`)}</span>
        <span className="el">{text(finding.message)}</span>
      </button>
      {finding.fix === undefined ? null : (
        <Button
          size="small"
          variant="ghost"
          off={props.fixable ? false : t('recipes:checking')}
          title={text(finding.fix.title)}
          onClick={() => acts.fix(finding)}
          data-testid={`fix-${finding.rule.replaceAll('/', '-')}`}
        >
          {t('recipes:fix')}
        </Button>
      )}
      <span className="mono t2 flex-none">
        {finding.rule}
        {finding.line > 0 ? `  ${finding.line}:${finding.column}` : ''}
      </span>
    </div>
  )
}
