import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type DriverReading,
  freshReading,
  readDriverLine
} from '../../../../src-main/engine/nexrl/driver-log'
import { type DriverCircumstances, judgeDriver } from '../../../../src-main/engine/nexrl/judge'

const head = (logger: string, text: string): string =>
  `[2026-03-04 10:15:22,771][${logger}][INFO] - ${text}`

const lines = {
  loop: head('nexrl.controller', 'Starting training loop...'),
  beat: head('nexrl.controller', 'Module liveness check passed at 1772619322.1'),
  step: head(
    'nexrl.trainer.remote_api_trainer',
    'Training step 4 completed, updated sampling path: weaver://m-1f2e/checkpoints/step_000005'
  ),
  reached: head('nexrl.controller', 'Finish check: steps_reached=True -> stopping'),
  consumed: head('nexrl.data_loader', 'TorchDataLoader: All data has been consumed'),
  unhealthy: head(
    'nexrl.controller',
    "System health check: policy 'stop_on_error' detected 2 errors. System is unhealthy."
  ),
  healthy: head(
    'nexrl.controller',
    "System health check: Detected 2 errors, but policy is 'continue'. System remains healthy."
  ),
  dead: head(
    'nexrl.controller',
    'Module liveness check detected dead modules. Terminating system.'
  ),
  finished: head('nexrl.main', 'NexRL training process finished'),
  trace: 'Traceback (most recent call last):',
  error: "KeyError: 'WANDB_HOST'",
  noise: 'some text of a library'
} as const

type Name = keyof typeof lines

function read(...names: Name[]): DriverReading {
  return names.reduce((reading, name) => readDriverLine(reading, lines[name], 1000), freshReading())
}

const alive: DriverCircumstances = {
  alive: 'yes',
  endedBadly: false,
  silentMs: 0,
  heartbeatMs: 10_000
}
const over: DriverCircumstances = { ...alive, alive: 'no' }

describe('how a driver stands', () => {
  it.each<[Name[], DriverCircumstances, string]>([
    [[], alive, 'starting'],
    [['loop', 'beat'], alive, 'running'],
    [['loop', 'beat'], { ...alive, silentMs: 30_000 }, 'running'],
    [['loop', 'beat'], { ...alive, silentMs: 30_001 }, 'unknown'],
    [['loop', 'step', 'reached'], alive, 'done'],
    [['loop', 'step', 'reached', 'finished'], { ...over, endedBadly: true }, 'done'],
    [['loop', 'consumed'], alive, 'running'],
    [['loop', 'consumed', 'finished'], over, 'ended-early'],
    [['loop', 'consumed', 'reached', 'finished'], over, 'done'],
    [['loop', 'consumed', 'step', 'trace', 'error'], { ...over, endedBadly: true }, 'crashed'],
    [['loop', 'consumed', 'trace', 'error'], over, 'crashed'],
    [['loop', 'consumed', 'trace', 'error', 'finished'], over, 'ended-early'],
    [['loop', 'unhealthy', 'finished'], over, 'failed'],
    [['loop', 'consumed', 'unhealthy', 'finished'], over, 'failed'],
    [['loop', 'dead', 'finished'], over, 'failed'],
    [['loop', 'healthy', 'beat'], alive, 'running'],
    [['loop', 'trace', 'error'], over, 'crashed'],
    [['trace', 'error'], over, 'crashed'],
    [['loop', 'trace', 'error', 'beat'], over, 'unknown'],
    [['loop', 'beat'], { ...over, endedBadly: true }, 'crashed'],
    [['loop', 'finished'], over, 'unknown']
  ])('%j, %o: %s', (names, circumstances, verdict) => {
    expect(judgeDriver(read(...names), circumstances).verdict).toBe(verdict)
  })

  it('is done exactly when the log says that all steps were reached, whatever else it says', () => {
    const names = Object.keys(lines) as Name[]
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...names), { maxLength: 30 }),
        fc.record({
          alive: fc.constantFrom('yes' as const, 'no' as const, 'unseen' as const),
          endedBadly: fc.boolean(),
          silentMs: fc.nat(100_000),
          heartbeatMs: fc.integer({ min: 1000, max: 20_000 })
        }),
        (seen, circumstances) => {
          const { verdict } = judgeDriver(read(...seen), circumstances)
          expect(verdict === 'done').toBe(seen.includes('reached'))
          const fault = seen.includes('unhealthy') || seen.includes('dead')
          if (fault && verdict !== 'done') expect(verdict).toBe('failed')
          if (verdict === 'running') expect(circumstances.alive).toBe('yes')
        }
      )
    )
  })
})

describe('what lines say', () => {
  it('reads the published shapes', () => {
    const text = [
      head('x', "Training client model id: ('m-1f2e',)"),
      'Progress: Batch: 96/256 (remaining: 160) | Workers: 128 active | Trajectories: 91 finished',
      head(
        't',
        "rollout metrics: {'rollout/reward_mean': np.float64(0.5390625)}, trajectories: 256"
      ),
      'group_id: g-1, rewards: [1.0, 1.0]',
      'group_id: g-2, rewards: [np.float64(0.0), np.float64(1.0)]',
      'group_id: g-3, rewards: [np.float64(0.5), np.float64(0.5)]',
      'group_id: g-4, rewards: [-1e-05, -1e-05, 1e-05]',
      lines.step,
      head('w', 'Weight synchronization completed for default to version 5')
    ]
    const reading = text.reduce((was, line) => readDriverLine(was, line, 7000), freshReading())
    expect(reading).toMatchObject({
      model: 'm-1f2e',
      batch: { done: 96, of: 256 },
      workersActive: 128,
      trajectoriesFinished: 91,
      rewardMean: 0.5390625,
      groups: 4,
      equalGroups: 2,
      lastStep: 4,
      version: 5,
      exported: [
        { step: 5, path: 'weaver://m-1f2e/checkpoints/step_000005', at: 7000, expiresAt: 3_607_000 }
      ]
    })
  })

  it('begins anew with a second boot in the same log', () => {
    const boot = head('m', 'Starting NexRL in local mode')
    const reading = [boot, lines.loop, lines.step, boot].reduce(
      (was, line) => readDriverLine(was, line, 1),
      freshReading()
    )
    expect(reading).toMatchObject({ restarts: 1, lastStep: null, looping: false })
  })

  it('never throws, and says nothing new of text it does not know', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const before = freshReading()
        const after = readDriverLine(before, text, 1)
        if (!/[A-Za-z]{4}/.test(text)) expect(after).toBe(before)
      })
    )
  })
})
