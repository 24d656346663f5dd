import { mkdir } from 'node:fs/promises'
import type { Override, Plan } from '../../contract/launch'
import type { AttemptRecord, NextAttempt, RunPaths, RunRecord } from '../runs'
import { ownRuntime, type StartSpec } from '../targets'
import { planForAttempt } from './plan'
import { freePort } from './ports'
import type { RecipeForPlan } from './recipe-for-plan'
import { onTarget } from './stack-paths'

/** An attempt about to begin. */
export type Begin = Omit<NextAttempt, 'reason'> & { reason: AttemptRecord['reason'] }

type ReadRecipe = (overrides: readonly Override[]) => Promise<RecipeForPlan>

/** The port of an earlier attempt may be another program's by now. */
async function withFreePort(
  overrides: readonly Override[],
  plan: Plan,
  readRecipe: ReadRecipe
): Promise<readonly Override[]> {
  if (!plan.practice || plan.image !== null) return overrides
  const { host, port } = await readRecipe([...plan.overrides, ...overrides])
  const free = await freePort(port, host, new Set())
  if (free === null || free === port) return overrides
  return [...overrides, { path: 'reef.port', value: String(free) }]
}

/** A service that listens on every address is reached on this machine's own. */
function reachable(host: string): string {
  return host === '0.0.0.0' || host === '' || host === '::' ? '127.0.0.1' : host
}

/** Counts go on over the whole run; how far the records were read only within one storage. */
function carriedOn(last: AttemptRecord | undefined, storage: number): AttemptRecord['traffic'] {
  if (last === undefined) return { served: 0, reported: 0, after: {} }
  const { served, reported, after } = last.traffic
  return { served, reported, after: last.storage === storage ? after : {} }
}

/** The record of the attempt that follows the run's last one. Nothing is started. */
export async function nextAttempt(
  record: RunRecord,
  begin: Begin,
  before: Plan,
  options: { paths: RunPaths; now: number; readRecipe: ReadRecipe }
): Promise<AttemptRecord> {
  const { paths, now, readRecipe } = options
  const last = record.attempts.at(-1)
  const number = (last?.number ?? 0) + 1
  const storage = begin.reason === 'restart' ? (last?.storage ?? number) : number
  const plan = planForAttempt(before, {
    run: paths.folder,
    attempt: number,
    stack: storage === 1 ? 'stack' : `stack-${storage}`,
    overrides: await withFreePort(begin.overrides, before, readRecipe)
  })
  const recipe = await readRecipe(plan.overrides)
  const place = (path: string): string => onTarget(path, plan.cwd, plan)
  return {
    number,
    startedAt: now,
    endedAt: null,
    state: { kind: 'starting', since: now, service: plan.services[0]?.name ?? 'reef' },
    plan,
    command: plan.shell,
    handle: null,
    storage,
    address: `http://${reachable(recipe.host)}:${recipe.port}`,
    cwd: plan.cwd,
    runDir: place(recipe.runDir),
    checkpointDir: recipe.checkpointDir === null ? null : place(recipe.checkpointDir),
    recordDir: place(recipe.recordDir),
    reason: begin.reason,
    redeployedFrom: begin.redeployedFrom,
    reached: false,
    readyAt: null,
    traffic: carriedOn(last, storage),
    stopAsked: null
  }
}

function containerOf(plan: Plan, image: string): NonNullable<StartSpec['container']> {
  return {
    image,
    mounts: plan.mounts,
    gpus: plan.practice ? 'none' : (plan.gpus.devices ?? 'all'),
    hostNetwork: true,
    ports: [],
    ipcHost: !plan.practice,
    shmBytes: plan.shmBytes,
    user: null
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
  if (plan.image === null) await mkdir(plan.cwd, { recursive: true, mode: 0o700 })
  const environment: Record<string, string> = {}
  const secretNames: string[] = []
  for (const { name, value } of plan.environment) {
    const given = value ?? (await secret(name))
    if (given === null) continue
    environment[name] = given
    if (value === null) secretNames.push(name)
  }
  const runtime = plan.practice && plan.image === null ? ownRuntime() : null
  return {
    runId: run,
    attempt: attempt.number,
    argv: runtime === null ? plan.argv : [runtime.command, ...plan.argv.slice(1)],
    cwd: plan.cwd,
    environment: { ...environment, ...runtime?.environment },
    secretNames,
    attemptFolder: folder,
    ...(plan.image === null ? {} : { container: containerOf(plan, plan.image) })
  }
}
