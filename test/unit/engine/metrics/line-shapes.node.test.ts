import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DecimalReader } from '../../../../src-main/engine/metrics/decimal'
import {
  freshParserState,
  LineParser,
  type Meaning
} from '../../../../src-main/engine/metrics/line-parser'
import { LineShapes } from '../../../../src-main/engine/metrics/line-shapes'
import { realisticLog } from '../../../bench/metrics-log'

/** A reader of both ways, as one source has it. `known` counts the lines that needed no parser. */
function reader(zone: number | null): { read: (line: Buffer) => Meaning; known: () => number } {
  const parser = new LineParser({ ...freshParserState(), zone })
  const shapes = new LineShapes(parser.state)
  let known = 0
  return {
    known: () => known,
    read: (line) => {
      const found = shapes.read(line, 0, line.length, 7)
      if (found !== null) {
        known++
        return found
      }
      const meaning = parser.read(line.toString('utf8'), 7)
      shapes.learn(line, 0, line.length, meaning, parser.trace)
      return meaning
    }
  }
}

/** What every line means by the parser alone, and by shapes where they fit. */
function compare(lines: readonly Buffer[], zone: number | null = 3_600_000): number {
  const plain = new LineParser({ ...freshParserState(), zone })
  const both = reader(zone)
  for (const line of lines) {
    expect({ line: line.toString(), meaning: both.read(line) }).toEqual({
      line: line.toString(),
      meaning: plain.read(line.toString('utf8'), 7)
    })
  }
  return both.known()
}

const number = fc.oneof(
  fc.double().map(String),
  fc.integer().map(String),
  fc.float().map((value) => value.toPrecision(6)),
  fc.constantFrom(
    'nan',
    'inf',
    '-inf',
    '-nan',
    '0',
    '-0.0',
    '1e-06',
    '1.2345e+18',
    '1_000',
    'True'
  ),
  fc.constantFrom(
    'None',
    'np.float64(0.25)',
    "tensor(0.5, device='cuda:0')",
    "'0.5'",
    '[1]',
    '1e',
    ''
  )
)
const stamp = fc
  .tuple(
    fc.integer({ min: 0, max: 59 }),
    fc.constantFrom(' ', 'T'),
    fc.constantFrom('', ',123', ' TP0')
  )
  .map(
    ([second, between, after]) =>
      `[2026-03-04${between}10:15:${String(second).padStart(2, '0')}${after}]`
  )
const head = fc
  .tuple(
    fc.constantFrom(
      '',
      '(RolloutManager pid=4102) ',
      '\u001b[36m(Actor pid=7, ip=10.0.0.7)\u001b[0m ',
      '(raylet) '
    ),
    fc.oneof(stamp, fc.constant('')),
    fc.constantFrom(' model.py:918 - ', ' ', '', '[nexrl.trainer][INFO] - ')
  )
  .map((parts) => parts.join(''))
const keys = fc.constantFrom(
  ['train/loss'],
  ['train/loss', 'train/grad_norm'],
  ["it's", '指标'],
  ['a: 5', 'b']
)
const body = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('step', 'rollout', 'perf', 'eval', 'stage'),
      number,
      keys,
      fc.array(number, { minLength: 2, maxLength: 2 })
    )
    .map(([word, n, names, values]) => {
      const entries = names.map((key, i) => `${JSON.stringify(key)}: ${values[i] ?? ''}`)
      return `${word} ${n}: {${entries.join(', ')}}`
    }),
  number.map((n) => `Timer actor_train end (elapsed: ${n}s)`),
  number.map((n) => `Decode batch, #running-req: ${n}, cuda graph: True, #queue-req: 4`),
  number.map((n) => `step:${n} - actor/loss:0.5 - training/global_step:3`),
  number.map((n) => `Training step ${n} completed`),
  number.map((n) => `combined_metrics: {'loss': ${n}}`),
  number.map((n) => `loaded ${n} of 1200 shards in 3.5 s`),
  number.map((n) => `Rollout generation:  31%|███▏      | ${n}/256 [00:42<01:33,  1.88it/s]`),
  fc.constantFrom(
    'Traceback (most recent call last):',
    'torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB'
  )
)
const line = fc
  .tuple(head, body, fc.constantFrom('', ' [repeated 3x across cluster]', ' '))
  .map((parts) => parts.join(''))

describe('LineShapes', () => {
  it('reads a real-shaped log as the parser does, and nearly all of it without the parser', () => {
    const lines = realisticLog(200_000)
      .text.trimEnd()
      .split('\n')
      .map((text) => Buffer.from(text))
    expect(compare(lines)).toBeGreaterThan(lines.length * 0.9)
  })

  it('never reads a line otherwise than the parser, whatever came before', () => {
    const cut = fc
      .tuple(line, fc.nat({ max: 200 }))
      .map(([text, at]) => Buffer.from(text).subarray(0, at))
    const lines = fc.array(
      fc.oneof({ weight: 4, arbitrary: line.map((text) => Buffer.from(text)) }, cut),
      {
        minLength: 20,
        maxLength: 80
      }
    )
    fc.assert(
      fc.property(
        lines,
        fc.constantFrom(null, 0, -7_200_000),
        (some, zone) => void compare(some, zone)
      ),
      {
        numRuns: 300
      }
    )
  }, 60_000)

  it('goes on when a run prints more kinds of lines than are remembered', () => {
    const ranks = Array.from({ length: 2000 }, (_, i) =>
      Buffer.from(
        `(Actor pid=${String(4000 + (i % 64))}) [2026-03-04 10:15:22] model.py:918 - step ${String(i)}: {'train/loss': 0.5}`
      )
    )
    compare(ranks)
  })
})

describe('DecimalReader', () => {
  const read = (text: string): number => {
    const reader = new DecimalReader()
    const value = reader.read(Buffer.from(`${text},`), 0)
    expect(reader.end).toBe(text.length)
    return value
  }

  it('rounds as the language does', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(read(String(value))).toBe(Number(String(value)))
      }),
      { numRuns: 2000 }
    )
    for (const text of [
      '0.1',
      '-0.0',
      '9007199254740993',
      '123456789012345678',
      '1.7976931348623157e+308',
      '5e-324',
      '00012',
      '0.30000000000000004',
      '8.5e22',
      '1e400'
    ])
      expect(read(text)).toBe(Number(text))
  })

  it('rounds 15 to 20 digits with the point anywhere as the language does', () => {
    const digits = fc
      .array(fc.integer({ min: 0, max: 9 }), { minLength: 15, maxLength: 20 })
      .map((some) => some.join(''))
    fc.assert(
      fc.property(digits, fc.nat({ max: 20 }), fc.integer({ min: -24, max: 4 }), (some, at, e) => {
        const text = `${some.slice(0, at) || '0'}.${some.slice(at) || '0'}e${String(e)}`
        expect(read(text)).toBe(Number(text))
      }),
      { numRuns: 3000 }
    )
  })

  it('rounds what lies between two numbers, or by a hair beside it, as the language does', () => {
    const places = fc.integer({ min: 2 ** 52, max: Number.MAX_SAFE_INTEGER })
    fc.assert(
      fc.property(places, fc.constantFrom('5', '49', '51', '4999', '5001'), (whole, part) => {
        const text = `${String(whole)}.${part}`
        expect(read(text)).toBe(Number(text))
        const small = `0.${String(whole)}${part}`
        expect(read(small)).toBe(Number(small))
      }),
      { numRuns: 1000 }
    )
  })

  it.each(['', '-', 'x', '.5', '1e', '1e+', '+1'])('reads no number in %j', (text) => {
    const reader = new DecimalReader()
    reader.read(Buffer.from(`${text},`), 0)
    expect(reader.end).toBe(-1)
  })
})
