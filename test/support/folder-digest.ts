import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Digest of every file below a folder, names included. */
export async function folderDigest(folder: string): Promise<string> {
  const hash = createHash('sha256')
  const walk = async (path: string): Promise<void> => {
    const entries = await readdir(join(folder, path), { withFileTypes: true })
    for (const entry of entries.sort((a, b) => a.name.localeCompare(b.name))) {
      const inner = join(path, entry.name)
      if (entry.isDirectory()) await walk(inner)
      else if (entry.isFile()) hash.update(inner).update(await readFile(join(folder, inner)))
    }
  }
  await walk('')
  return hash.digest('hex')
}
