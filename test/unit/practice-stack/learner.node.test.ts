import { describe, expect, it } from 'vitest'
import {
  actorGradients,
  advantagesOf,
  clipGradients,
  createLearnerState,
  criticGradient,
  prepareRollouts,
  type PreparedRollout
} from '../../../resources/practice-stack/model/learner.mjs'
import {
  answerPrompt,
  createAdapter,
  createBase,
  type Adapter
} from '../../../resources/practice-stack/model/policy.mjs'
import { RandomStream } from '../../../resources/practice-stack/model/random.mjs'
import { firstTasks, scoreAnswer } from '../../../resources/practice-stack/model/tasks.mjs'

const base = createBase('test')
const settings = { epsClip: 0.3, epsClipHigh: 5, entropyCoef: 0.05 }

function warmAdapter(): Adapter {
  const adapter = createAdapter('test', 3, 6)
  const random = new RandomStream('warm')
  return { ...adapter, b: adapter.b.map(() => 0.1 * random.normal()) }
}

function rollouts(adapter: Adapter): PreparedRollout[] {
  const random = new RandomStream('rollouts')
  const tasks = [...firstTasks('modular', 'a', 5), ...firstTasks('labs', 'a', 1)]
  const drawn = tasks.map((task) => {
    const answer = answerPrompt(base, adapter, task.prompt, { temperature: 1, random })
    // Older answers: the policy has moved since.
    const logProbabilities = answer.logProbabilities.map((value) => value + 0.2 * random.normal())
    const { tokens, text } = answer
    return { prompt: task.prompt, tokens, logProbabilities, reward: scoreAnswer(task, text) }
  })
  return prepareRollouts(base, drawn)
}

const ADVANTAGES = [1, -0.5, 0.7, -2, 0.3, 0.8]

/** Slope of the loss by one weight, by central differences. */
function slope(adapter: Adapter, half: 'a' | 'b', index: number, batch: PreparedRollout[]): number {
  const step = 1e-6
  const loss = (shift: number): number => {
    const moved = { ...adapter, [half]: Float64Array.from(adapter[half]) }
    moved[half][index] = (moved[half][index] ?? 0) + shift
    return actorGradients(base, moved, batch, ADVANTAGES, settings).loss
  }
  return (loss(step) - loss(-step)) / (2 * step)
}

describe('actor gradients', () => {
  it.each(['a', 'b'] as const)('of factor %s agree with finite differences', (half) => {
    const adapter = warmAdapter()
    const batch = rollouts(adapter)
    const measured = actorGradients(base, adapter, batch, ADVANTAGES, settings)
    for (let index = 0; index < adapter[half].length; index += 7) {
      expect(measured[half][index]).toBeCloseTo(slope(adapter, half, index, batch), 6)
    }
  })

  it('are zero where the ratio is clipped', () => {
    const adapter = warmAdapter()
    const [first] = rollouts(adapter)
    if (first === undefined) throw new Error('no rollout')
    const stale = { ...first, logProbabilities: first.logProbabilities.map((value) => value - 3) }
    const clipped = { ...settings, entropyCoef: 0 }
    const { b, sums } = actorGradients(base, adapter, [stale], [1], clipped)
    expect(sums.clipped).toBe(1)
    expect(b.every((value) => value === 0)).toBe(true)
  })

  it('are NaN with a NaN advantage, so that a watcher can see it', () => {
    const adapter = warmAdapter()
    const { loss } = actorGradients(
      base,
      adapter,
      rollouts(adapter),
      [NaN, 0, 0, 0, 0, 0],
      settings
    )
    expect(loss).toBeNaN()
  })
})

describe('critic', () => {
  it('has the gradient of its squared error', () => {
    const adapter = warmAdapter()
    const batch = rollouts(adapter)
    const critic = new Float64Array(64).fill(0.1)
    const { gradient } = criticGradient(critic, batch)
    const moved = (shift: number): number => {
      const other = Float64Array.from(critic)
      other[5] = 0.1 + shift
      return criticGradient(other, batch).loss
    }
    expect(gradient[5]).toBeCloseTo((moved(1e-6) - moved(-1e-6)) / 2e-6, 6)
  })
})

describe('advantages', () => {
  it('of a group sum to zero, and are zero when all rewards are the same', () => {
    const adapter = warmAdapter()
    const batch = rollouts(adapter).map((rollout, index) => ({
      ...rollout,
      group: index % 2,
      reward: index % 2 === 0 ? 1 : index
    }))
    const state = createLearnerState(adapter)
    const { advantages } = advantagesOf(base, state, batch, { klCoef: 0 })
    expect(advantages.filter((_, index) => index % 2 === 0)).toEqual([0, 0, 0])
    const odd = advantages.filter((_, index) => index % 2 === 1)
    expect(odd.reduce((sum, value) => sum + value, 0)).toBeCloseTo(0, 10)
    expect(Math.max(...odd)).toBeGreaterThan(1)
  })
})

describe('clipGradients', () => {
  it('answers the norm before and bounds the norm after', () => {
    const gradient = Float64Array.from([3, 4])
    expect(clipGradients(1, gradient)).toBe(5)
    expect(Math.hypot(...gradient)).toBeCloseTo(1, 12)
  })
})
