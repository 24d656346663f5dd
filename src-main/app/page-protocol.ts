import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { protocol } from 'electron'
import { CONTENT_SECURITY_POLICY, pageFile, SCHEME } from './policy'

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.ttf': 'font/ttf'
}

/** Must run before the app is ready. */
export function registerPageScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true } }
  ])
}

/** Serves the built page from `root`, each answer with the content security policy. */
export function servePage(root: string): void {
  protocol.handle(SCHEME, async (request) => {
    const file = pageFile(root, request.url)
    if (file === null) return new Response('', { status: 404 })
    try {
      return new Response(new Uint8Array(await readFile(file)), {
        headers: {
          'content-type': contentTypes[extname(file)] ?? 'application/octet-stream',
          'content-security-policy': CONTENT_SECURITY_POLICY,
          'x-content-type-options': 'nosniff'
        }
      })
    } catch (cause) {
      console.error(
        `page: ${request.url}: ${cause instanceof Error ? cause.message : String(cause)}`
      )
      return new Response('', { status: 404 })
    }
  })
}
