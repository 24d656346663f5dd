// @vitest-environment node
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  formatBytes,
  formatClock,
  formatDuration,
  formatScore,
  formatMoment,
  formatWhen
} from '../../../../src-renderer/i18n/format'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

describe('formatDuration', () => {
  it.each([
    [0, '0 s', '0 秒'],
    [48_999, '48 s', '48 秒'],
    [72_000, '1 m 12 s', '1 分 12 秒'],
    [9 * MINUTE + 5000, '9 m 05 s', '9 分 05 秒'],
    [22 * MINUTE, '22 m', '22 分'],
    [3 * HOUR + 41 * MINUTE, '3 h 41 m', '3 小时 41 分'],
    [2 * DAY + 9 * HOUR, '2 d 9 h', '2 天 9 小时']
  ])('says %d ms', (ms, en, zh) => {
    expect(formatDuration(ms, 'en')).toBe(en)
    expect(formatDuration(ms, 'zh')).toBe(zh)
  })

  it('never says a negative time or sixty of a unit', () => {
    fc.assert(
      fc.property(fc.integer({ min: -HOUR, max: 40 * DAY }), (ms) => {
        const text = formatDuration(ms, 'en')
        expect(text).not.toMatch(/-|\b6\d [ms]|\b2[4-9] h/)
      })
    )
  })
})

describe('formatScore', () => {
  it.each([
    [0.7, '0.70', '+0.70'],
    [-0.12, '−0.12', '−0.12'],
    [0, '0.00', '0'],
    [-0.001, '0.00', '0'],
    [Number.NaN, 'NaN', 'NaN']
  ])('says %d', (value, plain, signed) => {
    expect(formatScore(value)).toBe(plain)
    expect(formatScore(value, true)).toBe(signed)
  })
})

it('formatBytes keeps three digits at most', () => {
  expect(formatBytes(0)).toBe('0 B')
  expect(formatBytes(812)).toBe('812 B')
  expect(formatBytes(3.1e9)).toBe('3.1 GB')
  expect(formatBytes(612e9)).toBe('612 GB')
})

it('formatMoment names the day of what was not today', () => {
  const now = new Date(2026, 10, 30, 12, 0, 3).getTime()
  expect(formatMoment(now, now, 'en')).toBe('12:00:03')
  expect(formatMoment(now - DAY, now, 'en')).toBe('29 Nov 12:00:03')
  expect(formatMoment(now - DAY, now, 'zh')).toBe('11月29日 12:00:03')
  expect(formatMoment(now - 400 * DAY, now, 'en')).toBe('26 Oct 2025 12:00:03')
})

it('formatWhen names today and spares the year that goes without saying', () => {
  const now = Date.UTC(2026, 10, 30, 12)
  expect(formatWhen(now - HOUR, now, 'en')).toBe('Today 11:00')
  expect(formatWhen(now - HOUR, now, 'zh')).toBe('今天 11:00')
  expect(formatWhen(now - DAY, now, 'en')).toBe('29 Nov 12:00')
  expect(formatWhen(now - DAY, now, 'zh')).toBe('11月29日 12:00')
  expect(formatWhen(now - 400 * DAY, now, 'en')).toBe('26 Oct 2025')
  expect(formatClock(now + 61_000)).toBe('12:01:01')
})
