import type { Trial, TrialRow, TrialVerdict } from '@contract/behaviour'

/** Whether a person can say which is better: both answered. */
export function isAnswered(row: TrialRow): boolean {
  return row.answers.every((answer) => answer?.kind === 'text')
}

/** Whether the sides stay unnamed: the trial is blind, and something is still to be judged. */
export function isHidden(trial: Trial, revealed: boolean): boolean {
  if (!trial.blind || revealed) return false
  const open = trial.rows.filter(isAnswered)
  // Before the first answers came there is nothing to judge and nothing to show either.
  return open.length === 0 || open.some(({ verdict }) => verdict === null)
}

/** Places of the two answers as they are shown, left first. A blind trial keeps its lots after it is revealed. */
export function orderOf(trial: Pick<Trial, 'blind'>, row: Pick<TrialRow, 'first'>): [0 | 1, 0 | 1] {
  return trial.blind && row.first === 'b' ? [1, 0] : [0, 1]
}

/** What a choice between left and right says of the sides. */
export function verdictOf(
  choice: 'left' | 'right' | 'tie',
  [left]: readonly [0 | 1, 0 | 1]
): TrialVerdict {
  if (choice === 'tie') return 'tie'
  return (choice === 'left') === (left === 0) ? 'a' : 'b'
}

/** The verdict as a choice between left and right. */
export function choiceOf(
  verdict: TrialVerdict | null,
  [left]: readonly [0 | 1, 0 | 1]
): 'left' | 'right' | 'tie' | null {
  if (verdict === null || verdict === 'tie') return verdict
  return (verdict === 'a') === (left === 0) ? 'left' : 'right'
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
    const fit = ([0, 1] as const).filter((place) => {
      const answer = row.answers[place]
      return (
        row.reported[place] === null &&
        answer?.kind === 'text' &&
        answer.receipt !== null &&
        'run' in trial.sides[place].side
      )
    })
    return sum + fit.length
  }, 0)
}
