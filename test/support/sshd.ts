import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { descendants, processTable } from '../../src-main/engine/targets/process/process-table'
import { findProgram, killNow } from './own-engine'

/** A real sshd on 127.0.0.1 with keys of its own. */
export interface TestSshd {
  port: number
  /** Line for a known_hosts file. */
  hostKey: string
  /** Ends every open connection, as a network cut does for them. */
  cut(): Promise<void>
  dispose(): Promise<void>
}

/** Keys and configuration of the one who connects. */
export interface TestSshUser {
  folder: string
  /** For `ssh -F`. */
  configFile: string
  publicKey: string
  /** Writes the configuration: aliases `direct` and, when `second` is given, `inner` (through `direct`). */
  configure(direct: TestSshd, options?: { second?: TestSshd; hostKeys?: string[] }): void
  dispose(): Promise<void>
}

export function sshObstacle(): string | null {
  if (findProgram('sshd') === null || findProgram('ssh') === null) return 'OpenSSH is not installed'
  return process.getuid?.() === 0 ? null : 'a test sshd needs root'
}

function makeKey(file: string): string {
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'test', '-f', file])
  return readFileSync(`${file}.pub`, 'utf8').trim()
}

export function makeSshUser(): TestSshUser {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-ssh-user-'))
  const configFile = join(folder, 'config')
  const known = join(folder, 'known_hosts')
  const publicKey = makeKey(join(folder, 'id'))
  return {
    folder,
    configFile,
    publicKey,
    configure(direct, { second, hostKeys } = {}) {
      const servers = second === undefined ? [direct] : [direct, second]
      writeFileSync(
        known,
        servers
          .map(
            ({ port, hostKey }, index) => `[127.0.0.1]:${port} ${hostKeys?.[index] ?? hostKey}\n`
          )
          .join('')
      )
      const host = (alias: string, { port }: TestSshd, jump: string): string =>
        [
          `Host ${alias}`,
          '  HostName 127.0.0.1',
          `  Port ${port}`,
          `  User ${userInfo().username}`,
          `  IdentityFile ${join(folder, 'id')}`,
          '  IdentitiesOnly yes',
          '  IdentityAgent none',
          `  UserKnownHostsFile ${known}`,
          '  GlobalKnownHostsFile /dev/null',
          '  StrictHostKeyChecking yes',
          jump
        ].join('\n')
      const inner =
        second === undefined
          ? ''
          : host('inner', second, `  ProxyCommand ssh -F ${configFile} -W %h:%p direct`)
      writeFileSync(configFile, `${host('direct', direct, '')}\n${inner}\n`)
    },
    dispose: () => rm(folder, { recursive: true, force: true })
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (typeof address !== 'object' || address === null) throw new Error('no port')
  return address.port
}

/** Starts an sshd that lets `publicKey` in as the current user. */
export async function startSshd(publicKey: string): Promise<TestSshd> {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-sshd-'))
  const hostKey = makeKey(join(folder, 'host'))
  writeFileSync(join(folder, 'authorized'), `${publicKey}\n`, { mode: 0o600 })
  mkdirSync('/run/sshd', { recursive: true, mode: 0o755 })
  const port = await freePort()
  writeFileSync(
    join(folder, 'sshd_config'),
    [
      `Port ${port}`,
      'ListenAddress 127.0.0.1',
      `HostKey ${join(folder, 'host')}`,
      `AuthorizedKeysFile ${join(folder, 'authorized')}`,
      'PidFile none',
      'UsePAM no',
      'StrictModes no',
      'PasswordAuthentication no',
      'KbdInteractiveAuthentication no',
      'PermitRootLogin prohibit-password',
      'MaxStartups 50',
      'PrintMotd no'
    ].join('\n')
  )
  const child: ChildProcess = spawn(
    findProgram('sshd') ?? 'sshd',
    ['-D', '-e', '-f', join(folder, 'sshd_config')],
    { stdio: ['ignore', 'ignore', 'pipe'] }
  )
  const words: string[] = []
  await new Promise<void>((ready, failed) => {
    if (child.stderr === null) return
    createInterface({ input: child.stderr }).on('line', (line) => {
      words.push(line)
      if (line.includes('Server listening')) ready()
    })
    child.once('exit', () => {
      failed(new Error(`sshd ended: ${words.join('\n')}`))
    })
  })
  return {
    port,
    hostKey,
    async cut() {
      for (const pid of descendants(child.pid ?? -1, await processTable()))
        // A session ends with the one that it belongs to.
        killNow(pid)
    },
    async dispose() {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
      await rm(folder, { recursive: true, force: true })
    }
  }
}
