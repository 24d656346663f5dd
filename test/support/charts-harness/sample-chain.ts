import type { Chain, Release } from '@contract/releases'
import { numbersFrom } from './sample-curves'

const STEPS_EACH = 16
const MINUTES_EACH = 3.85

/**
 * A chain of releases of 16 optimizer steps each: one rejected, one rollback from r37 to r32, the newest pending.
 * @param count Rows; with more than 60 further rollbacks are strewn in.
 */
export function sampleChain(count: number, start: number): Chain {
  const random = numbersFrom(41)
  const rows: Release[] = []
  let trained = 0
  let head = 0
  for (let step = 0; step < count; step++) {
    const back = step === 38 ? 32 : step > 60 && random() < 0.01 ? Math.max(0, step - 7) : null
    const rejected = step === 22
    const pending = step === count - 1 && count > 2
    if (back === null && step > 0) trained += STEPS_EACH
    if (back !== null) for (let left = back + 1; left < step; left++) leave(rows, left)
    rows.push(
      rowOf({ step, start, back, rejected, pending, trained, head, reward: rewardAt(step, random) })
    )
    if (!rejected && !pending) head = step
  }
  const served = rows.findLast((row) => row.result !== 'rejected' && row.result !== 'pending')
  if (served !== undefined) served.served = true
  return {
    run: 'r-0412',
    scenario: 'deepmath',
    scenarios: ['deepmath'],
    releases: rows.reverse(),
    from: 'service',
    readAt: Date.now()
  }
}

function leave(rows: Release[], step: number): void {
  const row = rows[step]
  if (row !== undefined) row.leftBehind = true
}

function rewardAt(step: number, random: () => number): number {
  const dip = step >= 33 && step <= 37 ? (step - 32) * 0.03 : 0
  return Math.min(0.95, 0.31 + step * 0.0066) - dip + (random() - 0.5) * 0.02
}

function rowOf(scene: {
  step: number
  start: number
  back: number | null
  rejected: boolean
  pending: boolean
  trained: number
  head: number
  reward: number
}): Release {
  const { step, back, rejected, pending } = scene
  const saved = step % 4 === 0
  const id = (of: number): string => `rel-${((of * 2654435761) % 0xffffffff).toString(16)}`
  return {
    step,
    commitStep: step,
    baseStep: step === 0 ? null : (back ?? scene.head),
    releaseId: id(step),
    parentReleaseId: step === 0 ? null : id(step - 1),
    contentId: `ck-${((back ?? step) * 40503 + 9973).toString(16)}`,
    contentKind: saved || back !== null ? 'saved_artifact' : 'live_weights',
    operation: step === 0 ? 'creation' : back === null ? 'training' : 'rollback',
    result: rejected ? 'rejected' : pending ? 'pending' : 'published',
    served: false,
    restorable: saved || back !== null,
    notRestorable: saved
      ? null
      : { en: 'live weights, never saved', zh: '仅在内存中的权重，从未保存' },
    recordedAt: step === 0 ? null : scene.start + step * MINUTES_EACH * 60_000,
    rollbackTarget: back === null ? null : id(back),
    rollbackTargetStep: back,
    leftBehind: false,
    attempt: step >= 38 ? 2 : 1,
    metrics: {
      'rollout/rewards': scene.reward,
      'train/entropy_loss': 0.62 - step * 0.004,
      'train/grad_norm': 0.3 + Math.sin(step) * 0.02,
      'train/pg_clipfrac': 0.013,
      'train/ppo_kl': 4.1e-4,
      'rollout/response_lengths': 742 + step * 7,
      'rollout/truncated': 0.055,
      'sao/policy_lag_max': 3,
      'sao/policy_lag_mean': 1.2,
      'train/step': scene.trained - 1
    },
    consumed: step === 0 ? null : back === null ? 128 : 0,
    took: step === 0 ? null : MINUTES_EACH * 60_000,
    checkpoint: saved ? `/data/checkpoints/hf/${step}` : null
  }
}
