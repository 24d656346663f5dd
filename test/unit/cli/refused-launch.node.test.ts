import { expect, it } from 'vitest'
import { sayFailure, type EngineClient } from '../../../src-main/cli/engine-client'
import { preflightPointer, startLaunch } from '../../../src-main/cli/refused-launch'
import { FailureError } from '../../../src-main/engine/lib'

const what = (text: string) => ({ en: text, zh: text })
const request = { recipe: 'a b.yaml', target: 'local' }

/** What a launch that the engine refuses this way throws at last. */
async function refused(code: string): Promise<FailureError> {
  const start = () =>
    Promise.reject(
      new FailureError({ code, where: 'a b.yaml', what: what('Two reasons.\nA: bad\n  $ mend a') })
    )
  const engine = { launch: { start } } as unknown as EngineClient
  const thrown: unknown = await startLaunch(engine, request).catch((cause: unknown) => cause)
  if (!(thrown instanceof FailureError)) throw new Error('nothing was refused')
  return thrown
}

it('a refusal by preflight ends with the command that shows all of it, and no other failure does', async () => {
  const lines: string[] = []
  const io = { out: () => {}, err: (text: string) => lines.push(text), exit: () => {} }
  sayFailure({ ...io, language: 'en' }, (await refused('preflight-failed')).failure)
  expect(lines.join('\n').split('\n')).toEqual([
    'Two reasons. [a b.yaml]',
    'A: bad',
    '  $ mend a',
    "slipway preflight 'a b.yaml' shows all of it."
  ])
  expect((await refused('port-taken')).failure.remedy).toBeUndefined()
})

it('the command judges the same launch', () => {
  const overrides = [{ path: 'reef.port', value: '9911' }]
  const there = preflightPointer({ recipe: 'r.yaml', target: 'docker', overrides })
  expect(there.en).toBe(
    'slipway preflight r.yaml --target docker --set reef.port=9911 shows all of it.'
  )
  expect(preflightPointer({ ...request, nexrl: { tag: 'x' } }).zh).toContain('其他选项')
})
