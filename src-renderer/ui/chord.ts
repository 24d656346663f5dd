/** Modifiers and key of a chord in the registry's form, e.g. `Mod+Enter`, `?`, `Shift++`. The key `+` may stand last. */
export function chordParts(keys: string): { modifiers: string[]; key: string } {
  const plus = keys.endsWith('+')
  const parts = (plus ? keys.slice(0, -1) : keys).split('+').filter((part) => part !== '')
  const key = plus ? '+' : (parts.pop() ?? '')
  return { modifiers: parts, key }
}
