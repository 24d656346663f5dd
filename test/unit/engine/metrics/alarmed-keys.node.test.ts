import { describe, expect, it } from 'vitest'
import { alarmedKeys, knowledgeOf, wellAgain } from '../../../../src-main/engine/metrics'
import { alarmsOf } from '../../../../src-main/engine/metrics/catalogue'
import type { MetricStore, SeriesFacts } from '../../../../src-main/engine/metrics/model'

/** Numbers of each key, oldest first, as a store would tell them. */
function storeOf(
  numbers: Record<string, readonly number[]>,
  attempt = 1
): Pick<MetricStore, 'series' | 'tail'> {
  const point = (key: string, x: number) => ({ x, at: x, value: numbers[key]?.[x] ?? Number.NaN })
  return {
    series: () =>
      Object.entries(numbers).map(([key, values]): SeriesFacts => ({
        key,
        axis: 'step',
        attempt,
        source: 's',
        count: values.length,
        nonFinite: 0,
        firstNonFinite: null,
        first: point(key, 0),
        last: point(key, values.length - 1)
      })),
    tail: (key, count) =>
      Promise.resolve((numbers[key] ?? []).map((_, x) => point(key, x)).slice(-count))
  }
}

const alarmed = async (numbers: Record<string, readonly number[]>): Promise<string[]> =>
  (await alarmedKeys(storeOf(numbers), 1)).map(({ key }) => key)

const many = (value: number, count: number): number[] => Array.from({ length: count }, () => value)

describe('numbers the catalogue calls a failure', () => {
  it.each([
    ['train/grad_norm', [0.4, 0.5, 2.96e9], [0.4, 900, 0.5]],
    ['train/grad_norm', [0.4, ...many(12, 5)], [0.4, ...many(12, 4)]],
    ['train/pg_clipfrac', many(0.3, 10), [...many(0.3, 9), 0.1]],
    ['train/train_rollout_logprob_abs_diff', many(0.6, 5), [...many(0.6, 4), 0.02]],
    ['train/entropy_loss', many(0.001, 10), many(0.1, 40)],
    ['train/lora_base_trainable_parameters', [4096], [0]],
    ['rollout/log_probs', [-11.9, -0.4, -0.4], [-0.4, -11.9, -11.9]],
    ['rollout/truncated', many(1, 5), many(0.9, 50)],
    ['rollout/raw_reward', many(0, 30), many(0, 29)],
    ['rollout/rewards', many(0, 30), many(1, 300)],
    ['tttd/reward_zero_fraction', many(1, 5), many(0.98, 50)],
    ['operations/training/error', [0, 1], [1, 0]]
  ])('%s: %j and not %j', async (key, bad, good) => {
    expect(await alarmed({ [key]: bad })).toEqual([key])
    expect(await alarmed({ [key]: good })).toEqual([])
  })

  it('are told in the words of the catalogue, with the newest number', async () => {
    const found = await alarmedKeys(storeOf({ 'train/grad_norm': [0.4, 2000] }), 1)
    const { failure } = knowledgeOf('train/grad_norm')
    expect(found).toEqual([
      { state: 'train/grad_norm', key: 'train/grad_norm', axis: 'step', x: 1, value: 2000, failure }
    ])
  })

  it('are none for a normalised reward, for another attempt, for NaN, and for keys without a limit', async () => {
    const rewards = { 'rollout/rewards': many(0, 99) }
    expect(await alarmed({ ...rewards, 'rollout/raw_reward': many(0.5, 99) })).toEqual([])
    const older = storeOf({ 'train/grad_norm': many(1e6, 9) }, 1)
    expect(await alarmedKeys(older, 2)).toEqual([])
    expect(await alarmed({ 'train/grad_norm': many(Number.NaN, 9) })).toEqual([])
    expect(await alarmed({ 'perf/step_time': many(1e9, 99), own: many(0, 99) })).toEqual([])
  })

  it('are no fault where a task is solved, and one fault where several keys of the reward say it', async () => {
    const rewards = (value: number) => ({
      'reward/reports': many(value, 99),
      'rollout/rewards': many(value, 99)
    })
    expect(await alarmed(rewards(1))).toEqual([])
    expect(await alarmed(rewards(0))).toEqual(['reward/reports'])
  })

  it('are over only when many in a row are without fault', async () => {
    const asked = async (values: readonly number[]) => {
      const found = await wellAgain(storeOf({ 'rollout/raw_reward': values }), 1, () => true)
      return found.map(({ state }) => state)
    }
    expect(await asked([...many(0, 30), ...many(0.5, 29)])).toEqual([])
    expect(await asked([...many(0, 30), ...many(0.5, 30)])).toEqual(['unrewarded'])
    expect(await asked([...many(0.5, 30), 0, ...many(0.5, 5)])).toEqual([])
  })

  it('have limits only where the catalogue says what goes wrong', () => {
    const limited = ['train/lr-pg_0', 'critic/grpo_std/mean', 'training/skipped', 'reward/reports']
    for (const key of limited) {
      expect(alarmsOf(key).length).toBeGreaterThan(0)
      expect(knowledgeOf(key).failure?.zh).toBeTruthy()
    }
  })
})
