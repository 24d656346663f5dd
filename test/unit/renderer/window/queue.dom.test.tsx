import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, it } from 'vitest'
import { LaunchRequest } from '../../../../src-main/contract/launch'
import type { QueuedLaunch } from '../../../../src-main/contract/queue'
import { openWindow } from './open-window'

let close = (): void => undefined
afterEach(() => close())

const slow = { timeout: 20_000 }

const item = (id: string, state: QueuedLaunch['state']): QueuedLaunch => ({
  id,
  name: id,
  queuedAt: 0,
  request: LaunchRequest.parse({ recipe: `/r/${id}.yaml` }),
  state
})

it(
  'a launch that does not start can be tried again, and only that',
  { timeout: 60_000 },
  async () => {
    const { engine, close: end } = await openWindow()
    close = end
    const user = userEvent.setup()
    const failure = { code: 'preflight-failed', what: { en: 'No GPU.', zh: '没有 GPU。' } }
    engine.queue([
      item('bad', { kind: 'refused', failure, at: 1 }),
      item('waits', { kind: 'waiting', why: { en: 'Busy.', zh: '忙。' } })
    ])
    await user.click(await screen.findByTestId('queue', {}, slow))
    await waitFor(() => expect(screen.getAllByTestId('queue-row')).toHaveLength(2), slow)
    expect(screen.getByTestId('queue-dialog').textContent).toContain('No GPU.')
    const [again, ...more] = screen.getAllByTestId('queue-again')
    expect(more).toEqual([])
    await user.click(again ?? expect.fail())
    await waitFor(() =>
      expect(engine.acts).toContainEqual({ call: 'queue.again', input: { id: 'bad' } })
    )
  }
)

it('a notification of it opens the list', { timeout: 60_000 }, async () => {
  const { engine, close: end } = await openWindow()
  close = end
  engine.ask({ kind: 'queue' })
  expect((await screen.findByTestId('queue-dialog', {}, slow)).textContent).toContain(
    'Nothing waits'
  )
})
