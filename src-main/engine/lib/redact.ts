/**
 * Secrets never reach what Slipway copies, indexes, shows, exports or sends.
 * Two nets: the values we were told are secret, and the shapes that credentials have.
 */
const shapes: readonly RegExp[] = [
  /\b(?:sk|rk|pk)-[A-Za-z0-9_-]{16,}/g,
  /\bhf_[A-Za-z0-9]{16,}/g,
  /\bgh[pousr]_[A-Za-z0-9]{20,}/g,
  /\bAKIA[0-9A-Z]{16}\b/g,
  /\bey[A-Za-z0-9_-]{10,}\.ey[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/g,
  /(?<=\bBearer\s{1,3})[A-Za-z0-9._~+/=-]{8,}/gi,
  /(?<=\b[A-Z][A-Z0-9_]*(?:_KEY|_TOKEN|_SECRET|_PASSWORD)\s?[=:]\s?["']?)[^\s"',}]{6,}/g
]

export const REDACTED = '‹redacted›'

/** Values shorter than this are not treated as secrets by value: replacing them would tear ordinary words. */
const SHORTEST_SECRET = 6

/** Longest tail that must be held back so that a secret cut by a chunk border is still seen whole. */
export const REDACTION_OVERLAP = 512

export interface Redactor {
  (text: string): string
}

/** A redactor for these secret values and for the common shapes. Empty and very short values are ignored. */
export function redactor(secrets: Iterable<string>): Redactor {
  const values = [...new Set(secrets)]
    .filter((value) => value.length >= SHORTEST_SECRET)
    .sort((a, b) => b.length - a.length)
  return (text) => {
    let clean = text
    for (const value of values) clean = clean.replaceAll(value, REDACTED)
    for (const shape of shapes) clean = clean.replace(shape, REDACTED)
    return clean
  }
}
