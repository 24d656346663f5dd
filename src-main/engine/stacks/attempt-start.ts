import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Override, Plan } from '../../contract/launch'
import type { AttemptRecord, NextAttempt, RunPaths, RunRecord } from '../runs'
import { ownRuntime, type StartSpec } from '../targets'
import { NEXRL_LOG } from './log-sources'
import { outOfMounts } from './mounts'
import { planForAttempt, STATE } from './plan'
import { type HeldPort, holdPort } from './ports'
import type { RecipeForPlan } from './recipe-for-plan'
import { onTarget } from './stack-paths'

/** An attempt about to begin. */
export type Begin = Omit<NextAttempt, 'reason'> & { reason: AttemptRecord['reason'] }

type ReadRecipe = (overrides: readonly Override[]) => Promise<RecipeForPlan>

/** The port planned may be another program's by now, or another run's that was launched at the same moment. */
async function heldPort(
  overrides: readonly Override[],
  plan: Plan,
  readRecipe: ReadRecipe,
  reserved: () => Promise<ReadonlySet<number>>
): Promise<{ held: HeldPort | null; overrides: readonly Override[] }> {
  if (!plan.practice) return { held: null, overrides }
  const { host, port } = await readRecipe([...plan.overrides, ...overrides])
  const held = await holdPort(port, host, reserved)
  if (held === null || held.port === port) return { held, overrides }
  const kept = overrides.filter(({ path }) => path !== 'reef.port')
  return { held, overrides: [...kept, { path: 'reef.port', value: String(held.port) }] }
}

/** A service that listens on every address is reached on this machine's own. */
function reachable(host: string): string {
  return host === '0.0.0.0' || host === '' || host === '::' ? '127.0.0.1' : host
}

/** Counts go on over the whole run; how far the records were read only within one storage. */
function carriedOn(
  last: AttemptRecord | undefined,
  before: AttemptRecord | undefined,
  storage: number
): AttemptRecord['traffic'] {
  if (last === undefined) return { served: 0, reported: 0, after: {} }
  const { served, reported } = last.traffic
  return {
    served,
    reported,
    after: before?.storage === storage ? before.traffic.after : {}
  }
}

/** The newest attempt that worked in a storage. */
export function newestOn(
  attempts: readonly AttemptRecord[],
  storage: number
): AttemptRecord | undefined {
  return attempts.filter((attempt) => attempt.storage === storage).at(-1)
}

/**
 * The record of the attempt that follows the run's last one. Nothing is started. The attempt's port is held until
 * `letGo`, to be called when the record is written and so names the port to other launches.
 */
export async function nextAttempt(
  record: RunRecord,
  begin: Begin,
  before: Plan,
  options: {
    paths: RunPaths
    now: number
    readRecipe: ReadRecipe
    /** Ports that other runs have or are about to use. */
    reserved: () => Promise<ReadonlySet<number>>
  }
): Promise<{ attempt: AttemptRecord; letGo: () => Promise<void> }> {
  const { paths, now, readRecipe } = options
  const last = record.attempts.at(-1)
  const number = (last?.number ?? 0) + 1
  const storage = begin.storage ?? (begin.reason === 'restart' ? (last?.storage ?? number) : number)
  // Storage of before is started the way it was: with the overrides that name its folders.
  const earlier = begin.storage === undefined ? undefined : newestOn(record.attempts, storage)
  const planned = earlier?.plan ?? before
  const port = await heldPort(begin.overrides, planned, readRecipe, options.reserved)
  const plan = planForAttempt(planned, {
    run: paths.folder,
    attempt: number,
    stack: storage === 1 ? 'stack' : `stack-${storage}`,
    overrides: port.overrides
  })
  const recipe = await readRecipe(plan.overrides)
  const place = (path: string): string => onTarget(path, plan.cwd, plan)
  const attempt: AttemptRecord = {
    number,
    startedAt: now,
    endedAt: null,
    // A container's image comes first; what is still planned when an engine dies was not started.
    state:
      plan.image === null
        ? { kind: 'starting', since: now, service: plan.services[0]?.name ?? 'reef' }
        : { kind: 'planned' },
    plan,
    command: plan.shell,
    handle: null,
    storage,
    ...(plan.nexrl === undefined ? reefPlaces(recipe, place) : driverPlaces(place(plan.cwd))),
    cwd: plan.cwd,
    reason: begin.reason,
    redeployedFrom: begin.redeployedFrom,
    reached: false,
    readyAt: null,
    traffic: carriedOn(last, earlier ?? last, storage),
    stopAsked: null
  }
  return { attempt, letGo: () => port.held?.letGo() ?? Promise.resolve() }
}

type Places = Pick<AttemptRecord, 'address' | 'runDir' | 'checkpointDir' | 'recordDir'>

function reefPlaces(recipe: RecipeForPlan, place: (path: string) => string): Places {
  return {
    address: `http://${reachable(recipe.host)}:${recipe.port}`,
    runDir: place(recipe.runDir),
    checkpointDir: recipe.checkpointDir === null ? null : place(recipe.checkpointDir),
    recordDir: place(recipe.recordDir)
  }
}

/** A NexRL driver answers nobody, and keeps neither checkpoints nor records on its machine. */
function driverPlaces(folder: string): Places {
  return { address: null, runDir: folder, checkpointDir: null, recordDir: null }
}

function gpusOf({ practice, gpus: { devices } }: Plan): 'all' | 'none' | readonly string[] {
  if (practice || devices?.length === 0) return 'none'
  return devices ?? 'all'
}

function containerOf(plan: Plan, image: string): NonNullable<StartSpec['container']> {
  return {
    image,
    // What the stack keeps begins empty; models and checkout are the person's, and a missing one is a mistake.
    mounts: plan.mounts.map((mount) => ({ ...mount, create: mount.container === STATE })),
    gpus: gpusOf(plan),
    hostNetwork: plan.network !== 'published',
    ports: plan.ports.map(({ port }) => ({ host: port, container: port })),
    ipcHost: !plan.practice,
    shmBytes: plan.shmBytes,
    user: plan.user ?? null,
    ...(plan.compose === undefined ? {} : { compose: plan.compose })
  }
}

/** What a target is told to start. Makes the folders; values of secrets go into the environment and nowhere else. */
export async function startSpec(
  run: string,
  attempt: AttemptRecord,
  paths: RunPaths,
  secret: (name: string) => Promise<string | null>
): Promise<StartSpec> {
  const { plan } = attempt
  const folder = paths.attempt(attempt.number)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const cwd = plan.image === null ? plan.cwd : outOfMounts(plan.cwd, plan.mounts)
  // The engine would make a container's missing working folder too, but as root.
  if (cwd !== null && (plan.image === null || plan.practice || plan.nexrl !== undefined)) {
    await mkdir(cwd, { recursive: true, mode: 0o700 })
  }
  const environment: Record<string, string> = {}
  const secretNames: string[] = []
  for (const { name, value } of plan.environment) {
    const given = value ?? (await secret(name))
    if (given === null) continue
    environment[name] = given
    if (value === null) secretNames.push(name)
  }
  const ours = plan.practice || plan.nexrl?.way === 'kubernetes'
  const runtime = ours && plan.image === null ? ownRuntime() : null
  return {
    runId: run,
    attempt: attempt.number,
    argv: runtime === null ? plan.argv : [runtime.command, ...plan.argv.slice(1)],
    cwd: plan.cwd,
    environment: { ...environment, ...runtime?.environment },
    secretNames,
    attemptFolder: folder,
    // Both outputs in one file: which step a line belongs to is told by the lines around it.
    ...(plan.nexrl === undefined ? {} : { output: join(folder, NEXRL_LOG) }),
    ...(plan.image === null ? {} : { container: containerOf(plan, plan.image) })
  }
}
