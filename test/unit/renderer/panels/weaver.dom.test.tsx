import { implement } from '@orpc/server'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, it } from 'vitest'
import { contract } from '@contract/index'
import type { WeaverCheckpoint } from '@contract/weaver'
import { CheckpointsPanel } from '../../../../src-renderer/features/weaver/checkpoints-panel'
import { showPanel } from './show-panel'

let close = (): void => undefined
afterEach(() => close())

const os = implement({ weaver: contract.weaver })
const slow = { timeout: 20_000 }
const HOUR = 3_600_000

function checkpoint(name: string, expiresAt: number | null): WeaverCheckpoint {
  return {
    id: name,
    name,
    path: `weaver://m/checkpoints/${name}`,
    type: 'sampling',
    status: 'completed',
    createdAt: Date.now() - HOUR,
    expiresAt
  }
}

it(
  'counts down, asks before each act, and says what the service said',
  { timeout: 60_000 },
  async () => {
    const asked: unknown[] = []
    let refuse = true
    const rows = [
      checkpoint('step_000003', Date.now() + 2 * HOUR),
      checkpoint('step_000002', Date.now() - 1),
      checkpoint('kept', null)
    ]
    close = await showPanel(<CheckpointsPanel model="m" />, {
      weaver: {
        checkpoints: os.weaver.checkpoints.handler(() => ({ checkpoints: rows, now: Date.now() })),
        extend: os.weaver.extend.handler(({ input, errors }) => {
          asked.push(input)
          if (!refuse) return {}
          throw errors.FAILED({
            data: {
              code: 'weaver-quota',
              what: { en: 'The quota does not allow it.', zh: '额度不足。' }
            }
          })
        })
      }
    })
    const left = async (name: string): Promise<string> =>
      within(await screen.findByTestId(`checkpoint-${name}`, {}, slow)).getByTestId(
        'checkpoint-left'
      ).textContent
    expect(await left('step_000003')).toMatch(/1\s?h|2\s?h/)
    expect(await left('step_000002')).toBe('expired')
    expect(await left('kept')).not.toBe('expired')

    const user = userEvent.setup()
    const row = within(screen.getByTestId('checkpoint-step_000003'))
    await user.click(row.getByText('Extend…'))
    const dialog = await screen.findByTestId('weaver-dialog', {}, slow)
    // Looking at the question sends nothing.
    expect(asked).toEqual([])
    await user.click(within(dialog).getByTestId('weaver-life-ever'))
    await user.click(within(dialog).getByTestId('weaver-confirm'))
    await within(dialog).findByText('The quota does not allow it.', {}, slow)
    refuse = false
    await user.click(within(dialog).getByTestId('weaver-confirm'))
    await waitFor(() => expect(screen.queryByTestId('weaver-dialog')).toBeNull(), slow)
    const path = 'weaver://m/checkpoints/step_000003'
    expect(asked.at(-1)).toEqual({ model: 'm', path, seconds: null, confirmed: true })
  }
)

it(
  'shortens a life only knowingly, and stops a download that is cancelled',
  { timeout: 60_000 },
  async () => {
    const asked: unknown[] = []
    let ended = (): void => undefined
    const stopped = new Promise<void>((resolve) => (ended = resolve))
    const rows = [checkpoint('kept', null)]
    close = await showPanel(<CheckpointsPanel model="m" />, {
      weaver: {
        checkpoints: os.weaver.checkpoints.handler(() => ({ checkpoints: rows, now: Date.now() })),
        extend: os.weaver.extend.handler(({ input }) => {
          asked.push(input)
          return {}
        }),
        download: os.weaver.download.handler(
          ({ signal }) =>
            new Promise((_, reject) => {
              signal?.addEventListener('abort', () => {
                ended()
                reject(new Error('aborted'))
              })
            })
        )
      }
    })
    const user = userEvent.setup()
    const row = within(await screen.findByTestId('checkpoint-kept', {}, slow))
    await user.click(row.getByText('Extend…'))
    const dialog = within(await screen.findByTestId('weaver-dialog', {}, slow))
    expect(dialog.getByTestId('weaver-shorter').textContent).toContain('kept for good now')
    await user.click(dialog.getByTestId('weaver-life-ever'))
    expect(dialog.queryByTestId('weaver-shorter')).toBeNull()
    expect(dialog.getByTestId('weaver-confirm').getAttribute('aria-disabled')).toBe('true')
    await user.click(dialog.getByTestId('weaver-life-day'))
    await user.click(dialog.getByTestId('weaver-confirm'))
    await waitFor(() => expect(screen.queryByTestId('weaver-dialog')).toBeNull(), slow)
    expect(asked).toEqual([
      expect.objectContaining({ seconds: 86_400, shorten: true, confirmed: true })
    ])

    await user.click(row.getByText('Download…'))
    const second = within(await screen.findByTestId('weaver-dialog', {}, slow))
    await user.type(second.getByTestId('weaver-folder'), '/tmp/x')
    await user.click(second.getByTestId('weaver-confirm'))
    await second.findByTestId('weaver-working', {}, slow)
    await user.click(second.getByText('Cancel'))
    await stopped
    await waitFor(() => expect(screen.queryByTestId('weaver-dialog')).toBeNull(), slow)
  }
)
