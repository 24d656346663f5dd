import { useTranslation } from 'react-i18next'
import type { AttemptSummary, RunDetail } from '@contract/run'
import { formatDuration, formatWhen, useLanguage, useText } from '../../i18n'
import { useNow } from '../../state'
import { CodeBlock, InlineState, Panel } from '../../ui'
import { lookOf, wordOf } from '../runs'

/** Every start of this run and the command it was started with. */
export function AttemptsPanel(props: { detail: RunDetail }) {
  const { t } = useTranslation('stack')
  const attempts = [...props.detail.attempts].reverse()
  return (
    <Panel className="flex-none" title={t('attempts')} sub={t('attemptsSub')}>
      {attempts.map((attempt) => (
        <AttemptRow key={attempt.number} attempt={attempt} />
      ))}
    </Panel>
  )
}

function AttemptRow(props: { attempt: AttemptSummary }) {
  const { attempt } = props
  const { t } = useTranslation(['stack', 'states', 'common'])
  const language = useLanguage()
  const text = useText()
  const now = useNow()
  return (
    <div
      className="border-t border-line-1 px-3 py-2 text-xs"
      data-testid={`attempt-${attempt.number}`}
    >
      <div className="num flex items-center gap-4">
        <span className="font-medium">
          {t('stack:number')} {attempt.number}
        </span>
        <InlineState look={lookOf(attempt.state)}>
          {t(`states:${wordOf(attempt.state)}`)}
        </InlineState>
        <span className="t2">{formatWhen(attempt.startedAt, now, language)}</span>
        <span className="t2">
          {formatDuration((attempt.endedAt ?? now) - attempt.startedAt, language)}
        </span>
      </div>
      {attempt.state.kind === 'failed' ? (
        <div
          className="t2 el mt-1"
          title={text(attempt.state.cause)}
          data-testid={`attempt-${attempt.number}-cause`}
        >
          {text(attempt.state.cause)}
        </div>
      ) : null}
      <div className="mt-2">
        <CodeBlock
          text={attempt.command}
          copyLabel={t('common:copy')}
          copiedLabel={t('common:copied')}
        />
      </div>
    </div>
  )
}
