import { scanUnits } from '../../logs'
import { freshParserState, LineParser } from '../line-parser'
import { LineShapes } from '../line-shapes'
import type { ChunkParser, Sink } from './parser'
import { TrainerLines } from './trainer-lines'

/** A stack's log as a file on its own, or what the HF Trainer printed. Lines before the first stamp have the time 0. */
export class LogParser implements ChunkParser {
  private readonly parser = new LineParser(freshParserState())
  private readonly shapes = new LineShapes(this.parser.state)
  private readonly trainer = new TrainerLines()
  private readonly scan = { skipping: false }

  push(chunk: Buffer, sink: Sink): number {
    return scanUnits(chunk, this.scan, (bytes, from, to) => {
      this.unit(bytes, from, to, sink)
    })
  }

  end(rest: Buffer, sink: Sink): void {
    if (!this.scan.skipping) this.unit(rest, 0, rest.length, sink)
    for (const row of this.parser.end()) sink.row(row)
  }

  private unit(bytes: Buffer, from: number, to: number, sink: Sink): void {
    if (to === from) return
    // Before shapes: a line that the stack's parser takes for text would be passed over with all that are like it.
    const told = TrainerLines.mayBe(bytes, from)
      ? this.trainer.read(bytes.toString('utf8', from, to), this.parser.state.last ?? 0)
      : null
    if (told !== null) {
      sink.row(told)
      return
    }
    const known = this.shapes.read(bytes, from, to, 0)
    if (known !== null) {
      if (known.kind === 'row') sink.row(known.row)
      return
    }
    const meaning = this.parser.read(bytes.toString('utf8', from, to), 0)
    this.shapes.learn(bytes, from, to, meaning, this.parser.trace)
    if (meaning.kind === 'row') sink.row(meaning.row)
    for (const row of this.parser.also) sink.row(row)
  }
}
