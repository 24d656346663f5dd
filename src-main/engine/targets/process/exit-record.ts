import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import type { Exit } from '../../../contract/run'
import { isMissing } from '../files/file-failure'

const ExitRecord = z.object({
  code: z.number().int().optional(),
  signal: z.string().optional(),
  /** Unix milliseconds. */
  at: z.number()
})

/** How the command ended, as the wrapper wrote it; `unknown` for a record nobody can read. */
export function parseExitRecord(text: string): { exit: Exit; at: number | null } {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    // Written by rename, so a torn record is none of ours; that it ended is still certain.
    return { exit: { kind: 'unknown' }, at: null }
  }
  const parsed = ExitRecord.safeParse(json)
  if (!parsed.success) return { exit: { kind: 'unknown' }, at: null }
  const { code, signal, at } = parsed.data
  if (signal !== undefined) return { exit: { kind: 'signal', signal }, at }
  if (code !== undefined) return { exit: { kind: 'code', code }, at }
  return { exit: { kind: 'unknown' }, at }
}

/** The record of an ended command, or null while there is none. */
export async function readExitRecord(
  file: string
): Promise<{ exit: Exit; at: number | null } | null> {
  try {
    return parseExitRecord(await readFile(file, 'utf8'))
  } catch (thrown) {
    if (isMissing(thrown)) return null
    throw thrown
  }
}
