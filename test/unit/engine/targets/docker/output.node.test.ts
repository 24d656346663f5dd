import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FrameReader, type OutputEntry } from '../../../../../src-main/engine/targets/docker/frames'
import {
  BEGINNING,
  OutputCursor,
  parsePosition
} from '../../../../../src-main/engine/targets/docker/output-cursor'

function frame(stream: 1 | 2, text: string): Buffer {
  const payload = Buffer.from(text)
  const header = Buffer.alloc(8)
  header[0] = stream
  header.writeUInt32BE(payload.length, 4)
  return Buffer.concat([header, payload])
}

it('takes frames apart however they are cut', () => {
  const entries = fc.array(
    fc.record({ stream: fc.constantFrom<1 | 2>(1, 2), text: fc.string({ maxLength: 40 }) }),
    { maxLength: 20 }
  )
  fc.assert(
    fc.property(entries, fc.array(fc.integer({ min: 1, max: 30 })), (list, cuts) => {
      const stamp = '2026-11-30T03:00:00.000000001Z'
      const whole = Buffer.concat(list.map(({ stream, text }) => frame(stream, `${stamp} ${text}`)))
      const reader = new FrameReader(true)
      const seen: OutputEntry[] = []
      let at = 0
      for (let turn = 0; at < whole.length; turn++) {
        const size = cuts.length === 0 ? whole.length : (cuts[turn % cuts.length] ?? 1)
        seen.push(...reader.push(whole.subarray(at, at + size)))
        at += size
      }
      expect(seen.map(({ stream, bytes }) => [stream, Buffer.from(bytes).toString()])).toEqual(
        list.map(({ stream, text }) => [stream === 1 ? 'stdout' : 'stderr', text])
      )
      expect(seen.every((entry) => entry.stamp === stamp)).toBe(true)
    })
  )
})

describe('the cursor', () => {
  const BASE = Date.parse('2026-11-30T03:00:00Z') / 1000
  const entry = (second: number, text: string): OutputEntry => ({
    stream: 'stdout',
    stamp: new Date((BASE + second) * 1000).toISOString(),
    bytes: Buffer.from(text)
  })

  /** What the engine answers: everything stamped at or after `since`, in the order it was written. */
  const answer = (log: readonly OutputEntry[], since: number): OutputEntry[] =>
    log.filter(({ stamp }) => Math.floor(Date.parse(stamp) / 1000) >= since)

  it('resumes without loss or double, whatever the stamps and wherever it was cut', () => {
    // Steps of the engine's clock: mostly forward, a little back between threads, now and then far back.
    const steps = fc.array(
      fc.oneof(
        { weight: 20, arbitrary: fc.integer({ min: 0, max: 30 }) },
        { weight: 4, arbitrary: fc.integer({ min: -2, max: 0 }) },
        { weight: 1, arbitrary: fc.integer({ min: -2000, max: 2000 }) }
      ),
      { maxLength: 120 }
    )
    fc.assert(
      fc.property(steps, fc.array(fc.nat(130), { maxLength: 5 }), (moves, cuts) => {
        let second = 10_000
        const log = moves.map((move, index) => entry((second += move), `${index}`))
        const stops = [...cuts, log.length].sort((a, b) => a - b)
        let position = BEGINNING
        const copied: string[] = []
        for (const stop of stops) {
          const cursor = new OutputCursor(position)
          const { since, skip } = cursor.now()
          // The whole log so far is there; only what was already written can be selected by its stamp.
          for (const one of answer(log.slice(0, copied.length), since).slice(skip)) {
            throw new Error(`${one.stamp} would be copied twice`)
          }
          for (const one of log.slice(copied.length, stop)) {
            cursor.took(one)
            copied.push(Buffer.from(one.bytes).toString())
          }
          const stored = parsePosition(JSON.stringify(cursor.now()))
          if (stored === null) throw new Error('the position cannot be read back')
          position = stored
          expect(answer(log.slice(0, copied.length), position.since).length).toBe(position.skip)
        }
        expect(copied).toEqual(log.map((_, index) => `${index}`))
        expect(position.total).toBe(log.length)
      }),
      { numRuns: 300 }
    )
  })

  it('asks again only for a window, not for days', () => {
    const cursor = new OutputCursor(BEGINNING)
    for (let second = 0; second < 100_000; second += 10) cursor.took(entry(second, 'x'))
    const { since, skip } = cursor.now()
    expect(since).toBeGreaterThan(BASE + 99_000)
    expect(skip).toBeLessThan(20)
  })

  it('does not take a foreign file for a position', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(parsePosition(text)).toBeNull()
      })
    )
  })
})
