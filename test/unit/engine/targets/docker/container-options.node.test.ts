import { describe, expect, it } from 'vitest'
import { containerOptions } from '../../../../../src-main/engine/targets/docker/container-options'
import { livenessOf } from '../../../../../src-main/engine/targets/docker/docker-target'
import { obstacleOf } from '../../../../../src-main/engine/targets/docker/docker-failure'
import { gpuForm } from '../../../../../src-main/engine/targets/docker/gpu-form'
import { parseEngine } from '../../../../../src-main/engine/targets/docker/engine-probe'
import { startFailure } from '../../../../../src-main/engine/targets/docker/start-failure'
import { parseBuildLine } from '../../../../../src-main/engine/targets/images/build-image'
import { parseLdd } from '../../../../../src-main/engine/targets/images/machine-runtime'
import type { StartSpec } from '../../../../../src-main/engine/targets'

// The run line of Reef's docker/README.md: all GPUs, host network, host ipc, 32 GB of shared memory, three mounts.
const reef: StartSpec = {
  runId: 'sao run/1',
  attempt: 2,
  argv: ['reef', 'serve', '-c', '/workspace/Reef/recipe.yaml'],
  cwd: '/workspace/Reef',
  environment: { REEF_TOKEN: 'very-secret', PYTHONUNBUFFERED: '1' },
  secretNames: ['REEF_TOKEN'],
  attemptFolder: '/home/lin/slipway/r1/2',
  container: {
    image: 'reef',
    mounts: [
      { host: '/home/lin/models', container: '/root/models', readOnly: true },
      { host: '/home/lin/reef-run', container: '/var/lib/reef', readOnly: false }
    ],
    gpus: 'all',
    hostNetwork: true,
    ports: [],
    ipcHost: true,
    shmBytes: 32 * 1024 ** 3,
    user: null
  }
}

describe('the container of a plan', () => {
  it('is what the documented run line asks for', () => {
    const options = containerOptions(reef, 'inst')
    expect(options).toMatchObject({
      name: 'slipway-sao-run-1-2',
      Image: 'reef',
      Cmd: reef.argv,
      WorkingDir: '/workspace/Reef',
      HostConfig: {
        NetworkMode: 'host',
        IpcMode: 'host',
        ShmSize: 34_359_738_368,
        DeviceRequests: [{ Count: -1, Capabilities: [['gpu']] }],
        Mounts: [
          { Type: 'bind', Source: '/home/lin/models', Target: '/root/models', ReadOnly: true },
          { Type: 'bind', Source: '/home/lin/reef-run', Target: '/var/lib/reef', ReadOnly: false }
        ]
      }
    })
    expect(options.HostConfig).not.toHaveProperty('LogConfig')
    expect(options.Labels).toEqual({
      'slipway.installation': 'inst',
      'slipway.run': 'sao run/1',
      'slipway.attempt': '2'
    })
  })

  it('has secret values in its environment and nowhere else', () => {
    const { Env, ...rest } = containerOptions(reef, 'inst')
    expect(Env).toContain('REEF_TOKEN=very-secret')
    expect(JSON.stringify(rest)).not.toContain('very-secret')
  })

  it('is told from its companion’s, which has a command, a name and a network of its own or the stack’s', () => {
    if (reef.container === undefined) throw new Error('no container')
    const options = containerOptions(
      {
        ...reef,
        argv: ['/bin/sh', '-c', 'true'],
        companion: { name: 'agent', start: 3 },
        container: { ...reef.container, gpus: 'none', hostNetwork: false, joins: 'abc' }
      },
      'inst'
    )
    expect(options).toMatchObject({
      name: 'slipway-sao-run-1-2-agent-3',
      Entrypoint: ['/bin/sh'],
      Cmd: ['-c', 'true'],
      Labels: {
        'slipway.run': 'sao run/1',
        'slipway.companion': 'agent',
        'slipway.companion-start': '3'
      },
      HostConfig: { NetworkMode: 'container:abc' }
    })
    expect(containerOptions(reef, 'inst')).not.toHaveProperty('Entrypoint')
  })

  it('publishes ports to this machine only, and chosen GPUs by their ids', () => {
    if (reef.container === undefined) throw new Error('no container')
    const container = {
      ...reef.container,
      hostNetwork: false,
      gpus: ['0', '2'],
      ports: [{ host: 18900, container: 8900 }]
    }
    const { HostConfig } = containerOptions({ ...reef, container }, 'inst')
    expect(HostConfig).toMatchObject({
      PortBindings: { '8900/tcp': [{ HostIp: '127.0.0.1', HostPort: '18900' }] },
      DeviceRequests: [{ DeviceIDs: ['0', '2'] }]
    })
    expect(HostConfig).not.toHaveProperty('NetworkMode')
  })

  it('names GPUs by CDI where the engine takes them so, and is not made where it takes none', () => {
    const { HostConfig } = containerOptions(reef, 'inst', 'cdi')
    expect(HostConfig?.DeviceRequests).toEqual([
      { Driver: 'cdi', DeviceIDs: ['nvidia.com/gpu=all'] }
    ])
    const of = (engine: string, version: string) => {
      const facts = parseEngine({ Version: version, ApiVersion: '1.41' }, {})
      return facts === null ? null : gpuForm({ ...facts, engine })
    }
    expect(['4.3.1', '5.3.2', '5.4.0', '6.0.0'].map((version) => of('Podman', version))).toEqual([
      ...[null, null, 'cdi', 'cdi']
    ])
    expect(of('Docker', '20.10.24')).toBe('docker')
  })
})

describe('how a container ended', () => {
  const state = {
    Status: 'exited',
    Running: false,
    Paused: false,
    Restarting: false,
    OOMKilled: false,
    Dead: false,
    Pid: 0,
    ExitCode: 0,
    Error: '',
    StartedAt: '',
    FinishedAt: '2026-11-30T03:00:00.123456789Z'
  }

  it.each([
    [{}, { kind: 'exited', exit: { kind: 'code', code: 0 } }],
    [{ ExitCode: 137 }, { kind: 'exited', exit: { kind: 'code', code: 137 } }],
    [
      { ExitCode: 137, OOMKilled: true },
      { kind: 'exited', exit: { kind: 'oom' } }
    ],
    [{ Status: 'created' }, { kind: 'exited', exit: { kind: 'unknown' } }],
    [{ Running: true, Status: 'running' }, { kind: 'running' }],
    [{ OOMKilled: true }, { kind: 'exited', exit: { kind: 'code', code: 0 } }],
    [
      { Running: true, Paused: true, Status: 'paused' },
      { kind: 'running', paused: true }
    ]
  ])('%o', (change, liveness) => {
    expect(livenessOf({ ...state, ...change })).toMatchObject(liveness)
  })
})

it.each([
  ['ENOENT', 'absent'],
  ['ECONNREFUSED', 'not-running'],
  ['EACCES', 'permission'],
  ['HPE_INVALID_CONSTANT', 'not-docker'],
  ['ENOTFOUND', 'name-unknown'],
  ['CERT_HAS_EXPIRED', 'certificate'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'certificate'],
  ['EHOSTUNREACH', 'network'],
  ['ECONNRESET', 'cut']
])('%s means %s', (code, obstacle) => {
  const thrown = Object.assign(new Error(code), { code })
  expect(obstacleOf(thrown, false)).toBe(obstacle)
})

it('a connection that is cut after the deadline did not answer', () => {
  expect(obstacleOf(Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }), true)).toBe(
    'no-answer'
  )
})

it('tells Podman and Docker Desktop from Docker, and anything else from an engine', () => {
  const version = { Version: '4.3.1', ApiVersion: '1.41', Components: [{ Name: 'Podman Engine' }] }
  expect(parseEngine(version, {})?.engine).toBe('Podman')
  const docker = { Version: '28.5.1', ApiVersion: '1.51' }
  const desktop = { OperatingSystem: 'Docker Desktop', CgroupVersion: '2' }
  expect(parseEngine(docker, desktop)).toMatchObject({ engine: 'Docker Desktop', cgroup: 2 })
  expect(parseEngine(docker, { SecurityOptions: ['name=rootless'] })?.rootless).toBe(true)
  expect(parseEngine({ name: 'nginx' }, {})).toBeNull()
})

it('knows a taken port by the words of the engine', () => {
  const thrown = Object.assign(
    new Error('driver failed programming external connectivity: port is already allocated'),
    { statusCode: 500 }
  )
  const create = { HostConfig: { PortBindings: { '8900/tcp': [{ HostPort: '8900' }] } } }
  const failure = startFailure(thrown, create, { kind: 'socket', path: '/s' })
  expect(failure).toMatchObject({ code: 'port-taken', where: 'unix:///s' })
  expect(failure.what.en).toContain('8900')
})

it('knows a name that is taken by the words of Docker and of Podman', () => {
  const said = (statusCode: number, message: string) =>
    startFailure(
      Object.assign(new Error(message), { statusCode }),
      { name: 'slipway-1' },
      { kind: 'socket', path: '/s' }
    ).code
  expect(said(409, 'Conflict. The container name "/slipway-1" is already in use by …')).toBe(
    'container-exists'
  )
  expect(
    said(500, 'creating container storage: the container name "slipway-1" is already in use by …')
  ).toBe('container-exists')
})

it('reads lines of a build', () => {
  expect(parseBuildLine('{"stream":"Step 1/2 : FROM scratch\\n"}')).toEqual({
    kind: 'text',
    text: 'Step 1/2 : FROM scratch'
  })
  expect(parseBuildLine('{"errorDetail":{"message":"no"},"error":"no"}')).toEqual({
    kind: 'error',
    text: 'no'
  })
  expect(parseBuildLine('{"aux":{"ID":"sha256:1"}}')).toEqual({ kind: 'image', id: 'sha256:1' })
  expect(parseBuildLine('{"status":"Pulling","id":"ab","progress":"1/2"}')).toEqual({
    kind: 'text',
    text: 'ab Pulling 1/2'
  })
  expect(parseBuildLine('{"stream":"\\n"}')).toBeNull()
})

it('reads what a program needs from ldd', () => {
  const text = [
    '\tlinux-vdso.so.1 (0x00007ffd)',
    '\tlibm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x00007f4b0c720000)',
    '\tlibodd.so => not found',
    '\t/lib64/ld-linux-x86-64.so.2 (0x00007f4b0ca40000)'
  ].join('\n')
  expect(parseLdd(text)).toEqual({
    found: ['/lib/x86_64-linux-gnu/libm.so.6', '/lib64/ld-linux-x86-64.so.2'],
    missing: ['libodd.so']
  })
  expect(parseLdd('\tnot a dynamic executable')).toEqual({ found: [], missing: [] })
})
