import type { TargetSpec } from '@contract/targets'

export type AddressReading =
  { kind: 'ok'; spec: TargetSpec } | { kind: 'empty' } | { kind: 'unreadable' }

/**
 * The target an address means: `ssh://user@host`, `tcp://host:port` and `unix:///path` are Docker engines,
 * `http(s)://host:port` is a service that already runs. The id is made of the address, so adding twice adds once.
 */
export function readAddress(typed: string): AddressReading {
  const text = typed.trim()
  if (text === '') return { kind: 'empty' }
  const parsed = /^(ssh|tcp|unix|https?):\/\/(\S+)$/.exec(text)
  const [, scheme, rest] = parsed ?? []
  if (scheme === undefined || rest === undefined) return { kind: 'unreadable' }
  const base = { id: idOf(text), name: nameOf(rest) }
  switch (scheme) {
    case 'unix':
      return rest.startsWith('/')
        ? { kind: 'ok', spec: { kind: 'docker', ...base, via: { kind: 'socket', path: rest } } }
        : { kind: 'unreadable' }
    case 'ssh':
      return {
        kind: 'ok',
        spec: { kind: 'docker', ...base, via: { kind: 'ssh', destination: text } }
      }
    case 'tcp':
      return readTcp(rest, base)
    default:
      return URL.canParse(text)
        ? {
            kind: 'ok',
            spec: { kind: 'attach', ...base, address: text.replace(/\/$/, ''), tokenName: null }
          }
        : { kind: 'unreadable' }
  }
}

function readTcp(rest: string, base: { id: string; name: string }): AddressReading {
  const [, host, portText] = /^([^:/]+):(\d{1,5})\/?$/.exec(rest) ?? []
  const port = Number(portText)
  if (host === undefined || port < 1 || port > 65_535) return { kind: 'unreadable' }
  return {
    kind: 'ok',
    spec: { kind: 'docker', ...base, via: { kind: 'tcp', host, port, tlsFolder: null } }
  }
}

function idOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
}

function nameOf(rest: string): string {
  const host = rest.replace(/^[^@/]*@/, '')
  return host.startsWith('/') ? (host.split('/').at(-1) ?? host) : (host.split(/[/]/)[0] ?? host)
}
