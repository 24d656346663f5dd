/** Whether keys have values and nothing says when they were logged, as in a table of steps that was imported. */
export function isUntimed(keys: readonly { readonly timed: boolean | null }[]): boolean {
  const known = keys.filter(({ timed }) => timed !== null)
  return known.length > 0 && known.every(({ timed }) => timed === false)
}
