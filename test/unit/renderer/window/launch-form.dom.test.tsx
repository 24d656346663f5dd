import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, it } from 'vitest'
import { go } from '../../../../src-renderer/state'
import { openWindow } from './open-window'

let close = (): void => undefined
afterEach(() => close())

const slow = { timeout: 20_000 }

async function open() {
  const opened = await openWindow()
  close = opened.close
  go({ page: 'new', recipe: '/opt/slipway/recipes/practice-sao.yaml' })
  await screen.findByTestId('plan-shell', {}, slow)
  await screen.findByTestId('preflight-summary', {}, slow)
  return { ...opened, user: userEvent.setup() }
}

/** Has the engine answer plans and the queue only when the returned function is called. */
function hold(engine: { held: Promise<void> }): () => void {
  let letGo = (): void => undefined
  engine.held = new Promise((resolve) => (letGo = resolve))
  return letGo
}

it('shows nothing of the old target once another one is chosen', { timeout: 60_000 }, async () => {
  const { engine, user } = await open()
  const letGo = hold(engine)
  await user.click(screen.getByTestId('launch-target'))
  await user.click(await screen.findByRole('menuitem', { name: /lab-a100/ }, slow))
  await waitFor(() => expect(screen.queryByTestId('plan-shell')).toBeNull(), slow)
  expect(screen.getByTestId('plan-pending').textContent).toContain('lab-a100')
  expect(screen.queryByTestId('preflight-summary')).toBeNull()
  expect(screen.getByTestId('preflight-checking').textContent).toContain('lab-a100')
  letGo()
  await screen.findByTestId('plan-shell', {}, slow)
  await screen.findByTestId('preflight-summary', {}, slow)
})

it(
  'says at once that a launch is being queued, and takes no second click',
  { timeout: 60_000 },
  async () => {
    const { engine, user } = await open()
    const button = screen.getByTestId('launch-when-free')
    await waitFor(() => expect(button.getAttribute('aria-disabled')).toBeNull(), slow)
    const letGo = hold(engine)
    await user.click(button)
    await waitFor(
      () => expect(screen.getByTestId('launch-when-free').getAttribute('aria-busy')).toBe('true'),
      slow
    )
    expect(screen.getByTestId('launch-when-free').textContent).toContain('Is being queued')
    await user.click(screen.getByTestId('launch-when-free'))
    letGo()
    await waitFor(
      () => expect(screen.getByTestId('launch-when-free').getAttribute('aria-busy')).toBe('false'),
      slow
    )
    expect(engine.acts.filter(({ call }) => call === 'queue.add')).toHaveLength(1)
  }
)

it(
  'offers containers to a companion only where the target has them',
  { timeout: 60_000 },
  async () => {
    const { user } = await open()
    const place = async (name: RegExp): Promise<HTMLElement> => {
      await user.click(screen.getByTestId('companion-where-0'))
      return screen.findByRole('menuitem', { name }, slow)
    }
    await user.click(screen.getByTestId('add-companion'))
    const own = await place(/container of its own/)
    expect(own.getAttribute('aria-disabled')).toBe('true')
    expect(own.textContent).toContain('this target has no containers')
    await user.keyboard('{Escape}')
    await user.click(screen.getByTestId('launch-target'))
    await user.click(await screen.findByRole('menuitem', { name: /lab-a100/ }, slow))
    await user.click(await place(/container of its own/))
    expect(screen.getByTestId('companion-where-0').textContent).toContain('container of its own')
    await user.type(screen.getByTestId('companion-name-0'), 'agent')
    await user.type(screen.getByTestId('companion-command-0'), 'python agent.py')
    await user.type(screen.getByTestId('companion-image-0'), 'agent:1')
  }
)
