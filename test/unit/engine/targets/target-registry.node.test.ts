import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openTarget, TargetRegistry } from '../../../../src-main/engine/targets'
import type { TargetSpec } from '../../../../src-main/contract/targets'

let home: string
let registry: TargetRegistry
const servers: Server[] = []

const make = (): TargetRegistry =>
  new TargetRegistry({
    installation: 'test',
    resources: 'resources',
    home,
    dockerConfig: join(home, '.docker'),
    secret: (name) => Promise.resolve(name === 'REEF_TOKEN' ? 'right-token' : null),
    discovery: { environment: {}, home, platform: 'linux', sockets: [join(home, 'found.sock')] }
  })

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'slipway-registry-'))
  registry = make()
})
afterEach(async () => {
  await registry.dispose()
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
  await rm(home, { recursive: true, force: true })
})

/** Serves one answer on `place` (a socket path or a port of 127.0.0.1); gives the address. */
async function serve(
  place: string | number,
  status: number,
  body: string,
  token?: string
): Promise<string> {
  const server = createServer((question, answer) => {
    const allowed = token === undefined || question.headers.authorization === `Bearer ${token}`
    answer.writeHead(allowed ? status : 401, { server: 'nginx' }).end(body)
  })
  servers.push(server)
  if (typeof place === 'number') server.listen(place, '127.0.0.1')
  else server.listen(place)
  await once(server, 'listening')
  const address = server.address()
  return typeof address === 'object' && address !== null ? `http://127.0.0.1:${address.port}` : ''
}

const attach = (address: string, tokenName: string | null = null): TargetSpec => ({
  kind: 'attach',
  id: 'reef',
  name: 'Reef',
  address,
  tokenName
})

describe('the list', () => {
  it('has this computer, and keeps what was added', async () => {
    expect((await registry.list()).map(({ spec }) => spec.id)).toEqual(['local'])
    await registry.add(attach('http://127.0.0.1:1'))
    expect((await stat(join(home, 'targets.json'))).mode & 0o777).toBe(0o600)
    const again = make()
    expect((await again.list()).map(({ spec, found }) => [spec.id, found])).toEqual([
      ['local', true],
      ['reef', false]
    ])
    await registry.remove('reef')
    expect((await again.list()).map(({ spec }) => spec.id)).toEqual(['local'])
  })

  it('loses nothing when several are added at once', async () => {
    await Promise.all(
      ['a', 'b', 'c'].map((id) => registry.add({ ...attach('http://127.0.0.1:1'), id }))
    )
    expect((await make().list()).map(({ spec }) => spec.id).sort()).toEqual([
      'a',
      'b',
      'c',
      'local'
    ])
  })

  it('hides a found target that is removed, and refuses to remove this computer', async () => {
    await writeFile(join(home, 'found.sock'), '')
    const id = `socket:${join(home, 'found.sock')}`
    expect((await registry.list()).map(({ spec }) => spec.id)).toContain(id)
    await registry.remove(id)
    expect((await registry.list()).map(({ spec }) => spec.id)).not.toContain(id)
    await expect(registry.remove('local')).rejects.toMatchObject({
      failure: { code: 'target-fixed' }
    })
  })

  it('refuses addresses that can never be one, and ids that are taken', async () => {
    const ssh: TargetSpec = {
      kind: 'docker',
      id: 'x',
      name: 'x',
      via: { kind: 'ssh', destination: '-oProxyCommand=reboot' }
    }
    await expect(registry.add(ssh)).rejects.toMatchObject({
      failure: { code: 'ssh-destination-refused' }
    })
    await expect(registry.add(attach('http://user:pw@x'))).rejects.toMatchObject({
      failure: { code: 'address-refused' }
    })
    await expect(
      registry.add({ ...attach('http://127.0.0.1:1'), id: 'local' })
    ).rejects.toMatchObject({ failure: { code: 'target-exists' } })
    await expect(registry.probe('nobody')).rejects.toMatchObject({
      failure: { code: 'target-unknown' }
    })
  })

  it('puts a damaged file aside and goes on', async () => {
    await writeFile(join(home, 'targets.json'), '{"version":1,')
    expect((await registry.list()).map(({ spec }) => spec.id)).toEqual(['local'])
    const kept = (await readdir(home)).find((name) => name.startsWith('targets.json.damaged-'))
    expect(await readFile(join(home, kept ?? ''), 'utf8')).toBe('{"version":1,')
  })
})

describe('an attached Reef', () => {
  const status = '{"scenarios":{}}'

  it('is reachable with the right token', async () => {
    const address = await serve(0, 200, status, 'right-token')
    expect(await registry.add(attach(address, 'REEF_TOKEN'))).toMatchObject({
      reachable: 'yes',
      engine: 'Reef'
    })
  })

  it.each([
    ['token refused', 200, status, 'other-token', 'does not accept the token'],
    ['another server', 404, '<html>', undefined, 'is not a Reef'],
    ['a page that is always there', 200, '<html>', undefined, 'is not a Reef']
  ])('says why not: %s', async (_, code, body, token, words) => {
    const address = await serve(0, code, body, token)
    const seen = await registry.add(attach(address, 'REEF_TOKEN'))
    expect(seen.reachable).toBe('no')
    expect(seen.why?.en).toContain(words)
    expect(JSON.stringify(seen)).not.toContain('right-token')
  })

  it('says that nobody listens', async () => {
    const address = await serve(0, 200, status)
    for (const server of servers.splice(0)) await new Promise((done) => server.close(done))
    expect((await registry.add(attach(address))).why?.en).toContain('Nobody listens')
  })

  it('is never started or stopped', async () => {
    const target = await openTarget(attach('http://127.0.0.1:1'), {
      installation: 't',
      resources: '',
      home
    })
    await expect(target.kill({ kind: 'attached', address: '' })).rejects.toMatchObject({
      failure: { code: 'attached-not-ours' }
    })
  })
})

describe('a socket that is no Docker', () => {
  const docker = (path: string): TargetSpec => ({
    kind: 'docker',
    id: 'd',
    name: 'd',
    via: { kind: 'socket', path }
  })

  it('is told from one that is absent and one nobody listens on', async () => {
    const path = join(home, 'web.sock')
    await serve(path, 404, 'not found')
    expect(await registry.add(docker(path))).toMatchObject({ reachable: 'no', remedy: null })
    expect((await registry.probe('d')).why?.en).toContain('it is not Docker')
    await registry.remove('d')
    const absent = await registry.add(docker(join(home, 'absent.sock')))
    expect(absent.why?.en).toContain('Nothing is at')
    expect(absent.remedy).toBe('sudo systemctl start docker')
  })

  it('is not asked by what DOCKER_HOST says', async () => {
    const path = join(home, 'web.sock')
    await serve(path, 200, '{"Version":"1","ApiVersion":"1.40"}')
    process.env['DOCKER_HOST'] = 'nonsense'
    const seen = await registry.add(docker(path))
    expect(process.env['DOCKER_HOST']).toBe('nonsense')
    delete process.env['DOCKER_HOST']
    expect(seen).toMatchObject({ reachable: 'yes', version: '1' })
  })

  it('says which context is not there', async () => {
    const seen = await registry.add({
      kind: 'docker',
      id: 'c',
      name: 'c',
      via: { kind: 'context', context: 'gone' }
    })
    expect(seen.reachable).toBe('no')
    expect(seen.why?.en).toContain('"gone"')
  })
})
