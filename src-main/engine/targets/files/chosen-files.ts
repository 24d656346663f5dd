import type { FileAccess } from '../target'

/**
 * File access that is decided on first use, because deciding needs to ask somebody. A decision that failed is asked
 * again next time.
 */
export function chosenFiles(choose: () => Promise<FileAccess>): FileAccess {
  let chosen: Promise<FileAccess> | null = null
  const files = (): Promise<FileAccess> => {
    if (chosen === null) {
      chosen = choose()
      chosen.catch(() => {
        chosen = null
      })
    }
    return chosen
  }
  return {
    stat: async (path) => (await files()).stat(path),
    statfs: async (path) => (await files()).statfs(path),
    list: async (path) => (await files()).list(path),
    read: async (path, offset, length, into) => (await files()).read(path, offset, length, into),
    digest: async (path) => (await files()).digest(path),
    follow(path, changed) {
      let stopped = false
      let stop = (): void => {}
      files().then(
        (access) => {
          if (!stopped) stop = access.follow(path, changed)
        },
        // Whoever reads is told why; following has nobody to tell, and the caller also looks from time to time.
        () => {}
      )
      return () => {
        stopped = true
        stop()
      }
    }
  }
}
