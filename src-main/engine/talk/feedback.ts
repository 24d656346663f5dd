import type { Text } from '../../contract/text'
import type { BookRow } from './record-book'

/** What the judgement needs of a scenario's records. */
export interface FeedbackScene {
  rows: readonly BookRow[]
  has: (id: string) => boolean
  reportsOn: (id: string) => number
  learntBy: (row: BookRow) => number | null
  /** Another scenario that has a record of this id; null when none is known to. */
  elsewhere: (id: string) => string | null
  /** Rows were let go or are not read yet, so that a reference not found proves nothing. */
  partial: boolean
}

/** The parts of the summary that follow from records alone. Counts are of all, lists of the newest. */
export interface FeedbackSorting {
  answers: number
  reports: number
  learnt: number
  unreported: BookRow[]
  astray: { row: BookRow; why: Text }[]
  unscored: BookRow[]
  waiting: BookRow[]
}

/** Why a report reaches no answer of this scenario; null when it does. */
export function whyAstray(row: BookRow, scene: FeedbackScene): Text | null {
  if (row.references.length === 0) {
    return { en: 'It names no answer.', zh: '它没有引用任何回答。' }
  }
  const missing = row.references.find((id) => !scene.has(id))
  if (missing === undefined) return null
  const home = scene.elsewhere(missing)
  if (home !== null) {
    return {
      en: `It names ${missing}, an answer of the scenario “${home}”.`,
      zh: `它引用了 ${missing}，而该回答属于场景“${home}”。`
    }
  }
  if (scene.partial) return null
  return {
    en: `It names ${missing}, which this scenario does not have.`,
    zh: `它引用了 ${missing}，而该场景没有这条记录。`
  }
}

/** Sorts a scenario's records into what became of the feedback, newest first. */
export function sortFeedback(scene: FeedbackScene): FeedbackSorting {
  const sorted: FeedbackSorting = {
    answers: 0,
    reports: 0,
    learnt: 0,
    unreported: [],
    astray: [],
    unscored: [],
    waiting: []
  }
  for (let at = scene.rows.length - 1; at >= 0; at -= 1) {
    const row = scene.rows[at]
    if (row === undefined) continue
    if (row.type === 'inference') {
      sorted.answers += 1
      if (scene.reportsOn(row.id) === 0) sorted.unreported.push(row)
    } else if (row.type === 'report') sortReport(row, scene, sorted)
  }
  return sorted
}

function sortReport(row: BookRow, scene: FeedbackScene, sorted: FeedbackSorting): void {
  sorted.reports += 1
  const why = whyAstray(row, scene)
  if (why !== null) sorted.astray.push({ row, why })
  if (row.score === null) sorted.unscored.push(row)
  if (scene.learntBy(row) !== null) sorted.learnt += 1
  else if (row.score !== null && why === null) sorted.waiting.push(row)
}

/** Most records a list of the summary carries. */
const LISTED = 20

export function listNewest<A, B>(
  all: readonly A[],
  show: (one: A) => B
): { count: number; newest: B[] } {
  return { count: all.length, newest: all.slice(0, LISTED).map(show) }
}
