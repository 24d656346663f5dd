import {
  isAnswered,
  orderOf,
  type Trial,
  type TrialRow,
  type TrialVerdict
} from '@contract/behaviour'
import { useMutation } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { engine } from '../../api'
import { useCommands, type Command } from '../../commands'
import { Button } from '../../ui'
import { choiceOf, letterOf, nextOpen, verdictOf, type Choice } from './trial-model'

type T = ReturnType<typeof useTranslation<'compare'>>['t']

type Offer = { readonly choice: Choice; readonly id: string; readonly key: string }

/** What can be said of so many answers, as it stands on the screen, and the key of each. */
function offersOf(count: number): Offer[] {
  if (count === 2)
    return [
      { choice: 0, id: 'left', key: '1' },
      { choice: 'tie', id: 'tie', key: '3' },
      { choice: 1, id: 'right', key: '2' }
    ]
  return [
    ...Array.from({ length: count }, (_, at) => ({
      choice: at,
      id: letterOf(at).toLowerCase(),
      key: String(at + 1)
    })),
    { choice: 'tie', id: 'tie', key: '9' },
    { choice: 'bad', id: 'bad', key: '0' }
  ]
}

function wordsOf({ choice, id }: Offer, count: number, t: T): string {
  if (count === 2) return t(`trial.${id as 'left' | 'right' | 'tie'}`)
  if (choice === 'tie') return t('trial.allEven')
  return choice === 'bad' ? t('trial.bad') : t('trial.bestOf', { letter: letterOf(choice) })
}

/** Judges the prompt that is looked at, also by keys, and goes on to the next. Saying the same again takes it back. */
export function useJudging(props: {
  trial: Trial
  at: number
  onAt: (at: number) => void
  onTrial: (trial: Trial) => void
}): { judge: (verdict: TrialVerdict) => void; thrown: unknown } {
  const { t } = useTranslation('compare')
  const { trial, at, onAt, onTrial } = props
  const { mutate, error } = useMutation({
    mutationFn: (request: { row: number; verdict: TrialVerdict | null }) =>
      engine.behaviour.judge({ id: trial.id, ...request }),
    onSuccess: (next, { row, verdict }) => {
      onTrial(next)
      if (verdict !== null) onAt(nextOpen(next.rows, row))
    }
  })
  const row = trial.rows[at]
  const judge = useMemo(
    () => (verdict: TrialVerdict) => {
      if (row === undefined || !isAnswered(row)) return
      const again = isSame(row.verdict, verdict)
      mutate({ row: at, verdict: again ? null : verdict })
    },
    [row, at, mutate]
  )
  const commands = useMemo<Command[]>(() => {
    if (row === undefined) return []
    const order = orderOf(trial, row)
    return offersOf(order.length).map((offer) => ({
      id: `trial-${offer.id}`,
      title: wordsOf(offer, order.length, t),
      group: 'run' as const,
      keys: [offer.key],
      run: () => judge(verdictOf(offer.choice, order))
    }))
  }, [t, trial, row, judge])
  useCommands(commands)
  return { judge, thrown: error }
}

function isSame(one: TrialVerdict | null, two: TrialVerdict): boolean {
  return one !== null && one.length === two.length && two.every((place) => one.includes(place))
}

/** The verdicts that can be given on a prompt; of more than two answers also that the ticked ones are best together. */
export function Choices(props: {
  row: TrialRow
  order: readonly number[]
  ticked: ReadonlySet<number>
  judge: (verdict: TrialVerdict) => void
}) {
  const { t } = useTranslation('compare')
  const { row, order, ticked, judge } = props
  const count = order.length
  const chosen = choiceOf(row.verdict, order)
  const unanswered = isAnswered(row)
    ? false
    : t(count > 2 ? 'trial.judgeAll' : 'trial.judgeNothing')
  const several = [...ticked]
  return (
    <div className="flex flex-wrap justify-center gap-2">
      {offersOf(count).map((offer) => (
        <Button
          key={offer.id}
          keys={offer.key}
          on={chosen === offer.choice}
          off={unanswered}
          onClick={() => judge(verdictOf(offer.choice, order))}
          data-testid={`judge-${offer.id}`}
        >
          {wordsOf(offer, count, t)}
        </Button>
      ))}
      {count === 2 ? null : (
        <Button
          on={row.verdict !== null && chosen === null}
          off={unanswered === false && several.length < 2 ? t('trial.severalFirst') : unanswered}
          onClick={() => judge(several)}
          data-testid="judge-several"
        >
          {t('trial.several')}
        </Button>
      )}
    </div>
  )
}
