/** One entry of a container's log, as the engine stored it. */
export interface OutputEntry {
  stream: 'stdout' | 'stderr'
  /** RFC 3339 with nanoseconds, as the engine stamped it. Empty when asked for without timestamps. */
  stamp: string
  /** With its newline, or without one when the engine cut a long line into several entries. */
  bytes: Uint8Array
}

const HEADER = 8
const STDERR = 2
const SPACE = 0x20
/** `2026-11-30T03:04:05.000000000Z` and longer forms with an offset. */
const LONGEST_STAMP = 40

/**
 * Takes apart the multiplexed stream of `/containers/…/logs?timestamps=1` and `/exec/…/start` (Docker Engine API,
 * "attach", stream format): a header of 8 bytes (stream, 0, 0, 0, length big-endian), then that many bytes.
 * Feed it pieces cut anywhere.
 */
export class FrameReader {
  private pieces: Uint8Array[] = []
  private held = 0
  private needed = HEADER

  constructor(private readonly stamped: boolean) {}

  /** Entries that `piece` completes. */
  push(piece: Uint8Array): OutputEntry[] {
    this.pieces.push(piece)
    this.held += piece.length
    if (this.held < this.needed) return []
    const bytes = this.pieces.length === 1 ? piece : Buffer.concat(this.pieces, this.held)
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const entries: OutputEntry[] = []
    let at = 0
    this.needed = HEADER
    while (bytes.length - at >= HEADER) {
      const end = at + HEADER + view.getUint32(at + 4)
      if (end > bytes.length) {
        this.needed = end - at
        break
      }
      entries.push(
        this.entry(bytes[at] === STDERR ? 'stderr' : 'stdout', bytes.subarray(at + HEADER, end))
      )
      at = end
    }
    this.pieces = at === bytes.length ? [] : [bytes.subarray(at)]
    this.held = bytes.length - at
    return entries
  }

  private entry(stream: OutputEntry['stream'], payload: Uint8Array): OutputEntry {
    const space = this.stamped ? payload.subarray(0, LONGEST_STAMP).indexOf(SPACE) : -1
    if (space === -1) return { stream, stamp: '', bytes: payload }
    return {
      stream,
      stamp: Buffer.from(payload.buffer, payload.byteOffset, space).toString('latin1'),
      bytes: payload.subarray(space + 1)
    }
  }
}
