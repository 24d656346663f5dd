/**
 * A file name of a download that stays inside the chosen folder on every system, or null: names come from the service.
 * Folders inside are allowed (`sub/tokenizer.json`).
 */
export function safeName(name: string): string | null {
  if (name === '' || name.includes('\\') || name.includes(':') || name.includes('\0')) return null
  const parts = name.split('/')
  return parts.every((part) => part !== '' && part !== '.' && part !== '..') ? name : null
}

/** One segment of a request's path; null for what could lead the request elsewhere. */
export function pathSegment(id: string): string | null {
  return /^[\w-][\w.-]*$/.test(id) && !id.includes('..') ? encodeURIComponent(id) : null
}
