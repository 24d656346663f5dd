import type { LogSource } from '@contract/logs'
import { engine } from '../../api/client'
import { saveFile } from '../../charts'

/** Lines asked for at once: as many as the engine gives. */
const PAGE = 2000

/**
 * Saves all lines of a source as text, as they are shown: redacted, without colours and bars.
 * @param onProgress told the share that has been read, 0 to 1.
 * @throws what the engine says when a part cannot be read.
 */
export async function saveLog(
  run: string,
  source: LogSource,
  onProgress: (share: number) => void
): Promise<void> {
  const parts: Blob[] = []
  for (let from = 0; from < source.lines; from += PAGE) {
    const count = Math.min(PAGE, source.lines - from)
    const { lines } = await engine.logs.read({ run, source: source.id, from, count })
    // Each part is handed to the browser, which may keep it on disk: a log can be larger than memory.
    parts.push(new Blob(lines.map(({ text }) => `${text}\n`)))
    onProgress((from + count) / source.lines)
  }
  saveFile(new Blob(parts, { type: 'text/plain' }), `${source.service}-${source.attempt}.log`)
}
