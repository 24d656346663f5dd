import { stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { TargetSpec } from '../../contract/targets'
import { dockerConfigFolder, listContexts, parseDockerHost } from './docker/endpoint'

export interface DiscoverySurroundings {
  environment: NodeJS.ProcessEnv
  /** The person's home folder. */
  home: string
  platform: NodeJS.Platform
  /** Sockets that a Docker of this computer may use, besides those in the home folder. */
  sockets?: readonly string[]
}

type DockerSpec = Extract<TargetSpec, { kind: 'docker' }>

/** Id of the target that is always there: commands as processes of this computer. */
export const LOCAL_TARGET = 'local'

/** Where engines put their socket: Docker, Docker Desktop, rootless Docker, Podman of the machine, Podman of the user. */
function usualSockets({ environment, home, platform }: DiscoverySurroundings): [string, string][] {
  if (platform === 'win32') return [['Docker', '//./pipe/docker_engine']]
  const runtime = environment['XDG_RUNTIME_DIR']
  const own: [string, string][] =
    runtime === undefined
      ? []
      : [
          ['Docker (rootless)', join(runtime, 'docker.sock')],
          ['Podman (rootless)', join(runtime, 'podman', 'podman.sock')]
        ]
  return [
    ['Docker', '/var/run/docker.sock'],
    ['Docker Desktop', join(home, '.docker', 'desktop', 'docker.sock')],
    ['Docker Desktop', join(home, '.docker', 'run', 'docker.sock')],
    ...own,
    ['Podman', '/run/podman/podman.sock']
  ]
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false
  )
}

async function socketTargets(surroundings: DiscoverySurroundings): Promise<DockerSpec[]> {
  const candidates: [string, string][] =
    surroundings.sockets?.map((path) => ['Docker', path]) ?? usualSockets(surroundings)
  const present = await Promise.all(candidates.map(async ([, path]) => isThere(path)))
  return candidates
    .filter((_, index) => present[index] === true)
    .map(([name, path]) => ({
      kind: 'docker',
      id: `socket:${path}`,
      name,
      via: { kind: 'socket', path }
    }))
}

/** The engine that DOCKER_HOST names, which the Docker command line would use. */
function environmentTarget(environment: NodeJS.ProcessEnv): DockerSpec[] {
  const host = environment['DOCKER_HOST']
  if (host === undefined || host === '') return []
  const endpoint = parseDockerHost(host, null)
  if (endpoint === null) return []
  const base = { kind: 'docker', id: 'environment:DOCKER_HOST', name: 'DOCKER_HOST' } as const
  switch (endpoint.kind) {
    case 'socket':
      return [{ ...base, via: endpoint }]
    case 'ssh':
      return [{ ...base, via: endpoint }]
    case 'tcp': {
      const tlsFolder =
        environment['DOCKER_TLS_VERIFY'] === undefined
          ? null
          : (environment['DOCKER_CERT_PATH'] ?? null)
      return [{ ...base, via: { ...pick(endpoint), tlsFolder } }]
    }
  }
}

function pick({ host, port }: { host: string; port: number }): {
  kind: 'tcp'
  host: string
  port: number
} {
  return { kind: 'tcp', host, port }
}

/** The place a target leads to, so that the same engine found twice is shown once. */
function place(spec: DockerSpec): string {
  return spec.via.kind === 'context' ? `context ${spec.via.context}` : JSON.stringify(spec.via)
}

/**
 * Targets this computer has without anybody adding them: its own processes, sockets that exist, DOCKER_HOST, and every
 * Docker context. Nothing is asked of them. DOCKER_CONTEXT and the chosen context come first among the contexts.
 */
export async function discoverTargets(
  surroundings: DiscoverySurroundings = {
    environment: process.env,
    home: homedir(),
    platform: process.platform
  }
): Promise<TargetSpec[]> {
  const { environment, home } = surroundings
  const [sockets, contexts] = await Promise.all([
    socketTargets(surroundings),
    listContexts(dockerConfigFolder(environment, home))
  ])
  const chosen = environment['DOCKER_CONTEXT']
  const named = contexts
    .map(({ name }): DockerSpec => ({
      kind: 'docker',
      id: `context:${name}`,
      name,
      via: { kind: 'context', context: name }
    }))
    .sort((a, b) => Number(b.name === chosen) - Number(a.name === chosen))
  const seen = new Set<string>()
  const docker = [...environmentTarget(environment), ...sockets, ...named].filter((spec) => {
    const at = place(spec)
    return seen.has(at) ? false : seen.add(at)
  })
  return [{ kind: 'process', id: LOCAL_TARGET, name: 'Process', python: null }, ...docker]
}
