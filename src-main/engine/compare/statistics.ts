/** Two-sided 95 % point of the normal distribution. */
const Z = 1.959963984540054

/**
 * 95 % Wilson score interval of a proportion: honest near 0 and 1 and for small n, where the usual one is not.
 * @returns null when n is 0
 */
export function wilson(correct: number, n: number): [number, number] | null {
  if (n <= 0) return null
  const p = correct / n
  const z2 = Z * Z
  const centre = p + z2 / (2 * n)
  const half = Z * Math.sqrt((p * (1 - p)) / n + z2 / (4 * n * n))
  const scale = 1 + z2 / n
  return [Math.max(0, (centre - half) / scale), Math.min(1, (centre + half) / scale)]
}

/** 95 % interval of the difference of two proportions, b − a, from their Wilson intervals (Newcombe's hybrid score method). */
export function proportionDifference(
  a: { correct: number; n: number },
  b: { correct: number; n: number }
): [number, number] | null {
  const [one, two] = [wilson(a.correct, a.n), wilson(b.correct, b.n)]
  if (one === null || two === null) return null
  const [p, q] = [a.correct / a.n, b.correct / b.n]
  const d = q - p
  return [d - Math.hypot(q - two[0], one[1] - p), d + Math.hypot(two[1] - q, p - one[0])]
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function variance(values: readonly number[]): number {
  const middle = mean(values)
  return values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1)
}

/** Continued fraction of the incomplete beta function (modified Lentz). */
function betaFraction(x: number, a: number, b: number): number {
  const tiny = 1e-300
  const keep = (value: number): number => (Math.abs(value) < tiny ? tiny : value)
  let c = 1
  let d = 1 / keep(1 - ((a + b) * x) / (a + 1))
  let result = d
  for (let m = 1; m <= 300; m += 1) {
    for (const numerator of [
      (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m)),
      (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    ]) {
      d = 1 / keep(1 + numerator * d)
      c = keep(1 + numerator / c)
      result *= c * d
    }
    if (Math.abs(c * d - 1) < 1e-15) break
  }
  return result
}

/** ln Γ: Stirling's series, after the recurrence has moved x to where it is exact enough. */
function logGamma(x: number): number {
  let shift = 0
  let at = x
  while (at < 12) {
    shift += Math.log(at)
    at += 1
  }
  const series = 1 / (12 * at) - 1 / (360 * at ** 3) + 1 / (1260 * at ** 5)
  return (at - 0.5) * Math.log(at) - at + Math.log(2 * Math.PI) / 2 + series - shift
}

/** Regularised incomplete beta function. */
function beta(x: number, a: number, b: number): number {
  if (x <= 0) return 0
  if (x >= 1) return 1
  const front = Math.exp(
    logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log(1 - x)
  )
  return x < (a + 1) / (a + b + 2)
    ? (front * betaFraction(x, a, b)) / a
    : 1 - (front * betaFraction(1 - x, b, a)) / b
}

/** Two-sided 95 % point of Student's t. */
export function studentPoint(degrees: number): number {
  const tail = (t: number): number => beta(degrees / (degrees + t * t), degrees / 2, 0.5)
  let [low, high] = [0, 1000]
  for (let round = 0; round < 80; round += 1) {
    const middle = (low + high) / 2
    if (tail(middle) > 0.05) low = middle
    else high = middle
  }
  return (low + high) / 2
}

/**
 * 95 % interval of the difference of two means, b − a, for unequal variances (Welch).
 * @returns null with fewer than two values on a side: nothing is known of their spread
 */
export function meanDifference(
  a: readonly number[],
  b: readonly number[]
): [number, number] | null {
  if (a.length < 2 || b.length < 2) return null
  const [va, vb] = [variance(a) / a.length, variance(b) / b.length]
  const d = mean(b) - mean(a)
  if (va + vb === 0) return [d, d]
  const degrees = (va + vb) ** 2 / (va ** 2 / (a.length - 1) + vb ** 2 / (b.length - 1))
  const half = studentPoint(degrees) * Math.sqrt(va + vb)
  return [d - half, d + half]
}
