/** Longest unit that is handed on whole; of a longer one only the first so many bytes. */
export const UNIT_CAP = 256 * 1024

const LF = 10
const CR = 13

/**
 * Where a scan stands between two chunks.
 * `skipping`: inside a unit longer than the cap whose head was handed on already.
 */
export interface ScanState {
  skipping: boolean
}

/** `text` without its terminator; `transient` when a lone carriage return ended it (a bar that is drawn over). */
export type OnUnit = (
  bytes: Buffer,
  from: number,
  to: number,
  transient: boolean,
  cut: boolean
) => void

/**
 * Cuts a chunk of log bytes into units: lines, and what is between carriage returns inside a line.
 * A carriage return just before a line feed belongs to the line end. The units do not depend on where chunks are cut,
 * and since whole units are handed on, a character torn by a chunk border cannot occur.
 * @returns how many bytes are done with; the caller gives the rest again, with more behind it.
 */
export function scanUnits(chunk: Buffer, state: ScanState, onUnit: OnUnit): number {
  let position = 0
  if (state.skipping) {
    const end = endOfSkipped(chunk)
    if (end === null) return chunk.at(-1) === CR ? chunk.length - 1 : chunk.length
    state.skipping = false
    position = end
  }
  let nextCr = chunk.indexOf(CR, position)
  for (;;) {
    const lf = chunk.indexOf(LF, position)
    const limit = lf === -1 ? chunk.length : lf
    while (nextCr !== -1 && nextCr < limit - 1) {
      emit(chunk, position, nextCr, true, onUnit)
      position = nextCr + 1
      nextCr = chunk.indexOf(CR, position)
    }
    if (lf === -1) break
    const crlf = nextCr !== -1 && nextCr === lf - 1 && nextCr >= position
    emit(chunk, position, crlf ? lf - 1 : lf, false, onUnit)
    position = lf + 1
    if (nextCr !== -1 && nextCr < position) nextCr = chunk.indexOf(CR, position)
  }
  const pending = chunk.length - position - (chunk.at(-1) === CR ? 1 : 0)
  if (pending <= UNIT_CAP) return position
  onUnit(chunk, position, position + UNIT_CAP, false, true)
  state.skipping = true
  return chunk.length - (chunk.at(-1) === CR ? 1 : 0)
}

function emit(chunk: Buffer, from: number, to: number, transient: boolean, onUnit: OnUnit): void {
  if (to - from > UNIT_CAP) onUnit(chunk, from, from + UNIT_CAP, false, true)
  else onUnit(chunk, from, to, transient, false)
}

/** Offset just after the terminator of the skipped unit; null when it is not in this chunk, or not yet certain. */
function endOfSkipped(chunk: Buffer): number | null {
  const lf = chunk.indexOf(LF)
  const cr = chunk.indexOf(CR)
  if (cr !== -1 && (lf === -1 || cr < lf)) {
    if (cr === chunk.length - 1) return null
    return cr + 1 === lf ? lf + 1 : cr + 1
  }
  return lf === -1 ? null : lf + 1
}
