import { implement } from '@orpc/server'
import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, describe, expect, it } from 'vitest'
import { contract } from '@contract/index'
import type { Pulse } from '@contract/talk'
import { TryItDialog } from '../../../../src-renderer/features/try-it'
import { talks } from '../../../../src-renderer/features/try-it/talk-store'
import { sampleDetail, sampleRuns } from '../../../support/fixture/runs'
import { showPanel } from '../panels/show-panel'

let close = (): void => undefined
afterEach(() => {
  close()
  talks.setState({ talks: {} })
})

const os = implement({ talk: contract.talk })
const slow = { timeout: 20_000 }

function detail() {
  const [first] = sampleRuns(Date.now())
  if (first === undefined) throw new Error('no run')
  return sampleDetail(first, '')
}

const pulse: Pulse = {
  answers: 0,
  reports: 0,
  batch: { have: 0, need: 4 },
  step: 0,
  job: null
}

function router(scenarios: string[], ask: () => AsyncGenerator<never, void, undefined>) {
  return {
    talk: {
      doorway: os.talk.doorway.handler(() => ({
        address: 'http://127.0.0.1:1',
        tokenName: null,
        token: false,
        model: null,
        scenarios
      })),
      ask: os.talk.ask.handler(ask),
      // eslint-disable-next-line @typescript-eslint/require-await -- a stream with nothing to wait for
      watch: os.talk.watch.handler(async function* () {
        yield pulse
      })
    }
  }
}

// eslint-disable-next-line @typescript-eslint/require-await, require-yield -- fails before its first word
async function* away(): AsyncGenerator<never, void, undefined> {
  throw new Error('the engine is away')
}

// eslint-disable-next-line require-yield -- never says a word
async function* hangs(): AsyncGenerator<never, void, undefined> {
  await new Promise(() => undefined)
}

const off = (id: string): string | null => screen.getByTestId(id).getAttribute('aria-disabled')

describe('Try it', { timeout: 60_000 }, () => {
  it('says so where there is no scenario to ask', async () => {
    close = await showPanel(<TryItDialog detail={detail()} close={() => undefined} />, {
      ...router([], away)
    })
    await screen.findByTestId('no-scenario', {}, slow)
    expect(screen.queryByTestId('talk-question')).toBeNull()
    screen.getByTestId('make-scenario')
  })

  it('gives a question back that got no answer, and asks nothing at a temperature that is none', async () => {
    close = await showPanel(<TryItDialog detail={detail()} close={() => undefined} />, {
      ...router(['algebra'], away)
    })
    const user = userEvent.setup()
    await user.type(await screen.findByTestId('talk-question', {}, slow), 'What is 2 + 2?')
    await user.type(screen.getByTestId('talk-temperature'), '3')
    expect(off('talk-ask')).toBe('true')
    await user.clear(screen.getByTestId('talk-temperature'))
    await user.click(screen.getByTestId('talk-ask'))
    await waitFor(
      () => expect(screen.getByTestId('exchange-1').dataset['state']).toBe('failed'),
      slow
    )
    const question = screen.getByTestId<HTMLTextAreaElement>('talk-question')
    expect(question.value).toBe('')
    await user.click(screen.getByTestId('put-back'))
    expect(question.value).toBe('What is 2 + 2?')
  })

  it('says that it asks one at a time, whichever scenario is looked at', async () => {
    const shown = detail()
    close = await showPanel(<TryItDialog detail={shown} close={() => undefined} />, {
      ...router(['algebra', 'geometry'], hangs)
    })
    const user = userEvent.setup()
    await user.type(await screen.findByTestId('talk-question', {}, slow), 'One')
    await user.click(screen.getByTestId('talk-ask'))
    await screen.findByTestId('talk-stop', {}, slow)
    talks.getState().set(shown.summary.id, { scenario: 'geometry', draft: 'Two' })
    const ask = await screen.findByTestId('talk-ask', {}, slow)
    expect(ask.getAttribute('aria-disabled')).toBe('true')
    talks.getState().set(shown.summary.id, { scenario: 'algebra' })
    await user.click(await screen.findByTestId('talk-stop', {}, slow))
    await waitFor(
      () => expect(screen.getByTestId('exchange-1').dataset['state']).toBe('stopped'),
      slow
    )
  })
})
