import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTarget, type Target } from '../../src-main/engine/targets'
import { describeWithDocker, startEngine, type TestEngine } from '../support/docker-engine'

const openssl = (...args: string[]): void => {
  execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'] })
}

/** A certificate authority with a server and a client certificate, as Docker's documentation makes them. */
async function makeCertificates(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const at = (name: string): string => join(folder, name)
  openssl(
    ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=test ca'],
    ...['-keyout', at('ca-key.pem'), '-out', at('ca.pem')]
  )
  const sign = async (name: string, extensions: string): Promise<void> => {
    await writeFile(at('ext'), extensions)
    openssl(
      ...['req', '-newkey', 'rsa:2048', '-nodes', '-subj', `/CN=${name}`],
      ...['-keyout', at(`${name}key.pem`), '-out', at('csr')]
    )
    openssl(
      ...['x509', '-req', '-days', '2', '-in', at('csr'), '-CA', at('ca.pem')],
      ...['-CAkey', at('ca-key.pem'), '-CAcreateserial', '-out', at(`${name}cert.pem`)],
      ...['-extfile', at('ext')]
    )
  }
  await sign('server-', 'subjectAltName=IP:127.0.0.1\nextendedKeyUsage=serverAuth')
  await sign('', 'extendedKeyUsage=clientAuth')
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}

describeWithDocker('an engine behind tcp and TLS', () => {
  let engine: TestEngine
  let folder: string
  let port: number
  const targets: Target[] = []

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'slipway-tls-'))
    await makeCertificates(join(folder, 'good'))
    await makeCertificates(join(folder, 'other'))
    port = await freePort()
    const good = (name: string): string => join(folder, 'good', name)
    engine = await startEngine([
      ...['--host', `tcp://127.0.0.1:${port}`, '--tlsverify', '--tlscacert', good('ca.pem')],
      ...['--tlscert', good('server-cert.pem'), '--tlskey', good('server-key.pem')]
    ])
  })
  afterAll(async () => {
    for (const target of targets) await target.dispose()
    await engine.dispose()
    await rm(folder, { recursive: true, force: true })
  })

  async function open(tlsFolder: string | null): Promise<Target> {
    const target = await openTarget(
      {
        kind: 'docker',
        id: 'tls',
        name: 'TLS',
        via: { kind: 'tcp', host: '127.0.0.1', port, tlsFolder }
      },
      { installation: 'test-tls', resources: resolve('resources'), home: folder }
    )
    targets.push(target)
    return target
  }
  const signal = new AbortController().signal

  it('is asked with the right certificates', async () => {
    const target = await open(join(folder, 'good'))
    expect(await target.probe(signal)).toMatchObject({ reachable: 'yes', engine: 'Docker' })
  })

  it('says what is wrong with other certificates, or with none', async () => {
    const other = await (await open(join(folder, 'other'))).probe(signal)
    expect(other).toMatchObject({ reachable: 'no' })
    expect(other.why?.en).toContain('certificates do not agree')
    expect((await (await open(null)).probe(signal)).reachable).toBe('no')
    await expect((await open(join(folder, 'absent'))).findOwn('x')).rejects.toMatchObject({
      failure: { where: join(folder, 'absent', 'ca.pem') }
    })
  })

  it('shows files of its machine through a helper container that only reads', async () => {
    const target = await open(join(folder, 'good'))
    const file = join(folder, 'of-root')
    await writeFile(file, 'written by root\n', { mode: 0o600 })
    await expect(target.files.stat(file)).rejects.toMatchObject({
      failure: { code: 'helper-image-missing' }
    })
    await target.images?.buildPractice({ log: () => {}, signal })
    expect(await target.files.stat(file)).toMatchObject({ kind: 'file', size: 16, uid: 0 })
    expect(Buffer.from((await target.files.read(file, 8, 100)) ?? []).toString()).toBe('by root\n')
    expect(await target.files.stat(join(folder, 'absent-file'))).toBeNull()
    expect((await target.files.list(folder))?.map(({ name }) => name)).toContain('of-root')
    expect((await target.files.digest(file))?.length).toBe(64)
    const helpers = await engine.docker.listContainers({ filters: { label: ['slipway.helper'] } })
    expect(helpers.length).toBe(1)
    expect(await target.findOwn('test-tls')).toEqual([])
    await target.dispose()
    const left = await engine.docker.listContainers({ all: true })
    expect(left.filter(({ State }) => State === 'running')).toEqual([])
  })
})
