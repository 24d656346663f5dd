// @vitest-environment node
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { LogLine } from '@contract/logs'
import { firstSource } from '../../../../src-renderer/features/log/level'
import { LineCache, PAGE } from '../../../../src-renderer/features/log/line-cache'
import { SearchRun } from '../../../../src-renderer/features/log/search-run'
import { splitMatch } from '../../../../src-renderer/features/log/split-match'
import {
  WINDOW,
  windowBeyond,
  windowFor
} from '../../../../src-renderer/features/log/window-of-lines'
import { sampleSources } from '../../../support/fixture/logs'

const line = (n: number): LogLine => ({
  line: n,
  offset: n * 10,
  source: '1/reef',
  level: 'info',
  text: `line ${n}`
})

/** Resolves when the cache or search changed so that `until` holds. */
function changed(
  source: { subscribe: (listener: () => void) => () => void },
  until: () => boolean
): Promise<void> {
  return new Promise((resolve) => {
    if (until()) {
      resolve()
      return
    }
    const stop = source.subscribe(() => {
      if (!until()) return
      stop()
      resolve()
    })
  })
}

describe('LineCache', () => {
  const reads: [number, number][] = []
  const cache = (): LineCache =>
    new LineCache((from, count) => {
      reads.push([from, count])
      return Promise.resolve(Array.from({ length: count }, (_each, i) => line(from + i)))
    })

  it('keeps a line the object it was when its page is read again, so that it is not rendered again', async () => {
    const lines = cache()
    lines.want(0, 10, 10)
    await changed(lines, () => lines.line(9) !== undefined)
    const before = lines.line(9)
    lines.want(0, 20, 20)
    await changed(lines, () => lines.line(19) !== undefined)
    expect(lines.line(9)).toBe(before)
  })

  it('reads the pages in view once, and the growing page again when it grew', async () => {
    const lines = cache()
    reads.length = 0
    lines.want(PAGE - 10, PAGE + 10, PAGE + 20)
    lines.want(PAGE - 10, PAGE + 10, PAGE + 20)
    await changed(lines, () => lines.line(PAGE + 19) !== undefined)
    expect(lines.line(PAGE - 10)?.text).toBe(`line ${PAGE - 10}`)
    expect(reads).toEqual([
      [0, PAGE],
      [PAGE, 20]
    ])
    lines.want(PAGE, PAGE + 10, PAGE + 60)
    expect(lines.line(PAGE + 19)).toBeDefined()
    await changed(lines, () => lines.line(PAGE + 59) !== undefined)
    expect(reads.at(-1)).toEqual([PAGE, 60])
  })

  it('holds a bounded number of lines of a log without end', async () => {
    const lines = cache()
    const total = PAGE * 200
    for (let page = 0; page < 200; page += 1) {
      lines.want(page * PAGE, page * PAGE + 1, total)
      await changed(lines, () => lines.line(page * PAGE) !== undefined)
    }
    const held = Array.from({ length: 200 }, (_each, page) => lines.line(page * PAGE))
    expect(held.filter((each) => each !== undefined).length).toBeLessThanOrEqual(50)
    expect(lines.line(0)).toBeUndefined()
  })

  it('gives a follower only lines that are here, never fewer than before, and all in the end', async () => {
    const growth = fc.array(fc.tuple(fc.integer({ min: 1, max: 700 }), fc.nat(3)), {
      minLength: 1,
      maxLength: 12
    })
    await fc.assert(
      fc.asyncProperty(growth, fc.integer({ min: 1, max: 2 * PAGE }), async (steps, span) => {
        // Reads answer late and in another order than they were asked for.
        const late: (() => void)[] = []
        const open = new Set<number>()
        const lines = new LineCache(
          (from, count) =>
            new Promise((resolve) => {
              // A page is never read twice at the same time, however fast the log grows.
              expect(open.has(from)).toBe(false)
              open.add(from)
              late.push(() => {
                open.delete(from)
                resolve(Array.from({ length: count }, (_each, i) => line(from + i)))
              })
            })
        )
        let total = 0
        let before = 0
        const look = (): void => {
          const end = lines.reach(total, span)
          expect(end).toBeGreaterThanOrEqual(before)
          for (let n = Math.max(0, end - span); n < end; n += 1) expect(lines.line(n)?.line).toBe(n)
          before = end
        }
        for (const [by, answered] of steps) {
          total += by
          lines.want(total - span, total, total)
          look()
          for (const answer of late.splice(-answered, answered)) answer()
          await Promise.resolve()
          look()
        }
        while (late.length > 0) {
          for (const answer of late.splice(0)) answer()
          await new Promise(setImmediate)
          lines.want(total - span, total, total)
        }
        expect(lines.reach(total, span)).toBe(total)
      }),
      { numRuns: 30 }
    )
  })

  it('keeps what a failed read said and reads again when asked', async () => {
    let broken = true
    const lines = new LineCache((from, count) =>
      broken
        ? Promise.reject(new Error('gone'))
        : Promise.resolve(Array.from({ length: count }, (_each, i) => line(from + i)))
    )
    lines.want(0, 5, 5)
    await changed(lines, () => lines.failure !== undefined)
    broken = false
    lines.want(0, 5, 5)
    await changed(lines, () => lines.line(4) !== undefined)
    expect(lines.failure).toBeUndefined()
  })
})

describe('SearchRun', () => {
  it('finds every match once while the source grows, however the engine cuts its answers', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 1, max: 7 }),
        fc.integer({ min: 2, max: 9 }),
        async (growth, limit, every) => {
          let total = 0
          const search = new SearchRun((after) => {
            const lines: LogLine[] = []
            let at = after + 1
            for (; at < total && lines.length < limit; at += 1) {
              if (at % every === 0) lines.push(line(at))
            }
            return Promise.resolve({ lines, done: at >= total, scanned: at })
          })
          for (const by of growth) {
            total += by
            search.grow(total)
            const expected = Math.ceil(total / every)
            await changed(
              search,
              () => search.snapshot().complete && search.snapshot().lines.length >= expected
            )
          }
          const numbers = search.snapshot().lines.map((each) => each.line)
          expect(numbers).toEqual(
            Array.from({ length: Math.ceil(total / every) }, (_each, i) => i * every)
          )
        }
      ),
      { numRuns: 60 }
    )
  })

  it('does not ask for ever when the engine gets nowhere', async () => {
    let asked = 0
    const search = new SearchRun(() => {
      asked += 1
      return Promise.resolve({ lines: [], done: false, scanned: 0 })
    })
    search.grow(100)
    await changed(search, () => search.snapshot().complete)
    expect(asked).toBe(1)
  })
})

describe('splitMatch', () => {
  it('marks every place, letters of either case', () => {
    expect(
      splitMatch('Error: no error', { text: 'error', regex: false, caseSensitive: false })
    ).toEqual([
      { text: 'Error', hit: true },
      { text: ': no ', hit: false },
      { text: 'error', hit: true }
    ])
  })

  it('gives back the line, whatever is sought', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.oneof(fc.string({ maxLength: 3 }), fc.constantFrom('.', '(', 'a|', '[a-z]+', '^', '\\')),
        fc.boolean(),
        fc.boolean(),
        (line, text, regex, caseSensitive) => {
          const pieces = splitMatch(line, { text, regex, caseSensitive })
          expect(pieces.map((piece) => piece.text).join('')).toBe(line)
        }
      )
    )
  })

  it('minds case and patterns where it is told to', () => {
    const hits = (text: string, regex: boolean, caseSensitive: boolean): string[] =>
      splitMatch('Error: step 12, 学习率 error', { text, regex, caseSensitive })
        .filter((piece) => piece.hit)
        .map((piece) => piece.text)
    expect(hits('error', false, true)).toEqual(['error'])
    expect(hits('step \\d+', true, false)).toEqual(['step 12'])
    expect(hits('1.{,|{', true, false)).toEqual([])
    expect(hits('{|ERR', true, false)).toEqual(['Err', 'err'])
    expect(hits('step \\d+', false, false)).toEqual([])
    expect(hits('学习', false, false)).toEqual(['学习'])
  })
})

describe('the window of a log longer than can be laid out', () => {
  it('holds the wanted line, and every line can be reached from every other', () => {
    const line = fc.nat({ max: 5_000_000 })
    fc.assert(
      fc.property(line, line, fc.integer({ min: 1, max: 5_000_000 }), (wanted, base, count) => {
        const at = Math.min(wanted, count - 1)
        const last = Math.max(0, count - WINDOW)
        const next = windowFor(at, Math.min(base, last), count)
        expect(next).toBeGreaterThanOrEqual(0)
        expect(next).toBeLessThanOrEqual(last)
        expect(at >= next && at < next + WINDOW).toBe(true)
      })
    )
    let base = windowFor(1_999_999, 0, 2_000_000)
    expect(base).toBe(2_000_000 - WINDOW)
    for (let moves = 0; base > 0; moves++) {
      expect(moves).toBeLessThan(20)
      base = windowBeyond('top', base, 2_000_000)
    }
    for (let before = -1; base !== before;) {
      before = base
      base = windowBeyond('bottom', base, 2_000_000)
    }
    expect(base).toBe(2_000_000 - WINDOW)
  })
})

it('firstSource is the driver of the newest attempt, else a busy service, else the launcher', () => {
  const sources = [...sampleSources(1, 9000), ...sampleSources(2, 40)]
  expect(firstSource(sources)?.id).toBe('2/slime-driver')
  const source = (service: string, lines: number) => ({
    id: `2/${service}`,
    attempt: 2,
    service,
    bytes: lines * 80,
    lines
  })
  const launcher = source('launcher-stdout', 900)
  expect(firstSource([launcher, source('slime-driver', 3), source('reef', 80)])?.service).toBe(
    'slime-driver'
  )
  expect(firstSource([launcher, source('slime-driver', 0), source('reef', 80)])?.service).toBe(
    'reef'
  )
  expect(firstSource([launcher, source('reef', 0)])?.service).toBe('launcher-stdout')
  expect(firstSource([])).toBeUndefined()
})
