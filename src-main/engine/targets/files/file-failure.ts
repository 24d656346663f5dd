import type { Failure } from '../../../contract/failure'
import { errorCode, fail, messageOf } from '../../lib'

/** True when the path, or a folder on the way to it, is not there. */
export function isMissing(thrown: unknown): boolean {
  const code = errorCode(thrown)
  return code === 'ENOENT' || code === 'ENOTDIR'
}

const WORDS: Readonly<Record<string, { en: string; zh: string }>> = {
  EACCES: { en: 'you may not read it', zh: '没有读取权限' },
  EPERM: { en: 'the system does not allow it', zh: '系统不允许' },
  EISDIR: { en: 'it is a folder, not a file', zh: '它是文件夹，不是文件' },
  EIO: { en: 'the disk reported an error', zh: '磁盘报告读写错误' },
  ESTALE: { en: 'the network file system lost it', zh: '网络文件系统已丢失该文件' },
  EMFILE: { en: 'too many files are open', zh: '打开的文件过多' },
  ELOOP: { en: 'its symbolic links go round in a circle', zh: '符号链接形成循环' }
}

/** The Failure for a path that could not be read. Pure. */
export function fileFailure(path: string, thrown: unknown): Failure {
  const code = errorCode(thrown) ?? 'unknown'
  const words = WORDS[code] ?? { en: 'reading failed', zh: '读取失败' }
  const denied = code === 'EACCES' || code === 'EPERM'
  return {
    code: denied ? 'file-denied' : 'file-unreadable',
    what: { en: `Cannot read ${path}: ${words.en}.`, zh: `无法读取 ${path}:${words.zh}。` },
    where: path,
    detail: messageOf(thrown),
    ...(denied
      ? {
          remedy: {
            en: 'Give your user read access to it, or open it through the container that wrote it.',
            zh: '请为当前用户开放读取权限，或通过写入它的容器读取。'
          }
        }
      : {})
  }
}

/** Runs a read; `null` when there is nothing at the path, FailureError for everything else. */
export async function readOrNull<T>(path: string, run: () => Promise<T>): Promise<T | null> {
  try {
    return await run()
  } catch (thrown) {
    if (isMissing(thrown)) return null
    return fail(fileFailure(path, thrown), thrown)
  }
}
