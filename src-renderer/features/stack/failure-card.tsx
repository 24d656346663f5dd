import { Terminal, X } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { AttemptState, RunDetail } from '@contract/run'
import { formatClock, formatDuration, useLanguage, useText } from '../../i18n'
import { go } from '../../state'
import { Button, Icon } from '../../ui'
import { useExitText } from '../runs'

/** The present attempt, when it failed: what happened, how it ended, what to do, with the lines that prove it. */
export function FailureCard(props: { detail: RunDetail }) {
  const { detail } = props
  const last = detail.attempts.at(-1)
  if (last?.state.kind !== 'failed') return null
  return (
    <Card
      run={detail.summary.id}
      number={last.number}
      startedAt={last.startedAt}
      state={last.state}
    />
  )
}

function Card(props: {
  run: string
  number: number
  startedAt: number
  state: Extract<AttemptState, { kind: 'failed' }>
}) {
  const { state } = props
  const { t } = useTranslation('stack')
  const text = useText()
  const language = useLanguage()
  const exitText = useExitText()
  return (
    <section
      className="panel flex-none px-4 py-3 text-xs"
      style={{ borderColor: 'color-mix(in srgb, var(--fail) 42%, transparent)' }}
      role="alert"
      data-testid="failure-card"
    >
      <div className="flex items-center gap-2">
        <Icon of={X} className="c-fail" />
        <span className="text-base font-semibold">{t('failedTitle', { n: props.number })}</span>
        <span className="t2 num el">
          {formatClock(state.at)}, {formatDuration(state.at - props.startedAt, language)}
        </span>
        <Button
          className="ml-auto"
          icon={Terminal}
          onClick={() => go({ page: 'run', id: props.run, tab: 'log' })}
        >
          {t('openLog')}
        </Button>
      </div>
      <div className="mt-2 grid grid-cols-3 gap-6">
        <Answer head={t('whatHappened')} text={text(state.cause)} />
        <Answer head={t('why')} text={state.exit === undefined ? '–' : exitText(state.exit)} />
        <Answer
          head={t('whatToDo')}
          text={state.remedy === undefined ? t('noRemedy') : text(state.remedy)}
        />
      </div>
      {state.evidence.length === 0 ? null : (
        <>
          <div className="t2 mt-3 mb-1">{t('evidence')}</div>
          <div className="code max-h-48 overflow-auto" data-testid="evidence">
            {state.evidence.join('\n')}
          </div>
        </>
      )}
    </section>
  )
}

function Answer(props: { head: string; text: string }) {
  return (
    <div className="min-w-0">
      <div className="t2">{props.head}</div>
      <div className="break-words">{props.text}</div>
    </div>
  )
}
