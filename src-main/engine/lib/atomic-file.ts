import { randomUUID } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/**
 * Replaces `file` so that a reader, or a crash at any moment, sees the old bytes or the new ones and nothing between:
 * temp file in the same folder, flushed, renamed over.
 */
export async function writeFileAtomic(
  file: string,
  data: string | Uint8Array,
  mode = 0o600
): Promise<void> {
  const temp = join(dirname(file), `.${randomUUID()}.tmp`)
  try {
    const handle = await open(temp, 'wx', mode)
    try {
      await handle.writeFile(data)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temp, file)
  } catch (cause) {
    // On a full disk every try would leave one more.
    await rm(temp, { force: true })
    throw cause
  }
}
