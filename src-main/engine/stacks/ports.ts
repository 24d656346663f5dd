import { createServer } from 'node:net'
import { errorCode } from '../lib'

/** How many ports after the wanted one are tried. */
const TRIES = 50

/** A port kept from everybody else of this machine by listening on it. */
export interface HeldPort {
  port: number
  letGo: () => Promise<void>
}

function listenOn(port: number, host: string): Promise<HeldPort | null> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', (cause) => {
      const code = errorCode(cause)
      if (code === 'EADDRINUSE' || code === 'EACCES') resolve(null)
      else reject(cause)
    })
    server.listen({ port, host, exclusive: true }, () => {
      const letGo = (): Promise<void> =>
        new Promise((closed) => {
          server.close(() => {
            closed()
          })
        })
      resolve({ port, letGo })
    })
  })
}

/** True when nothing listens on the port of this machine, found by listening on it for a moment. */
export async function portIsFree(port: number, host: string): Promise<boolean> {
  const held = await listenOn(port, host)
  await held?.letGo()
  return held !== null
}

/**
 * Holds the wanted port or the next free one; null when none of the next fifty is. Two launches at once cannot get the
 * same: while one holds it the other cannot listen, and `reserved`, asked only then, has it once the one let go.
 */
export async function holdPort(
  wanted: number,
  host: string,
  reserved: () => Promise<ReadonlySet<number>>
): Promise<HeldPort | null> {
  for (let port = wanted; port < wanted + TRIES && port <= 65_535; port += 1) {
    const held = await listenOn(port, host)
    if (held === null) continue
    if (!(await reserved()).has(port)) return held
    await held.letGo()
  }
  return null
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
