/** Narrow and unbreakable: a number never wraps in its middle. */
const GROUP_SPACE = '\u202f'
const MINUS = '\u2212'
const MICRO = 1e-4
const LARGE = 1e7

/** Groups thousands with a narrow no-break space and writes a true minus sign. */
function dressed(plain: string): string {
  const negative = plain.startsWith('-')
  const body = negative ? plain.slice(1) : plain
  const [whole = '', rest] = body.split('.')
  const [digits = '', exponent] = whole.split('e')
  const grouped =
    exponent === undefined && digits.length > 3
      ? digits.replace(/\B(?=(\d{3})+(?!\d))/g, GROUP_SPACE)
      : whole
  const text = rest === undefined ? grouped : `${grouped}.${rest}`
  return (negative ? MINUS : '') + text.replace('e-', `e${MINUS}`).replace('e+', 'e')
}

function exponential(value: number, digits: number): string {
  return dressed(value.toExponential(digits)).replace(`e${MINUS}`, 'e\u2212')
}

/**
 * A measured value for a person: about three significant digits below one, fewer decimals above, exponents
 * only where plain digits would be unreadable. NaN and infinities are said in words a formula reader knows.
 */
export function formatValue(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+∞' : `${MINUS}∞`
  const size = Math.abs(value)
  if (size === 0) return '0'
  if (size < 0.001 || size >= LARGE) return exponential(value, 1)
  if (Number.isInteger(value)) return dressed(String(value))
  if (size < 0.1) return dressed(value.toFixed(4))
  if (size < 10) return dressed(value.toFixed(3))
  if (size < 100) return dressed(value.toFixed(2))
  if (size < 1000) return dressed(value.toFixed(1))
  return dressed(String(Math.round(value)))
}

/**
 * A difference with its sign always shown; zero has none.
 * @param like The values it lies between: the difference is written to the decimals of the coarser one, since more
 * would be noise. One shown without decimals is exact. A difference that would round to nothing keeps its own digits.
 */
export function formatDifference(value: number, ...like: (number | null)[]): string {
  if (!Number.isFinite(value)) return formatValue(value)
  const sign = value > 0 ? '+' : ''
  const decimals = coarsest(like)
  const rounded = decimals === null ? 0 : Number(value.toFixed(decimals))
  if (decimals === null || (rounded === 0 && value !== 0)) return sign + formatValue(value)
  return rounded === 0 ? '0' : sign + dressed(value.toFixed(decimals))
}

/** Fewest decimals that any of the values is shown with, whole ones aside; null when there is none, or one with an exponent. */
function coarsest(values: readonly (number | null)[]): number | null {
  const given = values.filter((value) => value !== null)
  const decimals = given.map(shownDecimals).filter((count) => count !== null)
  if (decimals.length === 0 || decimals.length < given.length) return null
  const broken = decimals.filter((count) => count > 0)
  return broken.length === 0 ? 0 : Math.min(...broken)
}

/** Decimals `formatValue` writes; null where it writes an exponent. */
function shownDecimals(value: number): number | null {
  const text = formatValue(value)
  if (/e|NaN|∞/.test(text)) return null
  return text.split('.')[1]?.length ?? 0
}

/** A whole count with grouped thousands. */
export function formatCount(value: number): string {
  return dressed(String(Math.round(value)))
}

/** Tick labels of one axis: all with the same number of decimals, so that they line up. */
export function formatTicks(ticks: readonly number[]): string[] {
  const largest = ticks.reduce((most, tick) => Math.max(most, Math.abs(tick)), 0)
  const smallest = ticks.reduce(
    (least, tick) => (tick === 0 ? least : Math.min(least, Math.abs(tick))),
    Infinity
  )
  if (largest === 0) return ticks.map(() => '0')
  if (largest >= LARGE || largest < MICRO * 10 || (smallest < MICRO && largest / smallest < 1e3)) {
    return ticks.map((tick) => (tick === 0 ? '0' : exponential(tick, 1)))
  }
  if (largest >= 10_000) return thousands(ticks)
  const decimals = ticks.reduce((most, tick) => Math.max(most, decimalsOf(tick)), 0)
  return ticks.map((tick) => (tick === 0 && decimals === 0 ? '0' : dressed(tick.toFixed(decimals))))
}

/** Tick labels of a log axis: each as short as it can be, since they differ by powers of ten. */
export function formatLogTicks(ticks: readonly number[]): string[] {
  return ticks.map((tick) => {
    const size = Math.abs(tick)
    if (size === 0) return '0'
    if (size >= 10_000 || size < 0.001) return exponential(tick, 0)
    return dressed(String(Number(tick.toPrecision(3))))
  })
}

function thousands(ticks: readonly number[]): string[] {
  const decimals = ticks.reduce((most, tick) => Math.max(most, decimalsOf(tick / 1000)), 0)
  return ticks.map((tick) => (tick === 0 ? '0' : `${dressed((tick / 1000).toFixed(decimals))}k`))
}

function decimalsOf(value: number): number {
  for (let decimals = 0; decimals < 8; decimals++) {
    if (Math.abs(value - Number(value.toFixed(decimals))) <= Math.abs(value) * 1e-9) return decimals
  }
  return 8
}
