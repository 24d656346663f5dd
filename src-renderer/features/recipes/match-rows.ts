import type { ResolvedValue } from '@contract/recipes'

/** Rows whose field or value holds every word of the filter; dashes and underscores are the same. */
export function matchingRows(
  rows: readonly ResolvedValue[],
  filter: string
): readonly ResolvedValue[] {
  const plain = (text: string): string => text.toLowerCase().replaceAll('_', '-')
  const words = plain(filter)
    .split(/\s+/)
    .filter((word) => word !== '')
  if (words.length === 0) return rows
  return rows.filter((row) => {
    const text = plain(`${row.path} ${row.value}`)
    return words.every((word) => text.includes(word))
  })
}
