import { expect, it } from 'vitest'
import { FailureError, systemClock } from '../../../../src-main/engine/lib'
import type { AttemptWatch } from '../../../../src-main/engine/stacks/attempt-watch'
import { askToStop } from '../../../../src-main/engine/stacks/stack-acts'
import type { SupervisorOptions } from '../../../../src-main/engine/stacks/supervisor-options'
import { UnreachableError } from '../../../../src-main/engine/targets'

/** A watched stack whose target does not answer, with what was changed in its record. */
function outOfReach(): {
  options: SupervisorOptions
  watch: AttemptWatch
  stopAsked: () => unknown
  owed: () => unknown[]
} {
  const attempt: { stopAsked: unknown } = { stopAsked: null }
  const owed: unknown[] = []
  const away = (): Promise<never> =>
    Promise.reject(
      new UnreachableError(
        {
          code: 'docker-unreachable',
          what: { en: 'Nobody answers at unix:///x.', zh: 'unix:///x 无人应答。' },
          remedy: { en: 'Start the engine.', zh: '请启动引擎。' }
        },
        null
      )
    )
  const options = {
    clock: systemClock,
    graceSeconds: 30,
    target: { kill: away, askToStop: away },
    onTrouble: () => undefined
  }
  const watch = {
    handle: { kind: 'container', id: 'c', name: 'c' },
    costOfStopping: null,
    wake: () => undefined,
    journal: {
      attempt,
      change: (change: typeof attempt) => Object.assign(attempt, change),
      owe: (event: unknown) => owed.push(event),
      see: () => undefined,
      write: () => Promise.resolve()
    }
  }
  return {
    options: options as unknown as SupervisorOptions,
    watch: watch as unknown as AttemptWatch,
    stopAsked: () => attempt.stopAsked,
    owed: () => owed
  }
}

it.each([false, true])(
  'says of a stop that the target did not hear that it stands (force: %s)',
  async (force) => {
    const { options, watch, stopAsked, owed } = outOfReach()
    const thrown: unknown = await askToStop(options, watch, force).catch((cause: unknown) => cause)
    if (!(thrown instanceof FailureError)) throw new Error('nothing was said')
    const { what, remedy, code } = thrown.failure
    expect(what.en).toMatch(/^Nobody answers at unix:\/\/\/x\. The stop stands: /)
    expect(what.zh).toMatch(/^unix:\/\/\/x 无人应答。停止请求仍然有效：/)
    expect(remedy?.en).toBe('Start the engine.')
    expect(code).toBe('docker-unreachable')
    expect(stopAsked()).toMatchObject({ force, owed: true })
    expect(owed()).toHaveLength(1)
  }
)
