import { implement } from '@orpc/server'
import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { contract } from '@contract/index'
import type { FeedbackSummary, TalkRecord } from '@contract/talk'
import { RecordsTab } from '../../../../src-renderer/features/records'
import { sampleDetail, sampleRuns } from '../../../support/fixture/runs'
import { showPanel } from './show-panel'

let close = (): void => undefined
afterEach(() => {
  close()
  vi.unstubAllGlobals()
})

/** Everything is in sight at once. */
class InSight {
  constructor(private tell: (entries: { isIntersecting: boolean }[]) => void) {}
  observe(): void {
    this.tell([{ isIntersecting: true }])
  }
  disconnect(): void {
    this.tell = () => undefined
  }
}

const os = implement({ talk: contract.talk })
const slow = { timeout: 20_000 }

function record(id: string, type: string, score: number | null): TalkRecord {
  return {
    id,
    type,
    score,
    sequence: 1,
    createdAt: 0,
    references: [],
    learntBy: null,
    release: { releaseId: 'abc', step: null }
  }
}

const feedback: FeedbackSummary = {
  answers: 1,
  reports: 1,
  learnt: 0,
  complete: true,
  batch: { have: null, need: 4 },
  unreported: { count: 0, newest: [] },
  astray: { count: 0, newest: [] },
  unscored: { count: 0, newest: [] },
  waiting: { count: 1, newest: [record('r-1', 'report', 1)] },
  refused: {
    count: 2,
    newest: [
      { at: 0, of: 'question', text: 'ScenarioNotFound: no such (HTTP 404)' },
      { at: null, of: 'report', text: 'ValueError: reference (HTTP 400)' }
    ]
  }
}

function ended() {
  const [first] = sampleRuns(Date.now())
  if (first === undefined) throw new Error('no run')
  const state = { kind: 'stopped' as const, at: 0, exit: { kind: 'code' as const, code: 0 } }
  return sampleDetail({ ...first, state }, '')
}

describe('records of a run that has ended', { timeout: 60_000 }, () => {
  it('are read as it left them, without what only a service can do', async () => {
    vi.stubGlobal('IntersectionObserver', InSight)
    close = await showPanel(<RecordsTab detail={ended()} />, {
      talk: {
        kept: os.talk.kept.handler(() => ({ scenarios: ['algebra'], folder: '/r/records' })),
        records: os.talk.records.handler(() => ({
          records: [record('a-1', 'inference', null)],
          next: null,
          scanned: 1,
          total: 1,
          complete: true
        })),
        firstWords: os.talk.firstWords.handler(({ input }) => ({ words: `What is ${input.id}?` })),
        feedback: os.talk.feedback.handler(() => feedback)
      }
    })
    expect((await screen.findByTestId('records-kept', {}, slow)).textContent).toContain(
      '/r/records'
    )
    const row = await screen.findByTestId('record-a-1', {}, slow)
    await waitFor(() => expect(row.textContent).toContain('What is a-1?'), slow)
    expect(screen.queryByTestId('records-view-scenarios')).toBeNull()
    await userEvent.setup().click(screen.getByTestId('records-view-feedback'))
    const counts = await screen.findByTestId('feedback-counts', {}, slow)
    expect(counts.textContent).toContain('the run has ended')
    const refused = screen.getByTestId('feedback-refused').textContent
    expect(refused).toContain('QuestionScenarioNotFound')
    expect(refused).toContain('ReportValueError')
    expect(screen.queryByTestId('feedback-typos')).toBeNull()
  })

  it('says that there are none, and tells any other trouble as it is', async () => {
    let code = 'not-live'
    const router = {
      talk: {
        kept: os.talk.kept.handler(({ errors }) => {
          throw errors.FAILED({ data: { code, what: { en: 'The disk is away.', zh: '磁盘。' } } })
        })
      }
    }
    close = await showPanel(<RecordsTab detail={ended()} />, router)
    await screen.findByTestId('records-off', {}, slow)
    close()
    code = 'unreachable'
    close = await showPanel(<RecordsTab detail={ended()} />, router)
    await screen.findByText('The disk is away.', {}, slow)
  })
})
