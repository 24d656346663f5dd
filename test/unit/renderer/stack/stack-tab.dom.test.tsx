import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { AttemptState, RunDetail } from '@contract/run'
import userEvent from '@testing-library/user-event'
import { CompanionsPanel } from '../../../../src-renderer/features/stack/companions-panel'
import { routes } from '../../../../src-renderer/state'
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
      <CompanionsPanel detail={detail} />
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

it('lists the companions with what they do and leads to the log of each', async () => {
  const detail = detailOf({ kind: 'serving', since: NOW })
  const agent = {
    name: 'agent',
    where: 'process',
    state: { kind: 'restarting', exit: { kind: 'code', code: 1 } },
    restarts: 3,
    log: '1/companion-agent'
  } as const
  const waiting = { ...agent, name: 'later', state: { kind: 'waiting' }, log: null } as const
  show({ ...detail, companions: [agent, waiting] })
  const row = screen.getByTestId('companion-agent').textContent
  expect(row).toContain('Ended, exit code 1; is started again3as a process of this computer')
  expect(screen.getByTestId('companion-later').textContent).toContain('Waits for the stack')
  expect(screen.queryByTestId('companion-log-later')).toBeNull()
  await userEvent.click(screen.getByTestId('companion-log-agent'))
  expect(routes.getState().entries[routes.getState().at]).toMatchObject({ page: 'run', tab: 'log' })
})
