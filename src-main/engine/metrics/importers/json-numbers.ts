/** Parses JSON as Python writes it: bare NaN and infinities too. Null when it is no JSON. */
export function parsePythonJson(text: string): { value: unknown } | null {
  try {
    return { value: JSON.parse(text) }
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause
  }
  if (!/NaN|Infinity/.test(text)) return null
  // A text is passed in runs of ordinary characters: one at a time, a long one would exhaust the stack.
  const quoted = text.replace(
    /("[^"\\]*(?:\\.[^"\\]*)*")|(-?(?:NaN|Infinity))\b/g,
    (_all, inString: string | undefined, bare: string | undefined) => inString ?? `"${bare ?? ''}"`
  )
  try {
    return { value: JSON.parse(quoted) }
  } catch (cause) {
    if (cause instanceof SyntaxError) return null
    throw cause
  }
}

/** A JSON value as a number: numbers, booleans and the quoted non-finite ones; null for anything else. */
export function jsonNumber(value: unknown): number | null {
  if (typeof value === 'number') return value
  if (typeof value === 'boolean') return value ? 1 : 0
  switch (value) {
    case 'NaN':
      return Number.NaN
    case 'Infinity':
      return Infinity
    case '-Infinity':
      return -Infinity
    default:
      return null
  }
}

/** Every number of a JSON value, names joined by `joint`. Lists and typed W&B objects hold no scalars and are left out. */
export function numbersOf(value: unknown, name: string, joint: string): [string, number][] {
  const number = jsonNumber(value)
  if (number !== null) return [[name, number]]
  if (typeof value !== 'object' || value === null || Array.isArray(value) || '_type' in value)
    return []
  return Object.entries(value).flatMap(([key, inner]) =>
    numbersOf(inner, name === '' ? key : `${name}${joint}${key}`, joint)
  )
}
