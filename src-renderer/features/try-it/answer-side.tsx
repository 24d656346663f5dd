import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { AskEvent } from '@contract/talk'
import { engine } from '../../api'
import { go } from '../../state'
import { Button, CopyButton, EmptyReason, Field, KeyValues } from '../../ui'
import { recordsView, ReleaseLink, renewScenario } from '../records'
import { FailureNote } from '../shared/failure-note'
import { LearningWay } from './learning-way'
import { changeExchange, readNumber, useTalk, type Exchange } from './talk-store'

/** The chosen answer: its receipt, its score, and what became of the score. */
export function AnswerSide(props: { run: string; close: () => void }) {
  const { run, close } = props
  const { exchanges, chosen } = useTalk(run)
  const { t } = useTranslation('talk')
  const one = exchanges.find(({ id }) => id === chosen)
  if (one === undefined || one.state.kind !== 'done') {
    return <EmptyReason className="h-full" what={t('side.answer')} why={t('noAnswer')} />
  }
  const { end } = one.state
  return (
    <div data-testid="answer-side">
      <AnswerFacts run={run} end={end} close={close} />
      {end.receipt === null ? null : (
        <>
          <Scoring key={one.id} run={run} one={one} receipt={end.receipt} />
          <LearningWay run={run} one={one} receipt={end.receipt} close={close} />
          <Button
            size="small"
            className="mt-3"
            onClick={() => {
              recordsView.getState().set(run, {
                scenario: one.scenario,
                view: 'records',
                chosen: end.receipt
              })
              close()
              go({ page: 'run', id: run, tab: 'records' })
            }}
            data-testid="see-record"
          >
            {t('seeRecord')}
          </Button>
        </>
      )}
    </div>
  )
}

function milliseconds(value: number): string {
  return value < 1000 ? `${Math.round(value)} ms` : `${(value / 1000).toFixed(1)} s`
}

function AnswerFacts(props: {
  run: string
  end: Extract<AskEvent, { kind: 'done' }>
  close: () => void
}) {
  const { run, end } = props
  const { t } = useTranslation(['talk', 'common'])
  const { receipt } = end
  return (
    <KeyValues
      rows={[
        [
          t('talk:receipt'),
          receipt === null ? (
            t('talk:receiptNone')
          ) : (
            <span className="flex min-w-0 items-center gap-1">
              <span className="mono el" title={receipt} data-testid="receipt">
                {receipt}
              </span>
              <CopyButton text={receipt} label={t('common:copy')} done={t('common:copied')} />
            </span>
          )
        ],
        [
          t('talk:answeredBy'),
          <ReleaseLink run={run} release={end.release} onOpen={props.close} />
        ],
        [t('talk:firstPiece'), milliseconds(end.firstAfter)],
        [t('talk:took'), milliseconds(end.took)]
      ]}
    />
  )
}

function Scoring(props: { run: string; one: Exchange; receipt: string }) {
  const { run, one, receipt } = props
  const { t } = useTranslation('talk')
  const [text, setText] = useState('')
  const [words, setWords] = useState('')
  // One id a form, so that a second sending after a lost answer is the same report.
  const [id] = useState(() => crypto.randomUUID())
  const score = readNumber(text)
  const send = useMutation({
    mutationFn: (given: number | null) =>
      engine.talk.report({
        run,
        scenario: one.scenario,
        references: [receipt],
        id,
        ...(given === null ? {} : { score: given }),
        ...(words.trim() === '' ? {} : { words: words.trim() })
      }),
    onSuccess: (sent, given) => {
      changeExchange(run, one.id, { report: { id: sent.id, score: given } })
      renewScenario(run, one.scenario)
    }
  })
  if (one.report !== null) return null
  const nothing = score === null && words.trim() === ''
  const busy = send.isPending ? t('sending') : undefined
  const off = busy ?? (nothing ? t('sendOff') : undefined)
  return (
    <section className="mt-3" data-testid="scoring">
      <h2 className="font-semibold">{t('scoreHead')}</h2>
      <div className="t2 mb-2">{t('scoreHint')}</div>
      <div className="mb-2 flex gap-2">
        <Button off={busy} onClick={() => send.mutate(0)} data-testid="score-0">
          {t('bad')}
        </Button>
        <Button off={busy} onClick={() => send.mutate(1)} data-testid="score-1">
          {t('good')}
        </Button>
      </div>
      <div className="flex items-start gap-2">
        <Field
          className="w-20"
          label={t('score')}
          placeholder={t('score')}
          value={text}
          onChange={setText}
          error={score === undefined ? t('scoreWrong') : undefined}
          data-testid="score-number"
        />
        <Field
          className="flex-1"
          label={t('words')}
          placeholder={t('wordsHint')}
          value={words}
          onChange={setWords}
          data-testid="score-words"
        />
        <Button
          off={score === undefined ? t('scoreWrong') : off}
          onClick={() => {
            if (score !== undefined) send.mutate(score)
          }}
          data-testid="score-send"
        >
          {t('send')}
        </Button>
      </div>
      {send.isError ? <FailureNote className="mt-2" thrown={send.error} /> : null}
    </section>
  )
}
