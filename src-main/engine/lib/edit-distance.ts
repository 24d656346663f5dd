/** Levenshtein distance, given up (as `limit + 1`) once it is surely above `limit`. */
export function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1
  let start = 0
  const shortest = Math.min(a.length, b.length)
  while (start < shortest && a.charCodeAt(start) === b.charCodeAt(start)) start += 1
  const left = a.slice(start)
  const right = b.slice(start)
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row]
    let best = row
    for (let column = 1; column <= right.length; column += 1) {
      const same = left.charCodeAt(row - 1) === right.charCodeAt(column - 1)
      const value = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + (same ? 0 : 1)
      )
      current.push(value)
      best = Math.min(best, value)
    }
    if (best > limit) return limit + 1
    previous = current
  }
  return previous[right.length] ?? limit + 1
}
