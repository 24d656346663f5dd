import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Checkpoint, CheckpointCatalogue, CheckpointPart } from '../../contract/checkpoints'
import type { Text } from '../../contract/text'
import { errorCode, fail } from '../lib'
import type { FileAccess } from '../targets'
import { measure } from './catalogue'
import { type CopyPlan, planRootCopy } from './copy-plan'
import { exportRollout, iterationRollout, layout } from './layout'
import { copyRoot } from './root-copy'

/** Why a checkpoint cannot be kept now; null when it can. What is still being written is not whole in any copy. */
export function unsafeToKeep(
  checkpoint: Pick<Checkpoint, 'rolloutId' | 'fate' | 'trainerWhole'>,
  marker: CheckpointCatalogue['marker']
): Text | null {
  if (checkpoint.fate === 'being-deleted')
    return { en: 'The stack is deleting it.', zh: '运行栈正在删除它。' }
  const written = marker === null || ['COMPLETE', 'HEAD_COMMITTED'].includes(marker.status)
  if (!written && marker.rolloutId === checkpoint.rolloutId)
    return { en: 'The stack is still writing it.', zh: '运行栈仍在写入它。' }
  if (checkpoint.trainerWhole === false)
    return { en: 'Its save was cut off, or still goes on.', zh: '它的保存被中断，或仍在进行。' }
  return null
}

/** Whether a path below a checkpoint root belongs to what one rollout saved; parents of such a path do, too. */
function belongs(path: string, rolloutId: number): boolean {
  const [folder, name] = path.split('/')
  switch (folder) {
    case layout.exports:
      return name === undefined || exportRollout(name) === rolloutId
    case layout.trainer:
    case layout.critic:
      return name === undefined || iterationRollout(name) === rolloutId
    default:
      return false
  }
}

/** Of a copy of a whole root, only what one rollout saved. */
function onlyRollout(plan: CopyPlan, rolloutId: number): CopyPlan {
  const steps = plan.steps.filter(
    (step) => belongs(step.path, rolloutId) && (step.kind === 'folder' || step.path.includes('/'))
  )
  const sum = (kind: 'copy' | 'link'): number =>
    steps.reduce((bytes, step) => bytes + (step.kind === kind ? step.bytes : 0), 0)
  return { root: plan.root, steps, copied: sum('copy'), linked: sum('link'), skipped: [] }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return false
    throw cause
  }
}

/**
 * Keeps what one rollout saved out of reach of the stack's own clean-up: its files under a second name below `kept`, on
 * the same disk without taking space (hard links), else copied. Whole or not at all; the checkpoint root is only read.
 * @param root On this machine.
 * @throws FailureError `checkpoint-not-here`
 */
export async function keepCheckpoint(
  files: FileAccess,
  root: string,
  rolloutId: number,
  kept: string,
  signal: AbortSignal
): Promise<{ path: string; linked: number; copied: number }> {
  const target = join(kept, String(rolloutId))
  const plan = onlyRollout(await planRootCopy(files, root), rolloutId)
  if (!plan.steps.some(({ kind }) => kind !== 'folder') || !(await exists(root)))
    return fail({
      code: 'checkpoint-not-here',
      what: {
        en: `Rollout ${rolloutId} has no files that this machine can reach.`,
        zh: `本机无法访问 rollout ${rolloutId} 的文件。`
      },
      where: root,
      remedy: { en: 'Export it to a folder instead.', zh: '请改为导出到文件夹。' }
    })
  if (await exists(target)) return { path: target, linked: 0, copied: 0 }
  const part = `${target}.part`
  await mkdir(kept, { recursive: true, mode: 0o700 })
  await rm(part, { recursive: true, force: true })
  try {
    await copyRoot(plan, part, signal)
    await rename(part, target)
  } catch (cause) {
    await rm(part, { recursive: true, force: true })
    throw cause
  }
  return { path: target, linked: plan.linked, copied: plan.copied }
}

/** Lets a kept checkpoint go: removes our own names of its files and nothing else. */
export async function letGoCheckpoint(rolloutId: number, kept: string): Promise<void> {
  await rm(join(kept, String(rolloutId)), { recursive: true, force: true })
}

/** Kept checkpoints by rollout. */
export async function listKept(
  files: FileAccess,
  kept: string
): Promise<Map<number, CheckpointPart>> {
  const found = new Map<number, CheckpointPart>()
  for (const { name, kind } of (await files.list(kept)) ?? []) {
    const rolloutId = exportRollout(name)
    if (kind !== 'directory' || rolloutId === null) continue
    const part = await measure(files, join(kept, name))
    if (part !== null) found.set(rolloutId, part)
  }
  return found
}
