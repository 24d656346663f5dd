import { numbersFrom } from './sample-curves.mjs'

const STEPS_EACH = 16
const MINUTES_EACH = 3.85

/**
 * A chain of releases of 16 optimizer steps each: one rejected, one rollback from r37 to r32, the newest pending.
 * With more than 60 rows further rollbacks are strewn in. `start` is in Unix milliseconds.
 */
export function sampleChain(count, start) {
  const random = numbersFrom(41)
  const rows = []
  let trained = 0
  let head = 0
  for (let step = 0; step < count; step++) {
    const strewn = step > 60 && random() < 0.01 ? Math.max(0, step - 7) : null
    const back = step === 38 ? 32 : strewn
    const rejected = step === 22
    const pending = step === count - 1 && count > 2
    if (back === null && step > 0) trained += STEPS_EACH
    if (back !== null) for (const row of rows.slice(back + 1)) row.leftBehind = true
    const reward = rewardAt(step, random)
    rows.push(rowOf({ step, start, back, rejected, pending, trained, head, reward }))
    if (!rejected && !pending) head = step
  }
  rows[head].served = true
  return {
    run: 'r-0412',
    scenario: 'deepmath',
    scenarios: ['deepmath'],
    releases: rows.reverse(),
    from: 'service',
    readAt: Date.now()
  }
}

function rewardAt(step, random) {
  const dip = step >= 33 && step <= 37 ? (step - 32) * 0.03 : 0
  return Math.min(0.95, 0.31 + step * 0.0066) - dip + (random() - 0.5) * 0.02
}

const idOf = (step) => `rel-${((step * 2654435761) % 0xffffffff).toString(16)}`

function rowOf({ step, start, back, rejected, pending, trained, head, reward }) {
  const saved = step % 4 === 0
  const first = step === 0
  return {
    step,
    commitStep: step,
    baseStep: first ? null : (back ?? head),
    releaseId: idOf(step),
    parentReleaseId: first ? null : idOf(step - 1),
    contentId: `ck-${((back ?? step) * 40503 + 9973).toString(16)}`,
    contentKind: saved || back !== null ? 'saved_artifact' : 'live_weights',
    operation: first ? 'creation' : back === null ? 'training' : 'rollback',
    result: rejected ? 'rejected' : pending ? 'pending' : 'published',
    served: false,
    restorable: saved || back !== null,
    notRestorable: saved
      ? null
      : { en: 'live weights, never saved', zh: '仅在内存中的权重，从未保存' },
    recordedAt: first ? null : start + step * MINUTES_EACH * 60_000,
    rollbackTarget: back === null ? null : idOf(back),
    rollbackTargetStep: back,
    leftBehind: false,
    attempt: step >= 38 ? 2 : 1,
    metrics: {
      'rollout/rewards': reward,
      'train/entropy_loss': 0.62 - step * 0.004,
      'train/grad_norm': 0.3 + Math.sin(step) * 0.02,
      'train/pg_clipfrac': 0.013,
      'train/ppo_kl': 4.1e-4,
      'rollout/response_lengths': 742 + step * 7,
      'rollout/truncated': 0.055,
      'sao/policy_lag_max': 3,
      'sao/policy_lag_mean': 1.2,
      'train/step': trained - 1
    },
    consumed: first ? null : back === null ? 128 : 0,
    took: first ? null : MINUTES_EACH * 60_000,
    checkpoint: saved ? `/data/checkpoints/hf/${step}` : null
  }
}
