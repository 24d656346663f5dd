import type { Release } from '@contract/releases'
import type { BlockKind } from '../../charts'

/** A release as people say it. */
export function nameOf(step: number): string {
  return `r${step}`
}

/** What a row is to the eye, the most telling thing first. */
export function kindOf(release: Release): BlockKind {
  if (release.served) return 'served'
  switch (release.result) {
    case 'rejected':
    case 'failed':
      return 'rejected'
    case 'pending':
      return 'pending'
    case 'published':
    case 'promoted':
    case 'selected':
    case 'skipped':
      break
  }
  if (release.operation === 'rollback' || release.operation === 'promote') return 'rollback'
  return release.leftBehind ? 'left-behind' : 'training'
}

/** The row with a step; chains come newest first and without holes, so it is nearly always where it should be. */
export function releaseAt(releases: readonly Release[], step: number): Release | null {
  const newest = releases[0]
  if (newest === undefined) return null
  const guess = releases[newest.step - step]
  if (guess?.step === step) return guess
  return releases.find((release) => release.step === step) ?? null
}

export function servedOf(releases: readonly Release[]): Release | null {
  return releases.find((release) => release.served) ?? null
}

/** The row a release was made from; for rows of older logs that do not say, the one before it. */
export function baseOf(releases: readonly Release[], release: Release): Release | null {
  const step = release.baseStep ?? release.step - 1
  return step < 0 ? null : releaseAt(releases, step)
}

/** A metric of a row, when it is a finite number. */
export function metricOf(release: Release, key: string): number | null {
  const value = release.metrics[key]
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}

/** Names of the mean reward of the consumed batch, best first (`docs` of Reef, Slime and NexRL name them so). */
const REWARD_KEYS = [
  'rollout/rewards',
  'rollout/raw_reward',
  'tttd/reward_mean',
  'rollout/reward_mean',
  'reward'
]

/** The key that is the reward in this chain; null when no row carries one. */
export function rewardKeyOf(releases: readonly Release[]): string | null {
  const recent = releases.slice(0, 64)
  return (
    REWARD_KEYS.find((key) => recent.some((release) => metricOf(release, key) !== null)) ?? null
  )
}

/** One metric of a release beside the release it is compared with. */
export type MetricPair = {
  readonly key: string
  readonly value: number
  readonly other: number | null
  readonly difference: number | null
}

/** Metrics that say how a run goes come first; the stack's bookkeeping after them, by name. */
const FIRST_KEYS = [
  ...REWARD_KEYS,
  'tttd/reward_max',
  'train/loss',
  'train/entropy_loss',
  'train/grad_norm',
  'train/pg_clipfrac',
  'train/ppo_kl',
  'rollout/response_lengths',
  'rollout/truncated',
  'sao/policy_lag_max'
]

/** Keys that count steps or name things and mean nothing as a difference. */
const BOOKKEEPING = /(^|\/)(step|steps|id|run_id|epochs|optimizer_steps)$/

/** Numeric metrics of a release against another, in the order people look for them. */
export function metricPairs(release: Release, other: Release | null): MetricPair[] {
  const keys = Object.keys(release.metrics).filter(
    (key) => metricOf(release, key) !== null && !BOOKKEEPING.test(key)
  )
  return keys.sort(byInterest).map((key) => {
    const value = metricOf(release, key) ?? NaN
    const before = other === null ? null : metricOf(other, key)
    return { key, value, other: before, difference: before === null ? null : value - before }
  })
}

function byInterest(a: string, b: string): number {
  const rank = (key: string): number => {
    const place = FIRST_KEYS.indexOf(key)
    return place < 0 ? FIRST_KEYS.length : place
  }
  return rank(a) - rank(b) || a.localeCompare(b)
}

/** Counts for the line over a chain. */
export type ChainCounts = {
  readonly all: number
  readonly restorable: number
  readonly leftBehind: number
  readonly rejected: number
  readonly attempts: number
}

export function countsOf(releases: readonly Release[]): ChainCounts {
  let restorable = 0
  let leftBehind = 0
  let rejected = 0
  const attempts = new Set<number>()
  for (const release of releases) {
    if (release.restorable) restorable++
    if (release.leftBehind) leftBehind++
    if (release.result === 'rejected' || release.result === 'failed') rejected++
    attempts.add(release.attempt)
  }
  return { all: releases.length, restorable, leftBehind, rejected, attempts: attempts.size }
}

/** Rows that share a release's content, oldest first: where it was trained and every time it was republished. */
export function historyOf(releases: readonly Release[], release: Release): Release[] {
  if (release.contentId === '') return [release]
  return releases.filter((row) => row.contentId === release.contentId).reverse()
}
