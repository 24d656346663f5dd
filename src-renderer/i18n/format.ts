import type { Language } from '@contract/text'
import { formatDifference, formatValue } from '../charts/number-format'

export { formatCount } from '../charts/number-format'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** A score in a list, two decimals so that rows line up; with `sign` a plus is shown too. Others as `formatValue`. */
export function formatScore(value: number, sign = false): string {
  if (!Number.isFinite(value) || Math.abs(value) >= 100) {
    return sign ? formatDifference(value) : formatValue(value)
  }
  const text = value.toFixed(2)
  if (Number(text) === 0) return sign ? '0' : '0.00'
  return sign && value > 0 ? `+${text}` : text.replace('-', '−')
}

/** Milliseconds as people say them, the two largest units: `3 h 41 m`, `48 s`; under a second it is `0 s`. */
export function formatDuration(milliseconds: number, language: Language): string {
  const zh = language === 'zh'
  const unit = (en: string, cn: string): string => (zh ? ` ${cn}` : ` ${en}`)
  const ms = Math.max(0, milliseconds)
  const days = Math.floor(ms / DAY)
  const hours = Math.floor((ms % DAY) / HOUR)
  const minutes = Math.floor((ms % HOUR) / MINUTE)
  const seconds = Math.floor((ms % MINUTE) / SECOND)
  if (days > 0) return `${days}${unit('d', '天')} ${hours}${unit('h', '小时')}`
  if (hours > 0) return `${hours}${unit('h', '小时')} ${two(minutes)}${unit('m', '分')}`
  if (minutes >= 10) return `${minutes}${unit('m', '分')}`
  if (minutes > 0) return `${minutes}${unit('m', '分')} ${two(seconds)}${unit('s', '秒')}`
  return `${seconds}${unit('s', '秒')}`
}

/** Bytes in decimal units, e.g. `3.1 GB`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']
  let value = Math.max(0, bytes)
  let unit = 0
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000
    unit += 1
  }
  const text = unit === 0 || value >= 100 ? String(Math.round(value)) : value.toFixed(1)
  return `${text} ${units[unit] ?? 'B'}`
}

/** Wall-clock time of a moment (Unix milliseconds), `HH:MM:SS`, in the person's own time zone. */
export function formatClock(at: number): string {
  const date = new Date(at)
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
}

/** A moment to the second: `09:27:03` today, else after its day, `29 Nov 09:27:03`. */
export function formatMoment(at: number, now: number, language: Language): string {
  const day = otherDay(at, now, language)
  return day === null ? formatClock(at) : `${day.words} ${formatClock(at)}`
}

/** When something began: `Today 09:27`, `29 Nov 21:15`, `29 Nov 2025`. */
export function formatWhen(at: number, now: number, language: Language): string {
  const date = new Date(at)
  const time = `${two(date.getHours())}:${two(date.getMinutes())}`
  const day = otherDay(at, now, language)
  if (day === null) return language === 'zh' ? `今天 ${time}` : `Today ${time}`
  return day.sameYear ? `${day.words} ${time}` : day.words
}

/** The day of a moment, with its year where that does not go without saying; null today. */
function otherDay(
  at: number,
  now: number,
  language: Language
): { words: string; sameYear: boolean } | null {
  const date = new Date(at)
  const today = new Date(now)
  const sameYear = date.getFullYear() === today.getFullYear()
  if (sameYear && date.getMonth() === today.getMonth() && date.getDate() === today.getDate())
    return null
  if (language === 'zh') {
    const day = `${date.getMonth() + 1}月${date.getDate()}日`
    return { words: sameYear ? day : `${date.getFullYear()}年${day}`, sameYear }
  }
  const day = `${date.getDate()} ${MONTHS[date.getMonth()] ?? ''}`
  return { words: sameYear ? day : `${day} ${date.getFullYear()}`, sameYear }
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

function two(value: number): string {
  return String(value).padStart(2, '0')
}
