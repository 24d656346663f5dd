import { scanUnits } from '../../logs'
import { freshParserState, LineParser } from '../line-parser'
import type { ChunkParser, Sink } from './parser'

/** A stack's log as a file on its own. Lines before the first stamp have the time 0. */
export class LogParser implements ChunkParser {
  private readonly parser = new LineParser(freshParserState())
  private readonly scan = { skipping: false }

  push(chunk: Buffer, sink: Sink): number {
    return scanUnits(chunk, this.scan, (bytes, from, to) => {
      this.unit(bytes.toString('utf8', from, to), sink)
    })
  }

  end(rest: Buffer, sink: Sink): void {
    if (!this.scan.skipping) this.unit(rest.toString('utf8'), sink)
  }

  private unit(text: string, sink: Sink): void {
    if (text === '') return
    const meaning = this.parser.read(text, 0)
    if (meaning.kind === 'row') sink.row(meaning.row)
  }
}
