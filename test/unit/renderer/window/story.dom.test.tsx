import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, describe, expect, it } from 'vitest'
import { disconnectPort } from '../../../../src-renderer/api'
import { go, routes } from '../../../../src-renderer/state'
import { openWindow } from './open-window'

let close = (): void => undefined
afterEach(() => close())

async function open(options: Parameters<typeof openWindow>[0] = {}) {
  const opened = await openWindow(options)
  close = opened.close
  return { ...opened, user: userEvent.setup() }
}

const here = () => routes.getState().entries[routes.getState().at]
const slow = { timeout: 20_000 }

describe('the window', { timeout: 60_000 }, () => {
  it('says why it is empty and launches the practice run by one key', async () => {
    const { engine, user } = await open({ empty: true })
    await screen.findByTestId('first-run', {}, slow)
    await waitFor(() =>
      expect(screen.getByTestId('launch-practice')).not.toHaveProperty('ariaDisabled', 'true')
    )
    await waitFor(() => expect(document.activeElement).toBe(screen.getByTestId('launch-practice')))
    await waitFor(async () => {
      await user.keyboard('{Enter}')
      expect(engine.acts.map((act) => act.call)).toContain('launch.start')
    }, slow)
    await screen.findByTestId('run-header', {}, slow)
    expect(here()).toMatchObject({ page: 'run', tab: 'stack' })
    expect(screen.getByTestId('practice-tag')).toBeDefined()
    expect(screen.getByTestId('run-state').dataset['state']).toBe('starting')
  })

  it('goes through list, run, tabs and back with the keyboard alone', async () => {
    const { user } = await open()
    const row = await screen.findByTestId('run-row-r-0412', {}, slow)
    // A long name is cut in the list, and whole under the pointer.
    expect(within(row).getByTitle('sao-qwen2.5-1.5b-deepmath-s0').className).toContain('el')
    await user.keyboard('j')
    await user.keyboard('{Enter}')
    await screen.findByTestId('run-header', {}, slow)
    expect(here()).toEqual({ page: 'run', id: 'r-0398', tab: 'curves' })
    await user.keyboard('{Alt>}4{/Alt}')
    await screen.findByTestId('failure-card', {}, slow)
    expect(screen.getByTestId('evidence').textContent).toContain('OutOfMemoryError')
    await user.keyboard('{Alt>}{ArrowLeft}{/Alt}')
    expect(here()).toMatchObject({ tab: 'curves' })
    await user.keyboard('{Alt>}{ArrowLeft}{/Alt}')
    await screen.findByTestId('runs-table', {}, slow)
  })

  it('filters the list, says when nothing matches and names a wrong field', async () => {
    const { user } = await open({ damaged: true })
    await screen.findByTestId('run-row-r-0412', {}, slow)
    await user.keyboard('/')
    expect(document.activeElement).toBe(screen.getByTestId('runs-filter'))
    await user.paste('tag:gsm8k')
    await waitFor(() => expect(screen.queryByTestId('run-row-r-0412')).toBeNull())
    expect(screen.getByTestId('run-row-r-0398')).toBeDefined()
    expect(screen.getByTestId('damaged-r-0377')).toBeDefined()
    await user.clear(screen.getByTestId('runs-filter'))
    await user.paste('owner:me')
    expect((await screen.findByRole('alert')).textContent).toContain('owner')
  })

  it('rings for what nobody has looked at, and leads to the run at its step', async () => {
    const { engine, user } = await open()
    await screen.findByTestId('run-row-r-0412', {}, slow)
    const bell = await screen.findByTestId('alerts', {}, slow)
    await waitFor(() => expect(bell.dataset['unseen']).toBe('1'), slow)
    await user.click(bell)
    await user.click(await screen.findByTestId('menu-alert-crash', {}, slow))
    expect(here()).toMatchObject({ page: 'run', id: 'r-0398', tab: 'curves' })
    await waitFor(() => expect(engine.acts.map((act) => act.call)).toContain('alerts.see'), slow)
    await waitFor(() => expect(screen.getByTestId('alerts').dataset['unseen']).toBe('0'), slow)
  })

  it('shows Ray, SGLang and the GPUs below a stack that runs', async () => {
    await open()
    go({ page: 'run', id: 'r-0412', tab: 'stack' })
    const ray = await screen.findByTestId('cluster-ray', {}, slow)
    expect(ray.textContent).toContain('Waits for 4 GPUs')
    expect(screen.getByTestId('cluster-sglang').textContent).toMatch(/1\s?834/)
    expect(screen.getByTestId('cluster-gpus').textContent).toContain('96 % busy')
  })

  it('asks before it stops, with Cancel in focus, and keeps force apart', async () => {
    const { engine, user } = await open()
    go({ page: 'run', id: 'r-0412', tab: 'stack' })
    await user.click(await screen.findByTestId('stop', {}, slow))
    const dialog = await screen.findByTestId('stop-dialog', {}, slow)
    expect(document.activeElement?.textContent).toContain('Cancel')
    expect(dialog.textContent).toContain('73 reports')
    expect(dialog.textContent).toContain('optimizer step under way (9 of 16)')
    await user.click(within(dialog).getByTestId('force-stop'))
    expect(engine.acts).toEqual([])
    await user.click(within(dialog).getByTestId('confirm-stop'))
    await waitFor(() =>
      expect(engine.acts).toEqual([{ call: 'runs.stop', input: { run: 'r-0412', force: false } }])
    )
    await within(dialog).findByText(/Waiting for/, {}, slow)
    await user.click(within(dialog).getByTestId('force-stop'))
    await waitFor(() => expect(engine.acts.at(-1)).toMatchObject({ input: { force: true } }), slow)
    await waitFor(() => expect(screen.queryByTestId('stop-dialog')).toBeNull(), slow)
  })

  it('says before a restart that it is not certain what that goes on from, and restarts where nothing speaks against it', async () => {
    const { engine, user } = await open()
    const id = 'r-0398'
    engine.restartDoubt = { en: 'The job marker says CHECKPOINT.', zh: '任务标记为 CHECKPOINT。' }
    go({ page: 'run', id, tab: 'stack' })
    await user.click(await screen.findByTestId('restart', {}, slow))
    const dialog = await screen.findByTestId('restart-dialog', {}, slow)
    await within(dialog).findByText(/The job marker says CHECKPOINT/, {}, slow)
    expect(engine.acts).toEqual([])
    await user.click(within(dialog).getByText('Cancel'))
    await waitFor(() => expect(screen.queryByTestId('restart-dialog')).toBeNull(), slow)
    expect(engine.acts).toEqual([])
    engine.restartDoubt = null
    await user.click(screen.getByTestId('restart'))
    await waitFor(
      () => expect(engine.acts).toEqual([{ call: 'runs.restart', input: { run: id } }]),
      slow
    )
    expect(screen.queryByTestId('restart-dialog')).toBeNull()
  })

  it('shows the plan, says why launch is off, and sends overrides', async () => {
    const { engine, user } = await open()
    go({ page: 'new', recipe: '/opt/slipway/recipes/practice-sao.yaml' })
    await screen.findByTestId('plan-shell', {}, slow)
    expect(screen.getByTestId('practice-notice')).toBeDefined()
    await user.click(screen.getByTestId('add-override'))
    await user.type(screen.getByTestId('override-value-0'), '9')
    expect(screen.getByTestId('launch-reason').textContent).toContain('no field')
    await user.click(screen.getByTestId('override-path-0'))
    await user.paste('training.options.lrr')
    await waitFor(
      () => expect(screen.getByTestId('launch-reason').textContent).toContain('1 error'),
      slow
    )
    await user.click(screen.getByTestId('launch'))
    expect(engine.acts).toEqual([])
    await user.type(screen.getByTestId('override-path-0'), '{Backspace}')
    await waitFor(() => expect(screen.getByTestId('launch-reason').textContent).toBe(''), slow)
    await user.keyboard('{Control>}{Enter}{/Control}')
    await waitFor(() => expect(engine.acts[0]?.call).toBe('launch.start'), slow)
    expect(engine.acts[0]?.input).toMatchObject({
      recipe: '/opt/slipway/recipes/practice-sao.yaml',
      overrides: [{ path: 'training.options.lr', value: '9' }]
    })
  })

  it('follows the log, searches it in the engine and says when nothing is found', async () => {
    const { user } = await open()
    go({ page: 'run', id: 'r-0412', tab: 'log' })
    await screen.findByTestId('log-lines', {}, slow)
    expect((await screen.findByTestId('progress', {}, slow)).textContent).toContain('9 of 16')
    await user.click(screen.getByTestId('log-search'))
    await user.paste('weight sync')
    await screen.findByText(/matches/, {}, slow)
    await user.clear(screen.getByTestId('log-search'))
    await user.paste('no such words')
    await screen.findByText('No line matches', {}, slow)
  })

  it('saves notes by itself', async () => {
    const { engine, user } = await open()
    go({ page: 'run', id: 'r-0413', tab: 'notes' })
    await user.type(await screen.findByTestId('notes', {}, slow), 'seen')
    await waitFor(
      () => expect(engine.acts.at(-1)).toMatchObject({ input: { run: 'r-0413', notes: 'seen' } }),
      slow
    )
    await screen.findByTestId('notes-saved', {}, slow)
  })

  it('speaks the other language at once', async () => {
    const { user } = await open()
    await screen.findByTestId('run-row-r-0412', {}, slow)
    await user.click(screen.getByTestId('status-language'))
    await screen.findAllByText('需要关注', {}, slow)
    expect(document.documentElement.lang).toBe('zh-CN')
  })

  it('says that the engine is gone and catches up with the next one', async () => {
    const { engine, connect } = await open()
    await screen.findByTestId('run-row-r-0412', {}, slow)
    disconnectPort()
    await screen.findByTestId('engine-lost', {}, slow)
    engine.advance(5)
    connect()
    await waitFor(() => expect(screen.queryByTestId('engine-lost')).toBeNull(), slow)
    await waitFor(
      () => expect(screen.getByTestId('run-row-r-0412').textContent).toContain('926'),
      slow
    )
  })

  it('opens what was asked for from outside', async () => {
    const { engine } = await open()
    await screen.findByTestId('run-row-r-0412', {}, slow)
    engine.ask({ kind: 'recipe', path: '/home/user/recipes/sao-deepmath.yaml' })
    await screen.findByTestId('launch-page', {}, slow)
    expect(here()).toEqual({ page: 'new', recipe: '/home/user/recipes/sao-deepmath.yaml' })
  })

  it('tells a run that is not there from a run that is', async () => {
    await open()
    go({ page: 'run', id: 'r-none', tab: 'curves' })
    expect((await screen.findByTestId('inline-error', {}, slow)).textContent).toContain('r-none')
  })
})
