import { join } from 'node:path'
import type { Clock } from '../lib'
import { type FileAccess, localFiles, type StackHandle } from '../targets'
import type { IngestSource } from '../metrics'
import { BUILD_LOG } from './image-preparation'

/** The output of a NexRL driver, both streams in one file of the attempt's folder. */
export const NEXRL_LOG = 'nexrl.log'

/** The complete logs of the services that have shown themselves (`reef/service/deploy/process.py`). */
async function serviceLogs(
  files: FileAccess,
  runDir: string
): Promise<{ service: string; path: string }[]> {
  const entries = (await files.list(runDir)) ?? []
  const names = entries.flatMap((entry) => {
    if (entry.kind === 'directory') return [entry.name]
    const worker = /^(.+)\.worker\.json$/.exec(entry.name)
    return worker?.[1] === undefined ? [] : [worker[1]]
  })
  const found: { service: string; path: string }[] = []
  for (const service of [...new Set(names)].sort()) {
    const path = `${runDir}/${service}/${service}.log`
    if ((await files.stat(path)) !== null) found.push({ service, path })
  }
  return found
}

/**
 * Where an attempt's log stands: each service's own file, whole; and the launcher's output, which repeats the services
 * late and cut and is good for its own lines only.
 */
export async function findLogSources(options: {
  files: FileAccess
  runDir: string
  /** Null before anything was started: then only the making of its image can have said something. */
  handle: StackHandle | null
  attempt: number
  /** Folder on this machine that holds `stdout.log` and `stderr.log`. */
  attemptFolder: string
  /** Folder on the target's machine where companions in containers write, when it is another one. */
  companions?: string | null
  /** Whether it is a NexRL driver, whose own output is the whole log. */
  nexrl?: boolean
  clock: Clock
}): Promise<IngestSource[]> {
  const { files, attempt, handle } = options
  const here = localFiles(options.clock)
  const buildLog = join(options.attemptFolder, BUILD_LOG)
  const build: IngestSource[] =
    (await here.stat(buildLog)) === null
      ? []
      : [{ id: `${attempt}/image-build`, attempt, path: buildLog, files: here, role: 'launcher' }]
  if (handle === null) return build
  if (options.nexrl === true)
    return [...build, ...driverLogs(options.attempt, handle, options.attemptFolder, here)]
  const services = await serviceLogs(files, options.runDir)
  const sources = services.map(({ service, path }): IngestSource => ({
    id: `${attempt}/${service}`,
    attempt,
    path,
    files,
    role: 'service'
  }))
  if (handle.kind === 'attached') return sources
  const companions = await companionLogs(attempt, options.attemptFolder, here)
  if (typeof options.companions === 'string' && options.companions !== options.attemptFolder)
    companions.push(...(await companionLogs(attempt, options.companions, files)))
  // A container's own output is copied beside the attempt, so both kinds are read on this machine.
  const launcher = (name: 'stdout' | 'stderr'): IngestSource => ({
    id: `${attempt}/launcher-${name}`,
    attempt,
    path: join(options.attemptFolder, `${name}.log`),
    files: here,
    role: 'launcher'
  })
  return [...build, ...sources, launcher('stdout'), launcher('stderr'), ...companions]
}

/** Whether a source is what a companion says, not the stack. */
export function isCompanionLog({ id, attempt, role }: IngestSource): boolean {
  return role === 'launcher' && id.startsWith(`${attempt}/companion-`)
}

async function companionLogs(
  attempt: number,
  folder: string,
  files: FileAccess
): Promise<IngestSource[]> {
  const said = (await files.list(folder)) ?? []
  return said.flatMap(({ name }): IngestSource[] => {
    const companion = /^(companion-.+)\.log$/.exec(name)?.[1]
    if (companion === undefined) return []
    const path = join(folder, name)
    return [{ id: `${attempt}/${companion}`, attempt, path, files, role: 'launcher' }]
  })
}

function driverLogs(
  attempt: number,
  handle: StackHandle,
  folder: string,
  files: FileAccess
): IngestSource[] {
  const source = (id: string, name: string): IngestSource => ({
    id: `${attempt}/${id}`,
    attempt,
    path: join(folder, name),
    files,
    role: 'service'
  })
  return handle.kind === 'container'
    ? [source('nexrl', 'stdout.log'), source('nexrl-stderr', 'stderr.log')]
    : [source('nexrl', NEXRL_LOG)]
}

const TAIL = 64 * 1024

/** The last 64 KiB of each log of the stack itself, launcher's errors first: what a diagnosis reads. */
export async function logTails(sources: readonly IngestSource[]): Promise<string[]> {
  const own = sources.filter((source) => !isCompanionLog(source))
  const order = own.sort((a, b) => rank(a) - rank(b))
  const tails: string[] = []
  for (const source of order) {
    const facts = await source.files.stat(source.path)
    if (facts === null) continue
    const from = Math.max(0, facts.size - TAIL)
    const bytes = await source.files.read(source.path, from, TAIL)
    if (bytes !== null) tails.push(new TextDecoder().decode(bytes))
  }
  return tails
}

function rank(source: IngestSource): number {
  if (source.id.endsWith('launcher-stderr')) return 0
  return source.role === 'service' ? 1 : 2
}
