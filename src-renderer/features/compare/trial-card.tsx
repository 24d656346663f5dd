import { isAnswered, orderOf, type Trial, type TrialRow } from '@contract/behaviour'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button, Panel } from '../../ui'
import { FailureNote } from '../shared/failure-note'
import { Answers } from './trial-answers'
import { Choices, useJudging } from './trial-choices'

type CardProps = {
  readonly trial: Trial
  /** Sides stay unnamed. */
  readonly hidden: boolean
  readonly at: number
  readonly onAt: (at: number) => void
  readonly onTrial: (trial: Trial) => void
}

/** One prompt with all its answers and the verdict on them, and the list to go to another. */
export function TrialCard(props: CardProps) {
  const { trial, at, onAt } = props
  const row = trial.rows[at]
  if (row === undefined) return null
  return (
    <>
      <Prompt key={at} {...props} row={row} />
      <RowList trial={trial} at={at} onAt={onAt} />
    </>
  )
}

function Prompt(props: CardProps & { row: TrialRow }) {
  const { t } = useTranslation('compare')
  const { trial, hidden, at, row } = props
  const { judge, thrown } = useJudging(props)
  // Where a verdict names several, they are ticked from the start.
  const [ticked, setTicked] = useState<ReadonlySet<number>>(() => new Set(severalOf(row)))
  const tick = (place: number, on: boolean): void => {
    const next = new Set(ticked)
    if (on) next.add(place)
    else next.delete(place)
    setTicked(next)
  }
  const order = orderOf(trial, row)
  return (
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
        <Answers
          trial={trial}
          hidden={hidden}
          row={row}
          order={order}
          ticked={ticked}
          onTick={trial.sides.length > 2 && isAnswered(row) ? tick : null}
        />
        <Choices row={row} order={order} ticked={ticked} judge={judge} />
        {thrown === null ? null : <FailureNote thrown={thrown} />}
      </div>
    </Panel>
  )
}

/** Places of the sides that are best together, where it is not all of them. */
function severalOf({ verdict, order }: TrialRow): readonly number[] {
  return verdict !== null && verdict.length > 1 && verdict.length < order.length ? verdict : []
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
