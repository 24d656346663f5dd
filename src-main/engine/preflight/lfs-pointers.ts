import { posix } from 'node:path'
import type { FileAccess } from '../targets'
import { pass, skip, type CheckSpec } from './check-spec'
import { filesOf, type LaunchContext } from './launch-context'

const MOST_NAMED = 5
const POINTER = 'version https://git-lfs.github.com/spec/'
/** A pointer file is some 130 bytes, never more than this. Source: Git LFS `docs/spec.md`. */
const LARGEST_POINTER = 1024
const MOST_LOOKED_AT = 2000
const MOST_DEEP = 6
const passedOver = new Set(['.git', 'node_modules', '__pycache__', '.venv'])

/** Git LFS pointers below a folder, as far as a short look goes. Paths are relative to it. */
export async function lfsPointers(
  files: FileAccess,
  root: string,
  signal: AbortSignal
): Promise<{ pointers: string[]; whole: boolean }> {
  const pointers: string[] = []
  let looked = 0
  const look = async (folder: string, depth: number): Promise<boolean> => {
    if (depth > MOST_DEEP) return false
    let whole = true
    for (const entry of (await files.list(folder)) ?? []) {
      if (signal.aborted || looked >= MOST_LOOKED_AT) return false
      looked += 1
      const path = posix.join(folder, entry.name)
      if (entry.kind === 'directory' && !passedOver.has(entry.name))
        whole = (await look(path, depth + 1)) && whole
      if (entry.kind !== 'file' || entry.size > LARGEST_POINTER || entry.size < POINTER.length)
        continue
      const start = await files.read(path, 0, POINTER.length)
      if (start !== null && new TextDecoder().decode(start) === POINTER)
        pointers.push(posix.relative(root, path))
    }
    return whole
  }
  const whole = await look(root, 0)
  return { pointers, whole }
}

/** The checkout that the stack reads its own code and data from, on the target's machine. */
function checkoutOf({ plan }: LaunchContext): string | null {
  const mounted = plan.mounts.find(({ container }) => container === '/workspace/Reef')
  return mounted?.host ?? plan.nexrl?.checkout ?? null
}

/** A clone made without Git LFS has short texts where data should be. */
export const pointerFiles: CheckSpec<LaunchContext> = {
  id: 'state/lfs-pointers',
  group: 'state',
  title: { en: 'Git LFS contents of the checkout', zh: '检出目录的 Git LFS 内容' },
  deadline: 12_000,
  async run(context, signal) {
    const root = checkoutOf(context)
    if (root === null || context.plan.practice)
      return skip({ en: 'No checkout is used.', zh: '未使用检出目录。' })
    if ((await filesOf(context).stat(root)) === null)
      return skip({ en: `${root} is not there.`, zh: `${root} 不存在。` })
    const { pointers, whole } = await lfsPointers(filesOf(context), root, signal)
    if (pointers.length === 0)
      return pass(
        whole
          ? { en: `${root} has no pointer files.`, zh: `${root} 中没有指针文件。` }
          : {
              en: `No pointer among the first ${MOST_LOOKED_AT} entries of ${root}.`,
              zh: `${root} 的前 ${MOST_LOOKED_AT} 项中没有指针文件。`
            }
      )
    const named = pointers.slice(0, MOST_NAMED).join(', ')
    const more = Math.max(0, pointers.length - MOST_NAMED)
    return {
      verdict: 'fail',
      evidence: {
        en: `Pointers instead of contents: ${named}${more > 0 ? ` and ${more} more` : ''}`,
        zh: `只有指针没有内容：${named}${more > 0 ? ` 等，另有 ${more} 个` : ''}`
      },
      why: {
        en: 'The clone was made without Git LFS; whoever reads these files gets three lines of text.',
        zh: '克隆时没有启用 Git LFS；读取这些文件只会得到三行文本。'
      },
      command: `cd '${root}' && git lfs install && git lfs pull`,
      judgement: true
    }
  }
}
