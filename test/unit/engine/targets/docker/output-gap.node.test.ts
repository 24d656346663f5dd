import { expect, it } from 'vitest'
import { gapText } from '../../../../../src-main/engine/stacks/gap-text'
import { BEGINNING } from '../../../../../src-main/engine/targets/docker/output-cursor'
import {
  drops,
  expectedBetween,
  keepsOf,
  KeptOutput
} from '../../../../../src-main/engine/targets/docker/output-gap'

const START = Date.parse('2026-11-30T03:00:00Z')
const stamp = (second: number): string => new Date(START + second * 1000).toISOString()

/** `lines` lines of ten bytes, evenly from one second to another. */
function kept(lines: number, from: number, to: number): KeptOutput {
  const output = new KeptOutput()
  for (let line = 0; line < lines; line++) {
    const second = from + ((to - from) * line) / Math.max(1, lines - 1)
    output.took({ stream: 'stdout', stamp: stamp(second), bytes: Buffer.alloc(10) })
  }
  return output
}

const around = { after: stamp(100), before: stamp(200) }
/** 50 lines in the ten seconds before the gap. */
const read = { ...BEGINNING, first: START / 1000 + 90, newest: START / 1000 + 100, skip: 50 }

it('guesses a gap’s size between the pace before and the pace after', () => {
  expect(expectedBetween(around, read, kept(101, 200, 210))).toEqual({
    lines: [500, 1000],
    bytes: [5000, 10_000]
  })
})

it('says nothing of a size where no pace could be measured', () => {
  expect(expectedBetween(around, BEGINNING, kept(1, 200, 200))).toBeNull()
  expect(expectedBetween({ ...around, before: around.after }, read, kept(9, 200, 210))).toBeNull()
})

it('takes a burst of lines for no pace: twenty at once after a gap of seconds', () => {
  const short = { after: stamp(100), before: stamp(101.5) }
  const burst = kept(20, 101.5, 101.503)
  expect(expectedBetween(short, BEGINNING, burst)).toBeNull()
  // Five lines a second before it: 8 lines in a second and a half.
  expect(expectedBetween(short, read, burst)?.lines).toEqual([8, 8])
  // Twenty lines that lie in two seconds may have come within a moment of both.
  expect(expectedBetween(short, { ...read, first: read.newest - 1, skip: 20 }, burst)).toBeNull()
  expect(expectedBetween(short, BEGINNING, kept(61, 101.5, 101.65))?.lines).toEqual([600, 600])
  expect(expectedBetween(around, BEGINNING, kept(20, 200, 200.9))).toBeNull()
})

it('knows which engines drop output, and what they keep in their own words', () => {
  const plain = { Type: 'json-file', Config: {} }
  const limited = { Type: 'json-file', Config: { 'max-size': '10m', 'max-file': '3', tag: 'x' } }
  expect([plain, limited, { Type: 'local', Config: {} }].map(drops)).toEqual([false, true, true])
  expect(keepsOf(limited)).toBe('json-file, max-size=10m, max-file=3')
  // As Podman 4.3 says it.
  const podman = (Size: string) => ({
    Type: 'k8s-file',
    Config: null,
    Path: '/c/ctr.log',
    Tag: '',
    Size
  })
  expect(['0B', '10kB'].map((size) => drops(podman(size)))).toEqual([false, true])
  expect(keepsOf(podman('10kB'))).toBe('k8s-file, max-size=10kB')
})

it('is told in one sentence, with what is whole all the same', () => {
  const gap = {
    ...around,
    keeps: 'json-file, max-size=10m',
    expected: { lines: [500, 1000], bytes: [5000, 10_000] } as const
  }
  expect(gapText(gap, false).en).toBe(
    'The container engine dropped what the stack printed from 2026-11-30 03:01:40 to 2026-11-30 03:03:20 UTC (100 s): nobody counts what is dropped; at the pace around it that is about 500 to 1000 lines (5.0 kB to 10.0 kB). It keeps json-file, max-size=10m. The services’ own log files are not touched by this.'
  )
  const unknown = gapText({ ...gap, expected: null, keeps: '' }, true)
  expect(unknown.en).toContain('how much that was cannot be told. It was the only log')
  expect(unknown.zh).toContain('其大小无从得知。这是唯一的日志')
})
