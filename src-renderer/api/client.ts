import { createORPCClient, type ClientLink } from '@orpc/client'
import { RPCLink } from '@orpc/client/message-port'
import type { ContractRouterClient } from '@orpc/contract'
import type { Contract } from '@contract/index'
import { connection } from '../state/connection'

export type Engine = ContractRouterClient<Contract>

/** What the link needs of a port, with a disconnect we can cause ourselves: old Chromium has no close event on ports. */
interface SwappablePort {
  onMessage: { addListener: (callback: (data: unknown) => void) => void }
  onDisconnect: { addListener: (callback: () => void) => void }
  postMessage: (data: unknown) => void
}

type Link = ClientLink<Record<never, never>>

let current: { link: Link; lose: () => void } | null = null
let waiting: ((link: Link) => void)[] = []

/**
 * Takes a port to the engine. Called again after the engine was restarted: calls and streams of the port before it
 * end with an error, later calls go through the new one.
 */
export function connectPort(port: MessagePort): void {
  current?.lose()
  const lost: (() => void)[] = []
  const adapter: SwappablePort = {
    onMessage: {
      addListener: (callback) =>
        port.addEventListener('message', (event: MessageEvent<unknown>) => callback(event.data))
    },
    onDisconnect: { addListener: (callback) => lost.push(callback) },
    postMessage: (data) => port.postMessage(data)
  }
  const link = new RPCLink({ port: adapter })
  const lose = (): void => {
    if (current?.link !== link) return
    current = null
    for (const callback of lost) callback()
    port.close()
  }
  current = { link, lose }
  port.addEventListener('close', () => {
    // A port may tell of its end after the next one is here.
    if (current?.link === link) disconnectPort()
  })
  port.start()
  for (const resume of waiting) resume(link)
  waiting = []
  connection.getState().connected()
}

/** The engine is gone and no new port is here yet. */
export function disconnectPort(): void {
  current?.lose()
  connection.getState().lost()
}

/**
 * Listens for ports the preload passes on, and asks for the first. Only messages of this very window are taken.
 * @returns stops listening
 */
export function listenForPorts(): () => void {
  const listener = (event: MessageEvent<unknown>): void => {
    if (event.source !== window) return
    if (event.data === 'slipway-port-lost') disconnectPort()
    if (event.data !== 'slipway-port') return
    const port = event.ports[0]
    if (port !== undefined) connectPort(port)
  }
  window.addEventListener('message', listener)
  window.postMessage('slipway-port-please', window.location.origin)
  return () => window.removeEventListener('message', listener)
}

function linkWhenReady(signal: AbortSignal | undefined): Promise<Link> {
  if (current !== null) return Promise.resolve(current.link)
  return new Promise((resolve, reject) => {
    waiting.push(resolve)
    signal?.addEventListener('abort', () => reject(new Error('The call was cancelled.')), {
      once: true
    })
  })
}

const dynamicLink: Link = {
  call: async (path, input, options) =>
    (await linkWhenReady(options.signal)).call(path, input, options)
}

/** The engine, by contract. Calls made while no port is here wait for one. */
export const engine: Engine = createORPCClient(dynamicLink)
