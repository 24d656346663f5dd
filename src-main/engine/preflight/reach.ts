import { connect } from 'node:net'
import { type Clock, messageOf, pause } from '../lib'

/** Milliseconds a question over the network may take in all; who is slower is `unknown`. */
export const NETWORK_MS = 3000

/** Milliseconds in which a connection must come about: name and handshake, wherever the service is. */
const CONNECT_MS = 900

const PORTS: Readonly<Record<string, number>> = { 'https:': 443, 'http:': 80 }

/** What a place on the network is asked at: its name and its port. Null for a text that is no address. */
function endpointOf(address: string): { host: string; port: number } | null {
  try {
    const { protocol, hostname, port } = new URL(address)
    const known = PORTS[protocol]
    if (hostname === '' || known === undefined) return null
    return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? known : Number(port) }
  } catch {
    // Not an address: that is the answer.
    return null
  }
}

export type Reach =
  /** Somebody listens there. */
  | { kind: 'there' }
  /** The name is not known, the connection refused. */
  | { kind: 'refused'; why: string }
  /** Neither yes nor no in time. */
  | { kind: 'late' }

/**
 * Whether a connection to the address comes about, told within a second: a name that nobody resolves and a machine that is
 * off would otherwise hold a question for as long as the system likes.
 */
export async function reach(address: string, clock: Clock, signal: AbortSignal): Promise<Reach> {
  const endpoint = endpointOf(address)
  if (endpoint === null) return { kind: 'refused', why: 'not an http address' }
  const socket = connect(endpoint)
  const late = new AbortController()
  try {
    return await new Promise<Reach>((resolve) => {
      void pause(clock, CONNECT_MS, signal, late.signal).then(() => resolve({ kind: 'late' }))
      socket.once('connect', () => resolve({ kind: 'there' }))
      socket.once('error', (cause) => resolve({ kind: 'refused', why: messageOf(cause) }))
    })
  } finally {
    late.abort()
    socket.destroy()
  }
}
