import type { ReleaseResult } from '../../contract/releases'
import type { ChainRow } from './chain-row'

function isNonBlank(value: unknown): boolean {
  if (typeof value === 'boolean') return value
  return typeof value === 'string' ? value.trim() !== '' : value !== null && value !== undefined
}

function failureNoted(metrics: ChainRow['metrics']): boolean {
  const notes = metrics['proposal_notes']
  const noted =
    typeof notes === 'object' && notes !== null && 'failure' in notes ? notes.failure : undefined
  return isNonBlank(metrics['error']) || isNonBlank(noted)
}

/**
 * What came of a row. `promotedLater`: a later promote row republished this release.
 * Public source of the rule: `reef/service/release_page.py` (`result_of`).
 */
export function resultOf(row: ChainRow, promotedLater: boolean): ReleaseResult {
  if (row.pending) return promotedLater ? 'promoted' : 'pending'
  const selected = row.metrics['selected']
  if (typeof selected === 'boolean') return selected ? 'selected' : 'rejected'
  if (isNonBlank(row.metrics['skipped'])) return failureNoted(row.metrics) ? 'failed' : 'skipped'
  return 'published'
}

/** True when a row of this result changed what is served: the newest such row is the served one. */
export function serves(result: ReleaseResult): boolean {
  switch (result) {
    case 'published':
    case 'selected':
      return true
    case 'pending':
    case 'promoted':
    case 'rejected':
    case 'skipped':
    case 'failed':
      return false
  }
}
