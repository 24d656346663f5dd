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

/**
 * Serves the built page from `root`, each answer with the content security policy.
 * @param dark Whether the frame that is drawn before any script is dark.
 */
export function servePage(root: string, dark: () => boolean): void {
  // The first answer loads what makes answers, which takes longer than the page itself: done while its process starts.
  setImmediate(() => new Response(''))
  protocol.handle(SCHEME, async (request) => {
    const file = pageFile(root, request.url)
    if (file === null) return new Response('', { status: 404 })
    try {
      const bytes = await readFile(file)
      const body = extname(file) === '.html' ? inTheme(bytes, dark()) : bytes
      return new Response(new Uint8Array(body), {
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

function inTheme(page: Buffer, dark: boolean): Buffer {
  return dark
    ? page
    : Buffer.from(page.toString('utf8').replace('data-theme="dark"', 'data-theme="light"'))
}
