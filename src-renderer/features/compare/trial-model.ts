import {
  isAnswered,
  type Trial,
  type TrialAnswer,
  type TrialRow,
  type TrialVerdict
} from '@contract/behaviour'
import { piecesOf, type Piece } from './answer-diff'

/** What a person says of the answers as they are shown: one is best, all are as good, or none is any good. */
export type Choice = number | 'tie' | 'bad'

/** What a choice among the answers, in the order they are shown, says of the sides. */
export function verdictOf(choice: Choice, order: readonly number[]): TrialVerdict {
  if (choice === 'tie') return [...order]
  return choice === 'bad' ? [] : order.slice(choice, choice + 1)
}

/** The verdict as a choice among the answers in the order they are shown; null where it is none, or several. */
export function choiceOf(verdict: TrialVerdict | null, order: readonly number[]): Choice | null {
  if (verdict === null) return null
  if (verdict.length === 0) return 'bad'
  if (verdict.length === order.length) return 'tie'
  const [only] = verdict
  return verdict.length === 1 && only !== undefined ? order.indexOf(only) : null
}

/** Letter of an answer by where it is shown. */
export function letterOf(index: number): string {
  return String.fromCharCode(65 + index)
}

/**
 * The words only one answer has, by the side's place: of two against each other, of more against the first side.
 * A blind trial of more than two has none, because they would tell which is the first.
 */
export function marksOf(
  answers: readonly (TrialAnswer | null)[],
  hidden: boolean
): ReadonlyMap<number, readonly Piece[]> {
  const [first] = answers
  const marks = new Map<number, readonly Piece[]>()
  if (first?.kind !== 'text' || (hidden && answers.length > 2)) return marks
  for (const [place, answer] of answers.entries()) {
    if (place === 0 || answer?.kind !== 'text') continue
    const { left, right } = piecesOf(first.text, answer.text)
    marks.set(place, right)
    if (answers.length === 2) marks.set(0, left)
  }
  return marks
}

/** The next row to be judged after one, from the start again at the end; the row itself when there is none. */
export function nextOpen(rows: readonly TrialRow[], after: number): number {
  for (let step = 1; step <= rows.length; step += 1) {
    const at = (after + step) % rows.length
    const row = rows[at]
    if (row !== undefined && row.verdict === null && isAnswered(row)) return at
  }
  return after
}

/** Scores a report would send: verdicts on answers that have a receipt and were not told of before. */
export function unsent(trial: Trial): number {
  return trial.rows.reduce((sum, row) => {
    if (row.verdict === null) return sum
    const fit = trial.sides.filter(({ side }, place) => {
      const answer = row.answers[place]
      return (
        row.reported[place] === null &&
        answer?.kind === 'text' &&
        answer.receipt !== null &&
        'run' in side
      )
    })
    return sum + fit.length
  }, 0)
}
