import { createServer } from 'node:net'
import { errorCode } from '../lib'

/** How many ports after the wanted one are tried. */
const TRIES = 50

/** True when nothing listens on the port of this machine, found by listening on it for a moment. */
export function portIsFree(port: number, host: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', (cause) => {
      const code = errorCode(cause)
      if (code === 'EADDRINUSE' || code === 'EACCES') resolve(false)
      else reject(cause)
    })
    server.listen({ port, host, exclusive: true }, () => {
      server.close(() => {
        resolve(true)
      })
    })
  })
}

/** The wanted port or the next free one; null when none of the next fifty is. */
export async function freePort(
  wanted: number,
  host: string,
  reserved: ReadonlySet<number>
): Promise<number | null> {
  for (let port = wanted; port < wanted + TRIES && port <= 65_535; port += 1) {
    if (!reserved.has(port) && (await portIsFree(port, host))) return port
  }
  return null
}
