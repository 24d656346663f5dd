import type { Text } from '@contract/text'

/** A published number to hold a curve against. */
type PaperValue = {
  /** The metric it was measured of, by each name it has. */
  readonly keys: readonly string[]
  readonly value: number
  /** Other end of a published range. */
  readonly upTo?: number
  readonly name: Text
}

/** The mean score of a batch: as the trainer logs it, and exactly, by receipt. */
const SCORE = ['rollout/rewards', 'reward/reports']

const plain = (name: string): Text => ({ en: name, zh: name })

/**
 * SAO on Qwen3-30B-A3B, training pool, 99 steps (recipes/sao/examples/imo_answerbench/README.md);
 * TTTD on Qwen3-8B, 50 steps (docs/user-guide/recipes/tttd.rst).
 */
const VALUES: Readonly<Record<string, readonly PaperValue[]>> = {
  sao: [
    { keys: SCORE, value: 0.7, name: { en: 'SAO, first step', zh: 'SAO 第一步' } },
    { keys: SCORE, value: 0.83, name: { en: 'SAO, step 99', zh: 'SAO 第 99 步' } },
    { keys: ['rollout/truncated'], value: 0.05, name: { en: 'SAO, first step', zh: 'SAO 第一步' } },
    { keys: ['rollout/truncated'], value: 0.02, name: { en: 'SAO, step 99', zh: 'SAO 第 99 步' } },
    { keys: ['rollout/response_lengths'], value: 15_000, upTo: 18_000, name: plain('SAO') }
  ],
  tttd: [
    {
      keys: ['tttd/reward_max'],
      value: 2.635983,
      name: { en: 'Packing26, best', zh: 'Packing26 最佳' }
    },
    {
      keys: ['tttd/reward_max'],
      value: 2.939573,
      name: { en: 'Packing32, best', zh: 'Packing32 最佳' }
    },
    {
      keys: ['tttd/reward_mean'],
      value: 1.1291,
      name: { en: 'Packing26, mean at step 50', zh: 'Packing26 第 50 步平均' }
    },
    {
      keys: ['tttd/reward_mean'],
      value: 0.9264,
      name: { en: 'Packing32, mean at step 50', zh: 'Packing32 第 50 步平均' }
    }
  ]
}

/** Whether anything was published for a recipe family. */
export function hasPaperValues(family: string | null): boolean {
  return family !== null && family in VALUES
}

/** What was published of the keys of a panel. */
export function paperValuesOf(family: string | null, keys: readonly string[]): PaperValue[] {
  if (family === null) return []
  return (VALUES[family] ?? []).filter((one) => one.keys.some((key) => keys.includes(key)))
}
