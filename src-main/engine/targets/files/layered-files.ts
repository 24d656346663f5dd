import { FailureError } from '../../lib'
import type { FileAccess } from '../target'

function isDenied(thrown: unknown): boolean {
  return (
    thrown instanceof FailureError &&
    (thrown.failure.code === 'file-denied' ||
      /EACCES|EPERM|permission denied/i.test(thrown.failure.detail ?? ''))
  )
}

/**
 * Asks `first`; what it may not read (files a container wrote as root) is asked of `second`. When that cannot look
 * either, the first refusal is the one that counts.
 */
export function layeredFiles(first: FileAccess, second: FileAccess): FileAccess {
  async function ask<T>(question: (files: FileAccess) => Promise<T>): Promise<T> {
    try {
      return await question(first)
    } catch (refusal) {
      if (!isDenied(refusal)) throw refusal
      try {
        return await question(second)
      } catch (thrown) {
        if (thrown instanceof FailureError) throw refusal
        throw thrown
      }
    }
  }
  return {
    stat: (path) => ask((files) => files.stat(path)),
    statfs: (path) => ask((files) => files.statfs(path)),
    list: (path) => ask((files) => files.list(path)),
    read: (path, offset, length, into) => ask((files) => files.read(path, offset, length, into)),
    digest: (path) => ask((files) => files.digest(path)),
    follow(path, changed) {
      const stops = [first.follow(path, changed)]
      let stopped = false
      // Looked at by the second only where the first sees nothing: it is the dearer one.
      void first.stat(path).catch((refusal: unknown) => {
        if (isDenied(refusal) && !stopped) stops.push(second.follow(path, changed))
      })
      return () => {
        stopped = true
        for (const stop of stops) stop()
      }
    }
  }
}
