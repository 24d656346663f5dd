import type { FileHandle } from 'node:fs/promises'

/**
 * Writes all of `bytes` at byte `position`. One write may take only a part and call that a success, as it does where the
 * disk fills up in its middle.
 * @throws what the system says of the rest, `ENOSPC` among it; a part may be in the file then.
 */
export async function writeAt(
  handle: FileHandle,
  bytes: Uint8Array,
  position: number
): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done)
    done += bytesWritten
  }
}
