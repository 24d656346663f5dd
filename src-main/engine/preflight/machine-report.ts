/** Bytes of the named lines of Linux's `/proc/meminfo`; null for one that is not there. */
export function memoryInfo(text: string): {
  total: number | null
  available: number | null
  swap: number | null
} {
  const line = (name: string): number | null => {
    const kib = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1]
    return kib === undefined ? null : Number(kib) * 1024
  }
  return { total: line('MemTotal'), available: line('MemAvailable'), swap: line('SwapTotal') }
}

/** Soft limit of the named row of `/proc/self/limits`; Infinity for `unlimited`, null when there is no such row. */
export function softLimit(text: string, name: string): number | null {
  const found = text.split('\n').find((line) => line.startsWith(name))
  const value = found?.slice(name.length).trim().split(/\s+/)[0]
  if (value === undefined) return null
  return value === 'unlimited' ? Infinity : Number(value)
}

// What templates and examples put where a key belongs.
const placeholder =
  /^(?:sk-your|your[-_ ]|<.*>$|xxx|changeme|change-me|todo|replace[-_]?me|\.\.\.$|none$|null$)|your[-_](?:\w+[-_])?(?:api[-_])?(?:key|token)|api[-_]key[-_]here/i

/** What can be said of a variable without saying its value. */
export function variableState(value: string): 'set' | 'empty' | 'placeholder' {
  const text = value.trim()
  if (text === '') return 'empty'
  return placeholder.test(text) ? 'placeholder' : 'set'
}
