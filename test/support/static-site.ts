import { createReadStream, existsSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { extname, join } from 'node:path'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.woff2': 'font/woff2'
}

/** Serves a folder on the loopback. Resolves with its address and what ends it. */
export async function serveFolder(folder: string): Promise<{ address: string; close: () => void }> {
  const server: Server = createServer((request, response) => {
    const file = join(folder, new URL(request.url ?? '/', 'http://loopback').pathname)
    if (!existsSync(file) || extname(file) === '') {
      response.writeHead(404).end()
      return
    }
    response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'text/plain' })
    createReadStream(file).pipe(response)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return { address: `http://127.0.0.1:${port}`, close: () => server.close() }
}
