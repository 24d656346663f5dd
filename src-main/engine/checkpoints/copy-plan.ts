import type { FileAccess } from '../targets'
import { exportRollout, iterationRollout, layout } from './layout'

/** One step of copying a checkpoint root; paths are relative to it. */
export type CopyStep =
  | { kind: 'folder'; path: string }
  /** The same bytes under a second name: no space, and safe because nothing writes into a finished checkpoint. */
  | { kind: 'link'; path: string; bytes: number }
  | { kind: 'copy'; path: string; bytes: number }
  /** A control file that says something else in the copy. */
  | { kind: 'write'; path: string; text: string }

export interface CopyPlan {
  root: string
  steps: CopyStep[]
  /** Bytes the copy really takes. */
  copied: number
  linked: number
  /** What is left out: symbolic links, special files, and what was not asked for. */
  skipped: string[]
}

export function emptyPlan(root: string): CopyPlan {
  return { root, steps: [], copied: 0, linked: 0, skipped: [] }
}

/** True for a file of a finished checkpoint: inside `iter_*`, `hf/<n>` or `megatron-critic/iter_*`. */
export function mayBeLinked(path: string): boolean {
  const [folder, name, ...rest] = path.split('/')
  if (folder === undefined || name === undefined || rest.length === 0) return false
  if (folder === layout.exports) return exportRollout(name) !== null
  return (folder === layout.trainer || folder === layout.critic) && iterationRollout(name) !== null
}

/** Adds what lies below a path of the root and is wanted. */
export async function walk(
  files: FileAccess,
  root: string,
  path: string,
  plan: CopyPlan,
  wanted: (path: string) => boolean = () => true
): Promise<void> {
  for (const entry of (await files.list(path === '' ? root : `${root}/${path}`)) ?? []) {
    const inner = path === '' ? entry.name : `${path}/${entry.name}`
    if (!wanted(inner)) {
      plan.skipped.push(inner)
      continue
    }
    switch (entry.kind) {
      case 'directory':
        plan.steps.push({ kind: 'folder', path: inner })
        await walk(files, root, inner, plan, wanted)
        break
      case 'file':
        if (mayBeLinked(inner)) {
          plan.steps.push({ kind: 'link', path: inner, bytes: entry.size })
          plan.linked += entry.size
        } else {
          plan.steps.push({ kind: 'copy', path: inner, bytes: entry.size })
          plan.copied += entry.size
        }
        break
      case 'symlink':
      case 'other':
        plan.skipped.push(inner)
    }
  }
}

/** How to copy one export of a root, below the same `hf/<name>`: its files are finished and may be linked. */
export async function planExportCopy(
  files: FileAccess,
  root: string,
  name: string
): Promise<CopyPlan> {
  const plan = emptyPlan(root)
  const path = `${layout.exports}/${name}`
  plan.steps.push({ kind: 'folder', path: layout.exports }, { kind: 'folder', path })
  await walk(files, root, path, plan)
  return plan
}

/**
 * How to copy a checkpoint root so that neither copy can change the other: only files of finished checkpoints share their
 * bytes; every control file is copied, because Megatron rewrites its tracker in place. Take it while the job marker says
 * COMPLETE and no job is out.
 */
export async function planRootCopy(files: FileAccess, root: string): Promise<CopyPlan> {
  const plan = emptyPlan(root)
  await walk(files, root, '', plan)
  return plan
}
