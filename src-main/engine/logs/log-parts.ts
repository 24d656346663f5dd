import type { FileFacts } from '../targets'
import { isPacked } from './packed-log'

/** Folder and name of a log. */
export function placeOf(path: string): { folder: string; name: string } {
  const cut = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'))
  return { folder: path.slice(0, cut), name: path.slice(cut + 1) }
}

/**
 * The rotated parts of a log among the files of its folder, the oldest first: `reef.log.2.gz`, `reef.log.1`, or
 * `reef.log-20260314`. While one is being packed it is there twice: then the one that is whole counts.
 */
export function rotatedParts(siblings: readonly FileFacts[], log: string): FileFacts[] {
  const parts = new Map<number, FileFacts>()
  for (const file of siblings) {
    const age = file.kind === 'file' ? ageOf(file.name, log) : null
    if (age === null) continue
    if (!parts.has(age) || !isPacked(file.name)) parts.set(age, file)
  }
  return [...parts].sort(([a], [b]) => b - a).map(([, file]) => file)
}

/** Greater for older parts; null for a file that is no part of the log. */
function ageOf(file: string, log: string): number | null {
  if (!file.startsWith(log)) return null
  const rest = file.slice(log.length)
  const number = /^\.(\d{1,4})(?:\.gz)?$/.exec(rest)?.[1]
  if (number !== undefined) return Number(number)
  const date = /^-(\d{8,14})(?:\.gz)?$/.exec(rest)?.[1]
  return date === undefined ? null : -Number(date)
}
