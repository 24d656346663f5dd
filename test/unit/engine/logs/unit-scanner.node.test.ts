import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { scanUnits, UNIT_CAP, type ScanState } from '../../../../src-main/engine/logs'

interface Seen {
  text: string
  transient: boolean
  cut: boolean
}

/** Feeds the bytes in pieces the way a tail does: what was not done with comes again. */
function scanInPieces(bytes: Buffer, cuts: readonly number[]): Seen[] {
  const state: ScanState = { skipping: false }
  const seen: Seen[] = []
  let done = 0
  for (const end of [...cuts, bytes.length]) {
    done += scanUnits(bytes.subarray(done, end), state, (chunk, from, to, transient, cut) => {
      seen.push({ text: chunk.toString('utf8', from, to), transient, cut })
    })
  }
  return seen
}

const pieces = fc.array(
  fc.constantFrom('\n', '\r', '\r\n', 'a', '步骤', '█', 'step 1: {', '|', '', 'x'.repeat(50)),
  { maxLength: 40 }
)

describe('scanUnits', () => {
  it('cuts lines, bars and CRLF ends', () => {
    expect(scanInPieces(Buffer.from('one\ntwo\r\n10%\r20%\rend\nrest'), [])).toEqual([
      { text: 'one', transient: false, cut: false },
      { text: 'two', transient: false, cut: false },
      { text: '10%', transient: true, cut: false },
      { text: '20%', transient: true, cut: false },
      { text: 'end', transient: false, cut: false }
    ])
  })

  it('gives the same units wherever the chunks are cut', () => {
    fc.assert(
      fc.property(pieces, fc.array(fc.nat(400), { maxLength: 6 }), (parts, positions) => {
        const bytes = Buffer.from(parts.join(''))
        const cuts = positions.map((p) => p % (bytes.length + 1)).sort((a, b) => a - b)
        expect(scanInPieces(bytes, cuts)).toEqual(scanInPieces(bytes, []))
      })
    )
  })

  it('hands on the head of a unit that is too long, once, and goes on behind it', () => {
    const bytes = Buffer.from(`${'y'.repeat(UNIT_CAP * 3)}\r\nnext\n`)
    const every = Array.from({ length: 20 }, (_, i) => Math.floor((bytes.length * i) / 20))
    for (const cuts of [[], every, [UNIT_CAP * 3 + 1], [UNIT_CAP + 1]]) {
      const seen = scanInPieces(bytes, cuts)
      expect(seen.map(({ text, cut }) => [text.length, cut])).toEqual([
        [UNIT_CAP, true],
        [4, false]
      ])
    }
  })

  it('asks for no more than one unit of a line of bars to be kept', () => {
    const state: ScanState = { skipping: false }
    const bar = Buffer.from('Rollout:  31%|███▏      | 80/256 [00:42<01:33,  1.88it/s]\r')
    let kept = Buffer.alloc(0)
    let most = 0
    for (let i = 0; i < 20_000; i++) {
      kept = Buffer.concat([kept, bar])
      kept = kept.subarray(scanUnits(kept, state, () => undefined))
      most = Math.max(most, kept.length)
    }
    expect(most).toBeLessThanOrEqual(bar.length * 2)
  })
})
