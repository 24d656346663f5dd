import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { AttemptState, RunDetail } from '@contract/run'
import { AttemptsPanel } from '../../../../src-renderer/features/stack/attempts-panel'
import { FailureCard } from '../../../../src-renderer/features/stack/failure-card'
import { startTranslations } from '../../../../src-renderer/i18n'
import { TooltipProvider } from '../../../../src-renderer/ui'
import { sampleDetail, sampleRuns } from '../../../support/fixture/runs'

beforeEach(() => startTranslations('en'))
afterEach(cleanup)

const NOW = Date.UTC(2026, 10, 30)

const failed: AttemptState = {
  kind: 'failed',
  at: NOW,
  cause: { en: 'Its container was removed.', zh: '其容器已被移除。' },
  evidence: []
}

/** A run whose attempts are in these states, oldest first. */
function detailOf(...states: AttemptState[]): RunDetail {
  const summary = sampleRuns(NOW).find(({ id }) => id === 'r-0413')
  if (summary === undefined) throw new Error('no such run')
  return {
    ...sampleDetail(summary, ''),
    attempts: states.map((state, index) => ({
      number: index + 1,
      startedAt: NOW,
      endedAt: null,
      state,
      command: 'reef serve'
    }))
  }
}

function show(detail: RunDetail): void {
  render(
    <TooltipProvider>
      <FailureCard detail={detail} />
      <AttemptsPanel detail={detail} />
    </TooltipProvider>
  )
}

it('keeps the reason of an earlier attempt to its row once a later one runs', () => {
  show(detailOf(failed, { kind: 'serving', since: NOW }))
  expect(screen.queryByTestId('failure-card')).toBeNull()
  expect(screen.getByTestId('attempt-1-cause').textContent).toBe('Its container was removed.')
  expect(screen.queryByTestId('attempt-2-cause')).toBeNull()
})

it('tops the page with the failure of the present attempt', () => {
  show(detailOf({ kind: 'serving', since: NOW }, failed))
  expect(screen.getByTestId('failure-card').textContent).toContain('Attempt 2 failed')
})
