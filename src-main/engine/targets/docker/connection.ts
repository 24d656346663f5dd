import { readFile } from 'node:fs/promises'
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { inspect } from 'node:util'
import type Docker from 'dockerode'
import { fail, FailureError, systemClock, type Clock } from '../../lib'
import { fileFailure } from '../files/file-failure'
import { engineUnreachable, obstacleOf, statusOf } from './docker-failure'
import type { DockerEndpoint, TlsFiles } from './endpoint'

/** Long enough for a busy engine, short enough to be told apart from one that hangs. */
export const ASK_DEADLINE_MS = 15_000

/** A way to one engine. Opens a connection per request, so that nothing stale survives an engine's restart. */
export interface DockerConnection {
  readonly endpoint: DockerEndpoint
  /**
   * Runs a request with a deadline (default 15 s). What the engine answers with an error status is thrown as dockerode
   * gives it (see `statusOf`); when it could not be asked, UnreachableError `docker-…`.
   */
  ask<T>(run: (docker: Docker) => Promise<T>, deadlineMs?: number): Promise<T>
  /** As `ask`, for answers that stream without end: the deadline holds until the answer begins. */
  stream<T>(run: (docker: Docker) => Promise<T>, deadlineMs?: number): Promise<T>
  dispose(): Promise<void>
}

/** What must be opened first for an endpoint behind ssh: a private local socket that leads to the remote one. */
export interface Tunnel {
  open(): Promise<string>
  /** The way was open, but nobody answered: looks again, and throws what it finds. */
  doubt(): Promise<void>
  dispose(): Promise<void>
}

interface ClientOptions {
  socketPath: string | undefined
  host: string | undefined
  port: number | undefined
  protocol: 'http' | 'https'
  ca: Buffer | undefined
  cert: Buffer | undefined
  key: Buffer | undefined
  pathPrefix: undefined
  version: undefined
  timeout: number | undefined
  connectionTimeout: number
  agent: HttpAgent | HttpsAgent
}

async function readPem(path: string): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch (thrown) {
    return fail(fileFailure(path, thrown), thrown)
  }
}

async function tlsOptions(
  tls: TlsFiles
): Promise<Pick<ClientOptions, 'ca' | 'cert' | 'key' | 'agent'>> {
  // One after the other, so that the same file is named each time when several are missing.
  const ca = await readPem(tls.ca)
  const cert = await readPem(tls.cert)
  const key = await readPem(tls.key)
  return {
    ca,
    cert,
    key,
    agent: unread(new HttpsAgent({ keepAlive: false, rejectUnauthorized: tls.verify }))
  }
}

/**
 * docker-modem prints each request's options with all that is hidden in them, whether anybody reads it or not
 * (`lib/modem.js`). In Electron 25 printing an agent that way ends the whole process.
 */
function unread<T extends HttpAgent>(agent: T): T {
  return Object.assign(agent, { [inspect.custom]: () => 'Agent' })
}

/**
 * dockerode reads DOCKER_HOST and its like by itself, fails on values it does not know, and lets them win over some
 * of what it is told. They are already resolved here, so it sees none of them.
 */
function withoutDockerEnvironment<T>(run: () => T): T {
  const hidden = Object.entries(process.env).filter(([name]) => name.startsWith('DOCKER_'))
  for (const [name] of hidden) delete process.env[name]
  try {
    return run()
  } finally {
    for (const [name, value] of hidden) process.env[name] = value
  }
}

class EngineConnection implements DockerConnection {
  private tls: Promise<Pick<ClientOptions, 'ca' | 'cert' | 'key' | 'agent'>> | null = null

  constructor(
    readonly endpoint: DockerEndpoint,
    private readonly tunnel: Tunnel | null,
    private readonly clock: Clock
  ) {}

  ask<T>(run: (docker: Docker) => Promise<T>, deadlineMs = ASK_DEADLINE_MS): Promise<T> {
    return this.request(run, deadlineMs, deadlineMs)
  }

  stream<T>(run: (docker: Docker) => Promise<T>, deadlineMs = ASK_DEADLINE_MS): Promise<T> {
    return this.request(run, deadlineMs, undefined)
  }

  async dispose(): Promise<void> {
    await this.tunnel?.dispose()
  }

  private async request<T>(
    run: (docker: Docker) => Promise<T>,
    deadlineMs: number,
    idleMs: number | undefined
  ): Promise<T> {
    const client = await this.client(deadlineMs, idleMs)
    const began = this.clock.ticks()
    try {
      return await run(client)
    } catch (thrown) {
      if (statusOf(thrown) !== null || thrown instanceof FailureError) throw thrown
      const late = this.clock.ticks() - began >= deadlineMs
      await this.tunnel?.doubt()
      throw engineUnreachable(this.endpoint, obstacleOf(thrown, late), thrown)
    }
  }

  private async client(deadlineMs: number, idleMs: number | undefined): Promise<Docker> {
    const { default: Dockerode } = await import('dockerode')
    const options = await this.options(deadlineMs, idleMs)
    return withoutDockerEnvironment(() => new Dockerode(options))
  }

  private async options(deadlineMs: number, idleMs: number | undefined): Promise<ClientOptions> {
    const plain: ClientOptions = {
      socketPath: undefined,
      host: undefined,
      port: undefined,
      protocol: 'http',
      ca: undefined,
      cert: undefined,
      key: undefined,
      pathPrefix: undefined,
      // No version in the path: the engine answers with its own, so old and new ones both understand us.
      version: undefined,
      timeout: idleMs,
      connectionTimeout: deadlineMs,
      agent: unread(new HttpAgent({ keepAlive: false }))
    }
    const { endpoint } = this
    switch (endpoint.kind) {
      case 'socket':
        return { ...plain, socketPath: endpoint.path }
      case 'ssh':
        return { ...plain, socketPath: await this.tunnel?.open() }
      case 'tcp': {
        const place = { ...plain, host: endpoint.host, port: endpoint.port }
        if (endpoint.tls === null) return place
        this.tls ??= tlsOptions(endpoint.tls)
        return { ...place, protocol: 'https', ...(await this.tls) }
      }
    }
  }
}

/** A connection to `endpoint`; for ssh, `tunnel` leads there. Nothing is opened before the first question. */
export function connectDocker(
  endpoint: DockerEndpoint,
  tunnel: Tunnel | null = null,
  clock: Clock = systemClock
): DockerConnection {
  return new EngineConnection(endpoint, tunnel, clock)
}
