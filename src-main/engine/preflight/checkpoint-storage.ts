import { posix } from 'node:path'
import { z } from 'zod'
import { listCheckpoints, parseTracker } from '../checkpoints'
import type { FileAccess } from '../targets'

/** Bytes of a size as Reef's flags take it (`600GB`, `1.5 TiB`); null when it is none. A bare number counts as bytes. */
export function byteSize(text: string): number | null {
  const found = /^\s*(\d+(?:\.\d+)?)\s*(?:([kmgtp])(i?)b?|b)?\s*$/i.exec(text)
  if (found === null) return null
  const power = ' kmgtp'.indexOf((found[2] ?? ' ').toLowerCase())
  return Math.trunc(Number(found[1]) * (found[3] === 'i' ? 1024 : 1000) ** power)
}

/** Allocated bytes of a folder and everything below it, links followed; 0 when it is not there. */
export async function allocatedBytes(
  files: FileAccess,
  folder: string,
  signal: AbortSignal
): Promise<number> {
  let sum = 0
  for (const entry of (await files.list(folder)) ?? []) {
    if (signal.aborted) return sum
    const path = posix.join(folder, entry.name)
    // A snapshot of a hub's cache is a folder of links.
    const facts = entry.kind === 'symlink' ? await files.stat(path) : entry
    if (facts === null) continue
    sum += facts.kind === 'directory' ? await allocatedBytes(files, path, signal) : facts.allocated
  }
  return sum
}

const Bytes = z.looseObject({ bytes: z.number() })
const RETENTION = '.reef-retention'
const SMALL_FILE = 1 << 20

async function bytesIn(files: FileAccess, path: string): Promise<number> {
  const text = await files.read(path, 0, SMALL_FILE)
  if (text === null) return 0
  try {
    const parsed = Bytes.safeParse(JSON.parse(new TextDecoder().decode(text)))
    return parsed.success ? parsed.data.bytes : 0
  } catch {
    // A broken record is Reef's to refuse; it says nothing about sizes.
    return 0
  }
}

/** What Reef measured of its checkpoints so far: its estimate, and the largest record. 0 before the first. */
async function recordedBytes(files: FileAccess, root: string): Promise<number> {
  const folder = posix.join(root, RETENTION, 'records')
  const names = ((await files.list(folder)) ?? []).map((entry) => posix.join(folder, entry.name))
  const records = names.filter((name) => name.endsWith('.json'))
  const sizes = await Promise.all(
    [posix.join(root, RETENTION, 'estimate.json'), ...records].map((path) => bytesIn(files, path))
  )
  return Math.max(0, ...sizes)
}

/** Megatron checkpoint that the tracker of `load` names; the whole folder without a tracker, 0 on a first boot. */
async function sourceBytes(files: FileAccess, load: string, signal: AbortSignal): Promise<number> {
  const tracker = await files.read(
    posix.join(load, 'latest_checkpointed_iteration.txt'),
    0,
    SMALL_FILE
  )
  const at = parseTracker(tracker === null ? null : new TextDecoder().decode(tracker))
  const folder = at === null ? load : posix.join(load, `iter_${String(at).padStart(7, '0')}`)
  return allocatedBytes(files, folder, signal)
}

/** What lies under a checkpoint root now. Sizes are allocated bytes. */
export interface StoredCheckpoints {
  megatron: number
  recorded: number
  /** Stays whatever happens. */
  kept: number
  live: number
  count: number
  /** Bytes an hour that the newest checkpoints were written at; null with fewer than two. */
  pace: number | null
}

export async function storedCheckpoints(
  files: FileAccess,
  root: string,
  load: string | null,
  signal: AbortSignal
): Promise<StoredCheckpoints> {
  const [{ checkpoints, bytes }, recorded, megatron] = await Promise.all([
    listCheckpoints(files, root),
    recordedBytes(files, root),
    load === null ? 0 : sourceBytes(files, load, signal)
  ])
  const sized = checkpoints.map((one) => {
    const parts = [one.export, one.trainer, one.critic].flatMap((part) => part ?? [])
    return {
      fate: one.fate,
      bytes: parts.reduce((sum, part) => sum + part.bytes, 0),
      at: Math.max(0, ...parts.map((part) => part.modified))
    }
  })
  const kept = sized
    .filter(({ fate }) => fate === 'protected')
    .reduce((sum, one) => sum + one.bytes, 0)
  return {
    megatron,
    recorded,
    kept,
    live: bytes,
    count: checkpoints.length,
    pace: paceOf(sized)
  }
}

const HOUR_MS = 3_600_000

/** Bytes an hour between the oldest and the newest of some checkpoints; null when that is no pace. */
export function paceOf(list: readonly { bytes: number; at: number }[]): number | null {
  const [first, ...later] = [...list].sort((a, b) => a.at - b.at)
  const last = later.at(-1)
  if (first === undefined || last === undefined || last.at <= first.at) return null
  const written = later.reduce((sum, one) => sum + one.bytes, 0)
  return written === 0 ? null : (written * HOUR_MS) / (last.at - first.at)
}
