import type { Language } from '@contract/text'

/** Thousands are parted by a narrow space that does not break; minus is a real minus. */
const THIN = '\u202f'
const MINUS = '−'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** A whole number, e.g. `41 208`. */
export function formatCount(value: number): string {
  const digits = String(Math.abs(Math.trunc(value)))
  const grouped = digits.replace(/\B(?=(\d{3})+(?!\d))/g, THIN)
  return value < 0 ? `${MINUS}${grouped}` : grouped
}

/** A measured value with about `digits` significant digits; very small and very large ones in powers of ten. */
export function formatValue(value: number, digits = 3): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '∞' : `${MINUS}∞`
  if (value === 0) return '0'
  const size = Math.abs(value)
  if (size >= 1e6 || size < 1e-3) return value.toExponential(digits - 2).replace(/^-/, MINUS)
  if (size >= 1000) return formatCount(Math.round(value))
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(size)))
  return value.toFixed(Math.min(decimals, 4)).replace(/^-/, MINUS)
}

/** A change, always with its sign: `+0.39`, `−0.12`, `0`. */
export function formatDifference(value: number, digits = 2): string {
  if (value === 0) return '0'
  const text = formatValue(value, digits)
  return value > 0 ? `+${text}` : text
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

/** When something began: `Today 09:27`, `29 Nov 21:15`, `29 Nov 2025`. */
export function formatWhen(at: number, now: number, language: Language): string {
  const date = new Date(at)
  const today = new Date(now)
  const time = `${two(date.getHours())}:${two(date.getMinutes())}`
  const sameYear = date.getFullYear() === today.getFullYear()
  if (sameYear && date.getMonth() === today.getMonth() && date.getDate() === today.getDate()) {
    return language === 'zh' ? `今天 ${time}` : `Today ${time}`
  }
  if (language === 'zh') {
    const day = `${date.getMonth() + 1}月${date.getDate()}日`
    return sameYear ? `${day} ${time}` : `${date.getFullYear()}年${day}`
  }
  const day = `${date.getDate()} ${MONTHS[date.getMonth()] ?? ''}`
  return sameYear ? `${day} ${time}` : `${day} ${date.getFullYear()}`
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

function two(value: number): string {
  return String(value).padStart(2, '0')
}
