import { RotateCcw, Send, Square } from 'lucide-react'
import { useEffect, useRef, type KeyboardEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { Button, EmptyReason, TextArea } from '../../ui'
import { Bubble } from '../records'
import { FailureNote } from '../shared/failure-note'
import {
  askNow,
  forgetScenario,
  readTemperature,
  stopAsking,
  talks,
  useTalk,
  type Exchange
} from './talk-store'

/** A task of each kind the practice model was made for. */
const PRACTICE_PROMPTS = ['What is (4 + 9) mod 10? Answer with one digit.']

/** The conversation and where the next question is written. */
export function Chat(props: { run: string; scenario: string; practice: boolean }) {
  const { run, scenario, practice } = props
  const { exchanges } = useTalk(run)
  const mine = exchanges.filter((one) => one.scenario === scenario)
  const end = useRef<HTMLDivElement>(null)
  const length = mine.reduce((sum, one) => sum + one.text.length + 1, 0)
  // What went wrong stands below the text that came.
  const last = mine.at(-1)?.state.kind
  useEffect(() => end.current?.scrollIntoView({ block: 'end' }), [length, last])
  return (
    <>
      <div
        className="min-h-0 flex-1 overflow-x-hidden overflow-y-auto rounded-ctl border border-line-1 bg-inset p-2"
        data-testid="transcript"
      >
        {mine.length === 0 ? <Nothing run={run} practice={practice} /> : null}
        {mine.map((one) => (
          <OneExchange key={one.id} run={run} one={one} />
        ))}
        <div ref={end} />
      </div>
      <Composer run={run} scenario={scenario} exchanges={mine} />
    </>
  )
}

function Nothing(props: { run: string; practice: boolean }) {
  const { t } = useTranslation('talk')
  return (
    <EmptyReason
      className="h-full"
      what={t('emptyWhat')}
      why={props.practice ? t('emptyPractice') : t('emptyWhy')}
      action={
        props.practice
          ? PRACTICE_PROMPTS.map((prompt) => (
              <Button
                key={prompt}
                size="small"
                onClick={() => talks.getState().set(props.run, { draft: prompt })}
                data-testid="example-prompt"
              >
                <span translate="no">{prompt}</span>
              </Button>
            ))
          : undefined
      }
    />
  )
}

function OneExchange(props: { run: string; one: Exchange }) {
  const { run, one } = props
  const { chosen } = useTalk(run)
  const { t } = useTranslation('talk')
  return (
    <div
      className={`mb-2 cursor-default rounded-ctl px-2 py-1 ${chosen === one.id ? 'bg-accent-wash' : 'hover:bg-hover'}`}
      onClick={() => talks.getState().set(run, { chosen: one.id })}
      data-testid={`exchange-${one.id}`}
      data-state={one.state.kind}
    >
      <Bubble role="user" text={one.question} />
      <Bubble role="assistant" text={one.text} />
      {one.state.kind === 'coming' ? <div className="t2 mt-1">{t('asking')}</div> : null}
      {one.state.kind === 'stopped' ? <div className="t2 mt-1">{t('stopped')}</div> : null}
      {one.state.kind === 'failed' ? (
        <FailureNote className="mt-1" thrown={one.state.thrown} />
      ) : null}
      {one.state.kind === 'done' && one.text.trim() === '' ? (
        <div className="t2 mt-1">{t('noText')}</div>
      ) : null}
      {one.state.kind === 'failed' || one.state.kind === 'stopped' ? (
        <PutBack run={run} question={one.question} />
      ) : null}
    </div>
  )
}

/** A question that got no answer is not typed again. */
function PutBack(props: { run: string; question: string }) {
  const { run, question } = props
  const { draft } = useTalk(run)
  const { t } = useTranslation('talk')
  return (
    <Button
      className="mt-1"
      size="small"
      icon={RotateCcw}
      off={draft.trim() === '' ? undefined : t('putBackOff')}
      onClick={() => talks.getState().set(run, { draft: question })}
      data-testid="put-back"
    >
      {t('putBack')}
    </Button>
  )
}

function Composer(props: { run: string; scenario: string; exchanges: readonly Exchange[] }) {
  const { run, scenario, exchanges } = props
  const { draft, exchanges: all, temperature } = useTalk(run)
  const { t } = useTranslation('talk')
  const under = all.find((one) => one.state.kind === 'coming')
  const coming = under?.scenario === scenario
  const off =
    under !== undefined
      ? t('oneAtATime', { scenario: under.scenario })
      : readTemperature(temperature) === undefined
        ? t('temperatureWrong')
        : draft.trim() === ''
          ? t('placeholder')
          : undefined
  const { set } = talks.getState()
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    void askNow(run, scenario)
  }
  return (
    <div className="flex flex-none items-end gap-2 pt-3" onKeyDown={onKeyDown}>
      <TextArea
        className="min-w-0 flex-1"
        label={t('question')}
        placeholder={t('placeholder')}
        rows={2}
        value={draft}
        onChange={(next) => set(run, { draft: next })}
        data-testid="talk-question"
      />
      <div className="flex flex-none flex-col items-stretch gap-1">
        {coming ? (
          <Button icon={Square} onClick={() => stopAsking(run)} data-testid="talk-stop">
            {t('stop')}
          </Button>
        ) : (
          <Button
            variant="primary"
            icon={Send}
            keys="Mod+Enter"
            off={off}
            onClick={() => void askNow(run, scenario)}
            data-testid="talk-ask"
          >
            {t('ask')}
          </Button>
        )}
        <Button
          variant="ghost"
          size="small"
          off={exchanges.length === 0 || coming ? '' : undefined}
          onClick={() => forgetScenario(run, scenario)}
        >
          {t('clear')}
        </Button>
      </div>
    </div>
  )
}
