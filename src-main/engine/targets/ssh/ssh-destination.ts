import { fail } from '../../lib'

/** Where ssh goes, and the Docker socket there where the address names one. */
export interface SshDestination {
  /** As given to ssh: an alias of its configuration, `user@host`, or `ssh://user@host:port`. */
  destination: string
  /** Path of the remote Docker socket, or null to look for it in the usual places. */
  socket: string | null
}

/**
 * Reads `ssh://[user@]host[:port][/path/of/docker.sock]`, `user@host` or an alias. Refuses what ssh would take for an
 * option or the remote shell for more than a name.
 */
export function parseSshDestination(address: string): SshDestination {
  const url = /^ssh:\/\/([^/]+)(\/.*)?$/.exec(address)
  const host = url?.[1] ?? address
  const path = url?.[2] ?? ''
  const user = host.lastIndexOf('@')
  if (
    host.startsWith('-') ||
    host.slice(user + 1).startsWith('-') ||
    /[\s'"\\`$;&|<>()]/.test(host)
  )
    fail({
      code: 'ssh-destination-refused',
      where: address,
      what: {
        en: `"${address}" is not an address for ssh.`,
        zh: `“${address}”不是有效的 ssh 地址。`
      },
      remedy: {
        en: 'Write user@host, ssh://user@host:port, or a name from your ssh configuration.',
        zh: '请填写 user@host、ssh://user@host:port，或 ssh 配置中的名称。'
      }
    })
  return {
    destination: url === null ? host : `ssh://${host}`,
    socket: path.length > 1 ? path : null
  }
}
