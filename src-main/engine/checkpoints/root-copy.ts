import { copyFile, link, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode, fail } from '../lib'
import type { CopyPlan } from './copy-plan'

/**
 * Carries out a copy plan on this machine. The target must not exist yet; the old root is only read.
 * A file on another filesystem is copied where it would have been linked.
 */
export async function copyRoot(plan: CopyPlan, target: string, signal: AbortSignal): Promise<void> {
  await mkdir(target, { recursive: false, mode: 0o700 }).catch((cause: unknown) =>
    fail(
      {
        code: 'copy-target',
        what: {
          en: 'The folder for the copy cannot be made, or is there already.',
          zh: '无法创建副本目录，或该目录已存在。'
        },
        where: target,
        detail: errorCode(cause) ?? ''
      },
      cause
    )
  )
  for (const step of plan.steps) {
    signal.throwIfAborted()
    const [from, to] = [join(plan.root, step.path), join(target, step.path)]
    switch (step.kind) {
      case 'folder':
        await mkdir(to)
        break
      case 'link':
        await link(from, to).catch(async (cause: unknown) => {
          if (errorCode(cause) !== 'EXDEV' && errorCode(cause) !== 'EPERM') throw cause
          await copyFile(from, to)
        })
        break
      case 'copy':
        await copyFile(from, to)
        break
      case 'write':
        await writeFile(to, step.text, { flag: 'wx' })
    }
  }
}
