/**
 * Secrets never reach what Slipway copies, indexes, shows, exports or sends.
 * Two nets: the values we were told are secret, and the shapes that credentials have.
 */
const shapes: readonly RegExp[] = [
  /\b(?:sk|rk|pk)-[A-Za-z0-9_-]{16,}/g,
  /\bhf_[A-Za-z0-9]{16,}/g,
  /\bgh[pousr]_[A-Za-z0-9]{20,}/g,
  /\bAKIA[0-9A-Z]{16}\b/g,
  /\bey[A-Za-z0-9_-]{10,}\.ey[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/g
]

/**
 * Credentials told by what stands before them, which stays. Every line of a log is looked at: `hint` is what a text has
 * to contain before the expression is tried at all.
 */
const named: readonly { hint: RegExp; shape: RegExp }[] = [
  { hint: /bearer/i, shape: /(\bBearer\s{1,3})[A-Za-z0-9._~+/=-]{8,}/gi },
  {
    hint: /_(?:KEY|TOKEN|SECRET|PASSWORD)/,
    shape: /(\b[A-Z][A-Z0-9_]*(?:_KEY|_TOKEN|_SECRET|_PASSWORD)\s?[=:]\s?["']?)(?!\s)[^\s"',}]{6,}/g
  },
  // The password of an address, and what its query names a credential.
  { hint: /:\/\//, shape: /(:\/\/[^\s/:@"']{1,200}:)[^\s/@"']{1,200}(?=@)/g },
  {
    hint: /[?&]/,
    shape:
      /([?&](?:api[-_]?key|key|token|access[-_]?token|auth|secret|password|passwd|sig|signature)=)[^\s&#"']{4,}/gi
  },
  // An option whose name says it: not the many that name a column (`--input-key`) or a special token (`--eos-token`).
  {
    hint: /--/,
    shape:
      /(--(?:[a-z0-9]+[-_])*(?:(?:api|access|secret|wandb)[-_]key|(?:hf|auth|access)[-_]token|secret|password|passwd)(?:=|\s{1,3})["']?)[^\s"'-][^\s"']{5,}/gi
  },
  { hint: /--token/, shape: /(\s--token(?:=|\s{1,3})["']?)[^\s"'-][^\s"']{5,}/g }
]

export const REDACTED = '‹redacted›'

/** Values shorter than this are not treated as secrets by value: replacing them would tear ordinary words. */
export const SHORTEST_SECRET = 6

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
    for (const { hint, shape } of named)
      if (hint.test(clean)) clean = clean.replace(shape, `$1${REDACTED}`)
    return clean
  }
}

const shapesOnly = redactor([])

/** Whether a text holds what has the shape of a credential, whatever it is called. */
export function holdsCredential(text: string): boolean {
  return shapesOnly(text) !== text
}

/** The same value with every text in it redacted; names of fields stay. */
export function redactDeep<T>(value: T, redact: Redactor): T
export function redactDeep(value: unknown, redact: Redactor): unknown {
  if (typeof value === 'string') return redact(value)
  if (Array.isArray(value)) return value.map((item: unknown) => redactDeep(item, redact))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, redactDeep<unknown>(item, redact)])
  )
}
