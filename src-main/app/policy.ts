import { sep, resolve } from 'node:path'

export const SCHEME = 'app'
export const PAGE_HOST = 'bundle'
export const PAGE_URL = `${SCHEME}://${PAGE_HOST}/index.html`

/** What the page may load and do. No inline script, no eval, no network: everything it needs comes over the port. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self' data:",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "object-src 'none'"
].join('; ')

function parse(url: string): URL | null {
  try {
    return new URL(url)
  } catch {
    // Not an address at all; every policy below treats that as a refusal.
    return null
  }
}

export function isOwnPage(url: string): boolean {
  const parsed = parse(url)
  return parsed !== null && parsed.protocol === `${SCHEME}:` && parsed.host === PAGE_HOST
}

/** Where a navigation or a new window may go. Only http(s) leaves the app, and only into the person's own browser. */
export function navigationVerdict(url: string): 'stay' | 'browser' | 'block' {
  if (isOwnPage(url)) return 'stay'
  const parsed = parse(url)
  return parsed !== null && (parsed.protocol === 'https:' || parsed.protocol === 'http:')
    ? 'browser'
    : 'block'
}

/** Chromium permissions of our own page. Copying an image or text is asked for by a click; nothing else is needed. */
export function permissionVerdict(permission: string, url: string): 'allow' | 'deny' {
  return permission === 'clipboard-sanitized-write' && isOwnPage(url) ? 'allow' : 'deny'
}

/** File of the page's folder that an address of our scheme names, or null when it names none or leaves the folder. */
export function pageFile(root: string, url: string): string | null {
  const parsed = parse(url)
  if (parsed === null || !isOwnPage(url)) return null
  let path: string
  try {
    path = decodeURIComponent(parsed.pathname)
  } catch {
    // Malformed escapes name no file.
    return null
  }
  if (path.includes('\0')) return null
  const file = resolve(root, `.${path === '/' ? '/index.html' : path}`)
  return file.startsWith(root + sep) ? file : null
}
