import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inflate } from 'node:zlib'
import type { FileAccess } from '../targets'
import { gitBatch } from './git-tree'

const unpack = promisify(inflate)

/** A repository of harnesses is a few megabytes; packs that are larger are not fetched from another machine. */
const MOST_PACKED = 64 * 1024 * 1024
const MOST_LOOSE = 16 * 1024 * 1024
const PIECE = 4 * 1024 * 1024

/** Objects without their headers, by id: `too-large` is not read, null is not there or not in reach. */
export interface GitObjects {
  read(id: string): Promise<{ kind: string; bytes: Buffer } | 'too-large' | null>
  dispose(): Promise<void>
}

async function fileBytes(files: FileAccess, path: string, size: number): Promise<Buffer | null> {
  const parts: Uint8Array[] = []
  for (let at = 0; at < size; at += PIECE) {
    const part = await files.read(path, at, Math.min(PIECE, size - at))
    if (part === null || part.length === 0) return null
    parts.push(part)
  }
  return Buffer.concat(parts)
}

/** A loose object: deflated, `<kind> <size>`, a NUL, its content. */
export async function parseLoose(
  bytes: Uint8Array
): Promise<{ kind: string; bytes: Buffer } | null> {
  let whole: Buffer
  try {
    whole = await unpack(bytes, { maxOutputLength: MOST_LOOSE })
  } catch {
    // Damaged, or larger than any text of a harness: the same as if it were not there.
    return null
  }
  const end = whole.indexOf(0)
  const [kind, size] = whole.toString('latin1', 0, Math.max(0, end)).split(' ')
  const content = whole.subarray(end + 1)
  return kind === undefined || Number(size) !== content.length ? null : { kind, bytes: content }
}

/**
 * Objects of a bare repository on another machine, read through its file access: loose ones each by itself, packed ones
 * from a copy of the packs in a temporary folder, read with the `git` command of this machine.
 */
export function remoteObjects(files: FileAccess, folder: string, git = 'git'): GitObjects {
  let packed: Promise<string | null> | null = null
  const mirror = async (): Promise<string | null> => {
    const packs = `${folder}/objects/pack`
    const entries = ((await files.list(packs)) ?? []).filter(({ name }) =>
      /^pack-[0-9a-f]+\.(?:pack|idx)$/.test(name)
    )
    const size = entries.reduce((sum, entry) => sum + entry.size, 0)
    if (entries.length === 0 || size > MOST_PACKED) return null
    const copy = await mkdtemp(join(tmpdir(), 'slipway-artifacts-'))
    await mkdir(join(copy, 'objects', 'pack'), { recursive: true })
    await mkdir(join(copy, 'refs'))
    await writeFile(join(copy, 'HEAD'), 'ref: refs/reef/head\n')
    for (const entry of entries) {
      const bytes = await fileBytes(files, `${packs}/${entry.name}`, entry.size)
      if (bytes !== null) await writeFile(join(copy, 'objects', 'pack', entry.name), bytes)
    }
    return copy
  }
  const fromPacks = async (id: string): Promise<{ kind: string; bytes: Buffer } | null> => {
    const copy = await (packed ??= mirror())
    // Without git here they are out of reach, as they are from this machine's own repositories.
    const read = copy === null ? null : await gitBatch(git, copy, [id]).catch(() => null)
    return read?.get(id) ?? null
  }
  return {
    read: async (id) => {
      const path = `${folder}/objects/${id.slice(0, 2)}/${id.slice(2)}`
      const found = await files.stat(path)
      if (found === null) return fromPacks(id)
      if (found.size > MOST_LOOSE) return 'too-large'
      const bytes = await fileBytes(files, path, found.size)
      return bytes === null ? null : parseLoose(bytes)
    },
    dispose: async () => {
      const copy = await packed
      if (copy !== null) await rm(copy, { recursive: true, force: true })
    }
  }
}
