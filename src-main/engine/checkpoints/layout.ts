/**
 * Where things lie under a checkpoint root. Public source: `reef_adapters/training_job/storage.py`; names of the trainer's
 * folders are Megatron's.
 */
export const layout = {
  exports: 'hf',
  trainer: 'megatron',
  critic: 'megatron-critic',
  tracker: 'latest_checkpointed_iteration.txt',
  marker: 'hf/.reef-latest-job.json',
  records: '.reef-retention/records'
} as const

/** Control files that belong beside the checkpoints. */
const controls: Readonly<Record<string, readonly string[]>> = {
  [layout.exports]: ['.reef-latest-job.json', 'reef_scenarios.json'],
  [layout.trainer]: [layout.tracker, 'reef_adapter_slots', 'rollout'],
  [layout.critic]: [layout.tracker, 'rollout']
}

/** Rollout of an export folder: its name is the number. */
export function exportRollout(name: string): number | null {
  return /^\d{1,15}$/.test(name) ? Number(name) : null
}

/** Rollout of a trainer folder: `iter_0000019`. */
export function iterationRollout(name: string): number | null {
  const found = /^iter_(\d{1,15})$/.exec(name)
  return found?.[1] === undefined ? null : Number(found[1])
}

/** True for what the stack itself puts there; anything else blocks its next start. */
export function isExpected(folder: string, name: string): boolean {
  const numbered =
    folder === layout.exports ? exportRollout(name) !== null : iterationRollout(name) !== null
  return (
    numbered ||
    (controls[folder] ?? []).includes(name) ||
    /^\..+\.tmp$/.test(name) ||
    name.startsWith('.reef-delete-')
  )
}
