import type { Trial, TrialAnswer, TrialRow, TrialVerdict } from '@contract/behaviour'
import { useMutation } from '@tanstack/react-query'
import { Check } from 'lucide-react'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { engine } from '../../api'
import { useCommands, type Command } from '../../commands'
import { useText } from '../../i18n'
import { Button, Icon, Panel, Tag } from '../../ui'
import { FailureNote } from '../shared/failure-note'
import { piecesOf, type Piece } from './answer-diff'
import { choiceOf, isAnswered, nextOpen, orderOf, verdictOf } from './trial-model'

type CardProps = {
  readonly trial: Trial
  /** Sides stay unnamed. */
  readonly hidden: boolean
  readonly at: number
  readonly onAt: (at: number) => void
  readonly onTrial: (trial: Trial) => void
}

/** One prompt with both answers and the verdict on them, and the list to go to another. */
export function TrialCard(props: CardProps) {
  const { t } = useTranslation('compare')
  const { trial, at, onAt } = props
  const row = trial.rows[at]
  const judging = useJudging(props)
  if (row === undefined) return null
  return (
    <>
      <Panel
        className="flex-none"
        title={t('trial.promptOf', { at: at + 1, count: trial.rows.length })}
        data-testid="trial-card"
        actions={<Steps {...props} />}
      >
        <div className="flex flex-col gap-2 p-3 pt-0 text-xs">
          <p className="trial-prompt" translate="no" data-testid="trial-prompt">
            {row.prompt}
          </p>
          <Answers {...props} row={row} />
          <Choices {...props} row={row} judge={judging.judge} />
          {judging.thrown === null ? null : <FailureNote thrown={judging.thrown} />}
        </div>
      </Panel>
      <RowList trial={trial} at={at} onAt={onAt} />
    </>
  )
}

type Choice = 'left' | 'right' | 'tie'

function useJudging({ trial, at, onAt, onTrial }: CardProps): {
  judge: (choice: Choice) => void
  thrown: unknown
} {
  const { t } = useTranslation('compare')
  const { mutate, error } = useMutation({
    mutationFn: (request: { row: number; verdict: TrialVerdict | null }) =>
      engine.behaviour.judge({ id: trial.id, ...request }),
    onSuccess: (next, { row, verdict }) => {
      onTrial(next)
      if (verdict !== null) onAt(nextOpen(next.rows, row))
    }
  })
  const row = trial.rows[at]
  const commands = useMemo<Command[]>(() => {
    const judge = (choice: Choice): void => {
      if (row === undefined || !isAnswered(row)) return
      const order = orderOf(trial, row)
      const again = choiceOf(row.verdict, order) === choice
      mutate({ row: at, verdict: again ? null : verdictOf(choice, order) })
    }
    return (['left', 'right', 'tie'] as const).map((choice, index) => ({
      id: `trial-${choice}`,
      title: t(`trial.${choice}`),
      group: 'run' as const,
      keys: [String(index + 1)],
      run: () => judge(choice)
    }))
  }, [t, trial, row, at, mutate])
  useCommands(commands)
  return {
    judge: (choice) => commands.find(({ id }) => id === `trial-${choice}`)?.run(),
    thrown: error
  }
}

function Steps({ trial, at, onAt }: CardProps) {
  const { t } = useTranslation('compare')
  const last = trial.rows.length - 1
  return (
    <>
      <Button
        size="small"
        off={at === 0 ? '' : false}
        onClick={() => onAt(Math.max(0, at - 1))}
        data-testid="trial-previous"
      >
        {t('trial.previous')}
      </Button>
      <Button
        size="small"
        off={at === last ? '' : false}
        onClick={() => onAt(Math.min(last, at + 1))}
        data-testid="trial-next"
      >
        {t('trial.next')}
      </Button>
    </>
  )
}

function Answers({ trial, hidden, row }: CardProps & { row: TrialRow }) {
  const { t } = useTranslation('compare')
  const order = orderOf(trial, row)
  const [left, right] = order.map((place) => row.answers[place] ?? null)
  const pieces = usePieces(left ?? null, right ?? null)
  return (
    <div className="trial-answers">
      {order.map((place, index) => (
        <div key={place} className="trial-answer" data-testid={`trial-answer-${index}`}>
          <div className="flex items-center gap-2 pb-1">
            <b className="font-medium">
              {hidden ? t('trial.answer', { number: index + 1 }) : trial.sides[place].label}
            </b>
            {hidden ? null : <Tag>{t(`trial.way.${trial.sides[place].way}`)}</Tag>}
            {row.verdict !== null && row.verdict === (place === 0 ? 'a' : 'b') ? (
              <span className="c-ready flex items-center gap-1">
                <Icon of={Check} /> {t('better')}
              </span>
            ) : null}
            {row.reported[place] === null || hidden ? null : (
              <span className="t2">{t('trial.scored', { score: row.reported[place] })}</span>
            )}
          </div>
          <AnswerText
            answer={index === 0 ? (left ?? null) : (right ?? null)}
            pieces={pieces === null ? null : index === 0 ? pieces.left : pieces.right}
          />
        </div>
      ))}
    </div>
  )
}

/** Both answers word by word; null while one of them is no text. */
function usePieces(
  left: TrialAnswer | null,
  right: TrialAnswer | null
): ReturnType<typeof piecesOf> | null {
  return useMemo(
    () =>
      left?.kind === 'text' && right?.kind === 'text' ? piecesOf(left.text, right.text) : null,
    [left, right]
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

function Choices(props: CardProps & { row: TrialRow; judge: (choice: Choice) => void }) {
  const { t } = useTranslation('compare')
  const { trial, row, judge } = props
  const chosen = choiceOf(row.verdict, orderOf(trial, row))
  const off = isAnswered(row) ? false : t('trial.judgeNothing')
  return (
    <div className="flex justify-center gap-2">
      {(
        [
          ['left', '1'],
          ['tie', '3'],
          ['right', '2']
        ] as const
      ).map(([choice, key]) => (
        <Button
          key={choice}
          keys={key}
          on={chosen === choice}
          off={off}
          onClick={() => judge(choice)}
          data-testid={`judge-${choice}`}
        >
          {t(`trial.${choice}`)}
        </Button>
      ))}
    </div>
  )
}

function RowList(props: { trial: Trial; at: number; onAt: (at: number) => void }) {
  const { t } = useTranslation('compare')
  const { trial, at, onAt } = props
  return (
    <Panel className="flex-none" title={t('trial.all')}>
      <table className="compare-table">
        <tbody>
          {trial.rows.map((row, index) => (
            <tr key={index} aria-selected={index === at}>
              <td className="r t2">{index + 1}</td>
              <td className="el max-w-[640px]">
                <button type="button" onClick={() => onAt(index)} title={row.prompt}>
                  {row.prompt}
                </button>
              </td>
              <td className="r t2">
                {row.verdict !== null
                  ? t('trial.isJudged')
                  : isAnswered(row)
                    ? t('trial.isOpen')
                    : t('trial.isMissing')}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  )
}
