import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { discoverTargets } from '../../../../../src-main/engine/targets'
import {
  contextId,
  listContexts,
  parseContextMeta,
  parseDockerHost,
  resolveEndpoint
} from '../../../../../src-main/engine/targets/docker/endpoint'
import { parseSshDestination } from '../../../../../src-main/engine/targets/ssh/ssh-destination'

it.each([
  ['unix:///var/run/docker.sock', { kind: 'socket', path: '/var/run/docker.sock' }],
  ['npipe:////./pipe/docker_engine', { kind: 'socket', path: '//./pipe/docker_engine' }],
  ['tcp://10.0.0.1:2376', { kind: 'tcp', host: '10.0.0.1', port: 2376, tls: null }],
  ['tcp://gpu-box', { kind: 'tcp', host: 'gpu-box', port: 2375, tls: null }],
  ['tcp://[fe80::1]:99/', { kind: 'tcp', host: 'fe80::1', port: 99, tls: null }],
  ['ssh://lin@lab:2222', { kind: 'ssh', destination: 'ssh://lin@lab:2222' }],
  ['unix://', null],
  ['tcp://', null],
  ['tcp://x:99999', null],
  ['docker.sock', null]
])('reads %s', (address, endpoint) => {
  expect(parseDockerHost(address, null)).toEqual(endpoint)
})

it('never throws on any address or context file', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      parseDockerHost(text, null)
      parseContextMeta(text, null)
    })
  )
})

describe('ssh destinations', () => {
  it('takes apart address and socket', () => {
    expect(parseSshDestination('ssh://lin@lab:22/run/docker.sock')).toEqual({
      destination: 'ssh://lin@lab:22',
      socket: '/run/docker.sock'
    })
    expect(parseSshDestination('lab')).toEqual({ destination: 'lab', socket: null })
  })

  it.each(['-oProxyCommand=x', 'a@-oX', 'ssh://-oX', 'a b', 'a;b', '$(x)'])(
    'refuses %s',
    (address) => {
      expect(() => parseSshDestination(address)).toThrow('not an address for ssh')
    }
  )
})

describe('contexts', () => {
  let home: string
  let config: string
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'slipway-contexts-'))
    config = join(home, '.docker')
  })
  afterEach(() => rm(home, { recursive: true, force: true }))

  async function context(name: string, host: string, tls = false): Promise<void> {
    const folder = join(config, 'contexts', 'meta', contextId(name))
    await mkdir(folder, { recursive: true })
    const meta = { Name: name, Metadata: {}, Endpoints: { docker: { Host: host } } }
    await writeFile(join(folder, 'meta.json'), JSON.stringify(meta))
    if (!tls) return
    const keys = join(config, 'contexts', 'tls', contextId(name), 'docker')
    await mkdir(keys, { recursive: true })
    for (const file of ['ca.pem', 'cert.pem', 'key.pem']) await writeFile(join(keys, file), '')
  }

  it('are read as the Docker command line writes them', async () => {
    await context('lab', 'ssh://lin@lab')
    await context('old', 'tcp://10.4.0.12:2376', true)
    await mkdir(join(config, 'contexts', 'meta', 'torn'), { recursive: true })
    await writeFile(join(config, 'contexts', 'meta', 'torn', 'meta.json'), '{')
    expect((await listContexts(config)).map(({ name }) => name)).toEqual(['lab', 'old'])
    expect(await resolveEndpoint({ kind: 'context', context: 'old' }, config)).toMatchObject({
      kind: 'tcp',
      host: '10.4.0.12',
      tls: { verify: true }
    })
    await expect(
      resolveEndpoint({ kind: 'context', context: 'gone' }, config)
    ).rejects.toMatchObject({ failure: { code: 'docker-context-missing' } })
  })

  it('are discovered with sockets that exist and DOCKER_HOST, each place once', async () => {
    await context('lab', 'ssh://lin@lab')
    await context('chosen', 'ssh://lin@chosen')
    const socket = join(home, 'a.sock')
    await writeFile(socket, '')
    const found = await discoverTargets({
      environment: { DOCKER_HOST: `unix://${socket}`, DOCKER_CONTEXT: 'chosen' },
      home,
      platform: 'linux',
      sockets: [socket, join(home, 'absent.sock')]
    })
    expect(found.map(({ id }) => id)).toEqual([
      'local',
      'environment:DOCKER_HOST',
      'context:chosen',
      'context:lab'
    ])
  })
})
