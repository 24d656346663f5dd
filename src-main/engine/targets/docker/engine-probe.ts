import { z } from 'zod'
import type { EngineFacts } from '../../../contract/targets'
import type { Clock } from '../../lib'
import type { DockerConnection } from './connection'
import { engineUnreachable, statusOf } from './docker-failure'

/**
 * An engine that answers a ping is patiently asked who it is: Podman starts the system's package manager for each of its
 * programs to tell their versions, which takes seconds, and many on a busy machine.
 */
const IDENTITY_DEADLINE_MS = 60_000
/** How long what an engine said of its machine is believed. */
const KEPT_MS = 60_000

const Version = z.object({
  Version: z.string(),
  ApiVersion: z.string(),
  Components: z.array(z.object({ Name: z.string() })).nullish()
})

const Info = z.object({
  Name: z.string().nullish(),
  OperatingSystem: z.string().nullish(),
  CgroupVersion: z.union([z.string(), z.number()]).nullish(),
  OSType: z.string().nullish(),
  Architecture: z.string().nullish(),
  Driver: z.string().nullish(),
  LoggingDriver: z.string().nullish(),
  DockerRootDir: z.string().nullish(),
  Runtimes: z.record(z.string(), z.unknown()).nullish(),
  SecurityOptions: z.array(z.string()).nullish()
})

/** What the engine says about itself. Pure; null when the answers are not those of a Docker API. */
export function parseEngine(version: unknown, info: unknown): EngineFacts | null {
  const said = Version.safeParse(version)
  const about = Info.safeParse(info)
  if (!said.success || !about.success) return null
  const podman = (said.data.Components ?? []).some(({ Name }) => Name.startsWith('Podman'))
  const security = about.data.SecurityOptions ?? []
  return {
    engine: podman
      ? 'Podman'
      : (about.data.OperatingSystem ?? '').includes('Docker Desktop')
        ? 'Docker Desktop'
        : 'Docker',
    version: said.data.Version,
    api: said.data.ApiVersion,
    system: about.data.OSType ?? null,
    architecture: about.data.Architecture ?? null,
    host: about.data.Name ?? null,
    // Engines before 20.10 do not say, and knew version 1 only.
    cgroup: Number(about.data.CgroupVersion ?? 1) === 2 ? 2 : 1,
    storage: about.data.Driver ?? null,
    logDriver: about.data.LoggingDriver ?? null,
    rootFolder: about.data.DockerRootDir ?? null,
    runtimes: Object.keys(about.data.Runtimes ?? {}).sort(),
    rootless: security.some((option) => option.includes('rootless'))
  }
}

/** Asks the engine who it is. UnreachableError says why it could not be asked, or that this is no Docker. */
async function askEngine(connection: DockerConnection): Promise<EngineFacts> {
  const notDocker = (thrown: unknown): never => {
    throw engineUnreachable(connection.endpoint, 'not-docker', thrown)
  }
  try {
    // What costs an engine nothing comes first: one that hangs is not waited for as long as one that is slow.
    await connection.ask((docker) => docker.ping())
    const [version, info] = await Promise.all([
      connection.ask<unknown>((docker) => docker.version(), IDENTITY_DEADLINE_MS),
      connection.ask<unknown>((docker) => docker.info(), IDENTITY_DEADLINE_MS)
    ])
    return parseEngine(version, info) ?? notDocker(new Error('no ApiVersion in the answer'))
  } catch (thrown) {
    if (statusOf(thrown) !== null) return notDocker(thrown)
    throw thrown
  }
}

/** Who an engine is, asked anew or as it said a moment ago. */
export class EngineIdentity {
  private last: { facts: EngineFacts; at: number } | null = null

  constructor(
    private readonly connection: DockerConnection,
    private readonly clock: Clock
  ) {}

  /** Asks; UnreachableError as `askEngine`. */
  async ask(): Promise<EngineFacts> {
    const facts = await askEngine(this.connection)
    this.last = { facts, at: this.clock.ticks() }
    return facts
  }

  /** For what stays the same while an engine lives (system, processor, host, kind); asks when that was long ago. */
  async known(): Promise<EngineFacts> {
    const { last } = this
    if (last !== null && this.clock.ticks() - last.at < KEPT_MS) return last.facts
    return this.ask()
  }
}
