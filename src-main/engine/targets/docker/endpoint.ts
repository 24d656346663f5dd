import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { TargetSpec } from '../../../contract/targets'
import { fail } from '../../lib'
import { isMissing } from '../files/file-failure'

export type DockerVia = Extract<TargetSpec, { kind: 'docker' }>['via']

/** Where a Docker API is, with nothing left to look up but the certificate files. */
export type DockerEndpoint =
  | { kind: 'socket'; path: string }
  | { kind: 'tcp'; host: string; port: number; tls: TlsFiles | null }
  | { kind: 'ssh'; destination: string }

/** Paths of PEM files; `verify` off only where a context says so itself. */
export interface TlsFiles {
  ca: string
  cert: string
  key: string
  verify: boolean
}

/** One entry of `docker context ls`. */
export interface DockerContext {
  name: string
  /** `unix://…`, `tcp://…`, `ssh://…`, `npipe://…` */
  host: string
  tls: TlsFiles | null
}

const PLAIN_PORT = 2375
const TLS_PORT = 2376

/**
 * Reads an address as Docker writes it (`unix:///var/run/docker.sock`, `tcp://host:2376`, `ssh://user@host:22`,
 * `npipe:////./pipe/docker_engine`, `http(s)://host:port`). Null for anything else.
 */
export function parseDockerHost(address: string, tls: TlsFiles | null): DockerEndpoint | null {
  const scheme = /^([a-z]+):\/\//.exec(address)?.[1]
  const rest = address.slice((scheme ?? '').length + 3)
  switch (scheme) {
    case 'unix':
    case 'npipe':
      return rest === '' ? null : { kind: 'socket', path: rest }
    case 'ssh':
      return rest === '' ? null : { kind: 'ssh', destination: address }
    case 'tcp':
    case 'http':
    case 'https': {
      const url = URL_PARTS.exec(rest)
      const host = url?.[1] ?? url?.[2]
      if (host === undefined || host === '') return null
      const secure = tls !== null || scheme === 'https'
      const port = url?.[3] === undefined ? (secure ? TLS_PORT : PLAIN_PORT) : Number(url[3])
      return port > 65_535 ? null : { kind: 'tcp', host, port, tls }
    }
    default:
      return null
  }
}

/** `[v6]:port`, `host:port`, `host`, with an optional path that is ignored. */
const URL_PARTS = /^(?:\[([0-9a-fA-F:.]+)\]|([^:/[\]]+))(?::(\d{1,5}))?(?:\/.*)?$/

/** The folder of the Docker command line's own settings. */
export function dockerConfigFolder(environment: NodeJS.ProcessEnv, home: string): string {
  return environment['DOCKER_CONFIG'] ?? join(home, '.docker')
}

export function tlsFilesIn(folder: string, verify = true): TlsFiles {
  return {
    ca: join(folder, 'ca.pem'),
    cert: join(folder, 'cert.pem'),
    key: join(folder, 'key.pem'),
    verify
  }
}

const ContextMeta = z.object({
  Name: z.string(),
  Endpoints: z.object({
    docker: z.object({ Host: z.string(), SkipTLSVerify: z.boolean().optional() })
  })
})

/** Parses a context's `meta.json`; null when it is not one (a Kubernetes-only context, a torn file). */
export function parseContextMeta(text: string, tlsFolder: string | null): DockerContext | null {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    // Not ours to repair; `docker context ls` will name it.
    return null
  }
  const parsed = ContextMeta.safeParse(json)
  if (!parsed.success) return null
  const { Host, SkipTLSVerify } = parsed.data.Endpoints.docker
  return {
    name: parsed.data.Name,
    host: Host,
    tls: tlsFolder === null ? null : tlsFilesIn(tlsFolder, SkipTLSVerify !== true)
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (thrown) {
    if (isMissing(thrown)) return []
    throw thrown
  }
}

async function readContext(config: string, id: string): Promise<DockerContext | null> {
  try {
    const text = await readFile(join(config, 'contexts', 'meta', id, 'meta.json'), 'utf8')
    const tlsFolder = join(config, 'contexts', 'tls', id, 'docker')
    const tlsFiles = await namesIn(tlsFolder)
    return parseContextMeta(text, tlsFiles.includes('cert.pem') ? tlsFolder : null)
  } catch (thrown) {
    if (isMissing(thrown)) return null
    throw thrown
  }
}

/** Every context stored in `config`, sorted by name. The built-in `default` is not among them. */
export async function listContexts(config: string): Promise<DockerContext[]> {
  const ids = await namesIn(join(config, 'contexts', 'meta'))
  const contexts = await Promise.all(ids.map((id) => readContext(config, id)))
  return contexts.filter((context) => context !== null).sort((a, b) => a.name.localeCompare(b.name))
}

/** Docker names a context's folder by the sha256 of its name. */
export function contextId(name: string): string {
  return createHash('sha256').update(name).digest('hex')
}

/** The endpoint a target's `via` means. Throws FailureError for a context that is not there or cannot be read. */
export async function resolveEndpoint(via: DockerVia, config: string): Promise<DockerEndpoint> {
  switch (via.kind) {
    case 'socket':
      return { kind: 'socket', path: via.path }
    case 'tcp':
      return {
        kind: 'tcp',
        host: via.host,
        port: via.port,
        tls: via.tlsFolder === null ? null : tlsFilesIn(via.tlsFolder)
      }
    case 'ssh':
      return { kind: 'ssh', destination: via.destination }
    case 'context': {
      const context = await readContext(config, contextId(via.context))
      const endpoint = context === null ? null : parseDockerHost(context.host, context.tls)
      if (endpoint !== null) return endpoint
      return fail({
        code: 'docker-context-missing',
        where: via.context,
        what: {
          en: `There is no usable Docker context "${via.context}" on this computer.`,
          zh: `此计算机上没有可用的 Docker context“${via.context}”。`
        },
        remedy: {
          en: 'List the contexts with "docker context ls", or remove this target.',
          zh: '请用“docker context ls”查看现有 context，或移除此目标。'
        },
        ...(context === null ? {} : { detail: context.host })
      })
    }
  }
}
