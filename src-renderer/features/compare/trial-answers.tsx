import type { Trial, TrialAnswer, TrialRow } from '@contract/behaviour'
import { Check } from 'lucide-react'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useText } from '../../i18n'
import { Checkbox, Icon, Tag } from '../../ui'
import type { Piece } from './answer-diff'
import { letterOf, marksOf } from './trial-model'

/** The answers to one prompt side by side, in the order of `order`. */
export function Answers(props: {
  trial: Trial
  /** Sides stay unnamed. */
  hidden: boolean
  row: TrialRow
  order: readonly number[]
  ticked: ReadonlySet<number>
  /** Ticks an answer as one of several best ones; null: only one can be. */
  onTick: ((place: number, on: boolean) => void) | null
}) {
  const { t } = useTranslation('compare')
  const { trial, hidden, row, order, ticked, onTick } = props
  const { answers } = row
  const marks = useMemo(() => marksOf(answers, hidden), [answers, hidden])
  return (
    <div className="trial-answers">
      {order.map((place, index) => {
        const facts = trial.sides[place]
        const score = row.reported[place] ?? null
        return (
          <div key={place} className="trial-answer" data-testid={`trial-answer-${index}`}>
            <div className="flex items-center gap-2 pb-1">
              <b className="font-medium">
                {hidden || facts === undefined
                  ? t('trial.answer', { letter: letterOf(index) })
                  : order.length > 2
                    ? `${letterOf(index)} ${facts.label}`
                    : facts.label}
              </b>
              {hidden || facts === undefined ? null : <Tag>{t(`trial.way.${facts.way}`)}</Tag>}
              <BestMark row={row} place={place} />
              {score === null || hidden ? null : (
                <span className="t2">{t('trial.scored', { score })}</span>
              )}
              {onTick === null ? null : (
                <span className="ml-auto">
                  <Checkbox
                    checked={ticked.has(place)}
                    label={t('trial.among', { letter: letterOf(index) })}
                    onChange={(on) => onTick(place, on)}
                    data-testid={`trial-among-${index}`}
                  />
                </span>
              )}
            </div>
            <AnswerText answer={answers[place] ?? null} pieces={marks.get(place) ?? null} />
          </div>
        )
      })}
    </div>
  )
}

/** Says that an answer is the best, alone or with others; nothing where all are as good. */
function BestMark({ row, place }: { row: TrialRow; place: number }) {
  const { t } = useTranslation('compare')
  const { verdict, order } = row
  if (verdict === null || !verdict.includes(place) || verdict.length === order.length) return null
  return (
    <span className="c-ready flex items-center gap-1">
      <Icon of={Check} /> {order.length > 2 ? t('trial.best') : t('better')}
    </span>
  )
}

function AnswerText(props: { answer: TrialAnswer | null; pieces: readonly Piece[] | null }) {
  const { t } = useTranslation('compare')
  const text = useText()
  const { answer, pieces } = props
  if (answer === null) return <p className="t2">{t('trial.notYet')}</p>
  if (answer.kind === 'missing') return <p className="c-warn">{text(answer.why)}</p>
  if (answer.text === '') return <p className="t2">{t('trial.empty')}</p>
  const shown = pieces ?? [{ text: answer.text, own: false }]
  return (
    <p className="trial-text" translate="no">
      {shown.map((piece, index) =>
        piece.own ? <mark key={index}>{piece.text}</mark> : <span key={index}>{piece.text}</span>
      )}
    </p>
  )
}
