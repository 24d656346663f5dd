import { useTranslation } from 'react-i18next'
import type { Check, PreflightFix } from '@contract/preflight'
import { useText } from '../../i18n'
import { Button, CodeBlock, InlineState } from '../../ui'
import { stepLooks } from './looks'
import type { NextStep } from './preflight-model'

/** What a click on a fix does; absent where nothing can be done any more, as in a saved report. */
export interface FixActions {
  apply: (fix: PreflightFix) => void
  busy: boolean
}

function useFixNote(): (fix: PreflightFix) => string {
  const { t } = useTranslation('preflight')
  return (fix) => {
    switch (fix.kind) {
      case 'override':
        return t('sets', { path: fix.path })
      case 'edit':
        return t('edits')
      case 'make-folder':
        return t('makes')
      case 'remove-leftover':
        return t('removes')
      case 'start-from-copy':
        return t('copies', { path: fix.to })
    }
  }
}

/** A check that wants something: what was seen, why it matters, what to do about it. */
export function CheckRow(props: { check: Check; step: NextStep; fixes: FixActions | undefined }) {
  const { check, step, fixes } = props
  const { t } = useTranslation(['preflight', 'common'])
  const text = useText()
  const note = useFixNote()
  const { fix, remedy } = check
  return (
    <div
      className="flex gap-3 border-t border-line-1 px-3 py-2 first:border-t-0"
      data-testid={`check-${check.id}`}
      data-verdict={check.verdict}
    >
      <span className="flex-none self-start pt-0.5">
        <InlineState look={stepLooks[step]}>
          <span className="sr-only">{t(`preflight:groups.${step}`)}</span>
        </InlineState>
      </span>
      <div className="min-w-0 flex-1">
        <div className="flex items-baseline gap-3">
          <span className="font-medium">{text(check.title)}</span>
          <span className="mono t2 el ml-auto">{check.id}</span>
        </div>
        <div className="num break-words whitespace-pre-line">{text(check.evidence)}</div>
        {check.why === undefined ? null : <div className="t2">{text(check.why)}</div>}
        {remedy === undefined || (fixes !== undefined && remedy.en === fix?.title.en) ? null : (
          <div className="mt-1">{text(remedy)}</div>
        )}
        {check.command === undefined ? null : (
          <div className="mt-2">
            <CodeBlock
              text={check.command}
              copyLabel={t('common:copy')}
              copiedLabel={t('common:copied')}
            />
          </div>
        )}
        {fix === undefined || fixes === undefined ? null : (
          <div className="mt-2 flex items-center gap-3">
            <Button
              variant={step === 'fix' ? 'primary' : 'default'}
              size="small"
              disabled={fixes.busy}
              onClick={() => fixes.apply(fix)}
              data-testid={`fix-${check.id}`}
            >
              {text(fix.title)}
            </Button>
            <span className="t2">{note(fix)}</span>
          </div>
        )}
        {step === 'fix' ? (
          <div className="t2 mt-1">
            {check.judgement ? t('preflight:judgement') : t('preflight:refusal')}
          </div>
        ) : null}
      </div>
    </div>
  )
}
