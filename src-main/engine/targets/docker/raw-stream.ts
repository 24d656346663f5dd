import type { IncomingMessage } from 'node:http'
import type Docker from 'dockerode'

interface Modem {
  dial(
    request: {
      path: string
      method: string
      isStream: boolean
      statusCodes: Record<number, true | string>
      options: Record<string, unknown>
    },
    answered: (error: Error | null, answer: IncomingMessage) => void
  ): void
}

function isModem(modem: unknown): modem is Modem {
  return typeof modem === 'object' && modem !== null && 'dial' in modem
}

/**
 * A GET whose answer streams. dockerode's own `logs` streams only while following, and collects everything in memory
 * otherwise: a log may be larger than memory.
 */
export function openStream(
  docker: Docker,
  path: string,
  query: Record<string, unknown>
): Promise<IncomingMessage> {
  const modem: unknown = docker.modem
  if (!isModem(modem)) throw new TypeError('dockerode without its modem')
  return new Promise((resolve, reject) => {
    modem.dial(
      {
        path,
        method: 'GET',
        isStream: true,
        options: query,
        statusCodes: { 200: true, 404: 'no such container', 500: 'server error' }
      },
      (error, answer) => {
        if (error === null) resolve(answer)
        else reject(error)
      }
    )
  })
}
