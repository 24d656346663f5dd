import { readFile } from 'node:fs/promises'
import { homedir, hostname } from 'node:os'
import { LaunchRequest, type Mount, type Plan } from '../../contract/launch'
import type { Failure } from '../../contract/failure'
import { type Check, PreflightReport } from '../../contract/preflight'
import type { TargetStatus } from '../../contract/targets'
import { type Clock, errorCode, fail, redactDeep, redactor } from '../lib'
import {
  applyFix,
  launchChecks,
  launchVerdict,
  localTool,
  type LaunchContext,
  type Leftover,
  type OwnRun,
  runChecks,
  type Tool,
  variableState
} from '../preflight'
import { secretValues } from '../recipes'
import { isFinal } from '../stacks'
import { localFiles, type Target } from '../targets'
import { os } from './guard'
import { checkWithFiles } from './recipe-handlers'
import type { Services } from './services'

/** Stacks of ours that run now, and the ports they answer on. */
async function ownStacks({ runs }: Services): Promise<Pick<LaunchContext, 'ownRuns' | 'ownPorts'>> {
  const ownPorts = new Map<number, string>()
  const ownRuns: OwnRun[] = []
  for (const run of (await runs.list()).runs) {
    if (isFinal(run.state)) continue
    const [{ address }, record] = await Promise.all([runs.get(run.id), runs.store.read(run.id)])
    if (address !== null) ownPorts.set(Number(new URL(address).port), run.name)
    const plan = record.attempts.at(-1)?.plan
    if (plan === undefined) continue
    const writes = plan.writes.map(({ path }) => outside(path, plan.mounts))
    ownRuns.push({ name: run.name, target: run.target.id, gpus: plan.gpus.count, writes })
  }
  return { ownRuns, ownPorts }
}

/** A path of a stack as its target's machine sees it. */
function outside(path: string, mounts: readonly Mount[]): string {
  const mount = mounts.find(({ container }) => path.startsWith(`${container}/`))
  return mount === undefined ? path : mount.host + path.slice(mount.container.length)
}

/** A question of our own to an image is over in this time; a younger helper may be at work for somebody. */
const HELPER_AT_WORK_MS = 120_000

/** What ended on the target, carries our label, and that no run needs any more. */
async function leftoversOf(
  target: Target,
  { runs, clock }: Pick<Services, 'runs' | 'clock'>
): Promise<Leftover[]> {
  const ended = (await target.endedOwn?.()) ?? []
  if (ended.length === 0) return []
  const over = new Set(
    (await runs.list()).runs.flatMap(({ id, state }) => (isFinal(state) ? [id] : []))
  )
  return ended.flatMap(({ id, name, runId, created }) => {
    const dead = runId === null ? clock.now() - created > HELPER_AT_WORK_MS : over.has(runId)
    return dead ? [{ id, name }] : []
  })
}

/** How the machine the stack runs on is asked; null where nobody can. */
async function machineTool(target: Target, here: () => Promise<boolean>): Promise<Tool | null> {
  if (target.machineCommand !== undefined) return target.machineCommand
  return (await here()) ? localTool : null
}

/** Asked at most once, however many checks want to know. */
function once<T>(ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | null = null
  return () => (answer ??= ask())
}

/** Whether the target's machine is this one: a process, or an engine that names this machine as its host. */
async function isHere(target: Target, status: () => Promise<TargetStatus>): Promise<boolean> {
  if (target.spec.kind === 'process') return true
  if (target.spec.kind !== 'docker' || target.spec.via.kind === 'ssh') return false
  return (await status()).engineFacts?.host === hostname()
}

/** Keys of the plan and of its companions that are not in the environment and that the person keeps in the keyring: the launch gets them, too. */
async function storedSecrets({ host }: Services, plan: Plan): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  if (host === null) return found
  const own = plan.companions.flatMap(({ environment }) => environment)
  const names = plan.environment.flatMap(({ name, value }) => (value === null ? [name] : []))
  for (const name of new Set([...names, ...own])) {
    if ((process.env[name] ?? '') !== '') continue
    const secret = (await host.secret({ name })).value
    if (secret !== null) found.set(name, secret)
  }
  return found
}

/** Everything the checks of one launch look at, gathered once. */
export async function contextOf(
  services: Services,
  request: LaunchRequest,
  signal: AbortSignal
): Promise<LaunchContext> {
  const { runs, library, targets, home } = services
  const [plan, target, recipe, own] = await Promise.all([
    runs.plan(request),
    targets.get(request.target),
    checkWithFiles(library, { path: request.recipe, overrides: request.overrides }),
    ownStacks(services)
  ])
  const status = once(() => target.probe(signal))
  const stored = await storedSecrets(services, plan)
  const here = once(() => isHere(target, status))
  return {
    request,
    plan,
    recipe,
    target,
    status,
    here,
    tool: localTool,
    machine: once(() => machineTool(target, here)),
    leftovers: () => leftoversOf(target, services),
    copyStart: once(() => runs.copyStart(request)),
    variable: (name) => process.env[name] || stored.get(name),
    user: process.getuid?.() ?? null,
    // Before the launch the run folder is not there; its place is the home that holds it.
    launchFolder: plan.cwd.startsWith('<run>') ? home : plan.cwd,
    runsFolder: home,
    homeFolder: target.spec.kind === 'process' ? homedir() : '/root',
    environment: new Map(
      [...Object.entries(process.env), ...stored].map(([name, value = '']) => [
        name,
        variableState(value)
      ])
    ),
    ...own
  }
}

/** The complete report of a launch, and the recipe as it was checked. Throws when a fail that is not overridden blocks it. */
export async function requirePreflight(
  services: Services,
  request: LaunchRequest,
  because: string | undefined
): Promise<{ report: PreflightReport; resolved: LaunchContext['recipe']['resolved'] }> {
  const context = await contextOf(services, request, new AbortController().signal)
  const report = await complete(context, services)
  const verdict = launchVerdict(report.checks, because)
  if (verdict.kind === 'go') return { report, resolved: context.recipe.resolved }
  return fail({ code: 'preflight-failed', where: request.recipe, ...refusal(verdict.by) })
}

/** One reason, and below it what to do about that one: in words, as a command, or both. */
function reasonLines(
  { title, evidence, remedy, command }: Check,
  { language, colon }: { language: 'en' | 'zh'; colon: string }
): string[] {
  return [
    `${title[language]}${colon}${evidence[language]}`,
    ...(remedy === undefined ? [] : [`  → ${remedy[language]}`]),
    ...(command === undefined ? [] : command.split('\n').map((line) => `  $ ${line}`))
  ]
}

/** Why a launch is refused, in the very words of the checks that refuse it, each with its own remedy. */
export function refusal(by: readonly Check[]): Pick<Failure, 'what' | 'remedy'> {
  const judged = by.every(({ judgement }) => judgement)
  const reasons = (language: 'en' | 'zh', colon: string): string =>
    by.flatMap((check) => reasonLines(check, { language, colon })).join('\n')
  return {
    what: {
      en: `Preflight found ${by.length} ${by.length === 1 ? 'reason' : 'reasons'} not to start.\n${reasons('en', ': ')}`,
      zh: `预检发现 ${by.length} 个不应启动的原因。\n${reasons('zh', '：')}`
    },
    ...(judged
      ? {
          remedy: {
            en: 'These are judgements: say why (on the command line with --because) to launch all the same.',
            zh: '以上均为判断：说明理由（命令行用 --because）即可强行启动。'
          }
        }
      : {})
  }
}

async function complete(context: LaunchContext, { clock }: Services): Promise<PreflightReport> {
  let last: PreflightReport = { checks: [], running: [], verdict: 'skip', took: 0 }
  const { signal } = new AbortController()
  for await (const report of checksOf(context, clock, signal)) last = report
  return last
}

async function* run(
  services: Services,
  request: LaunchRequest,
  signal: AbortSignal = new AbortController().signal
): AsyncGenerator<PreflightReport, void, void> {
  const context = await contextOf(services, request, signal)
  yield* checksOf(context, services.clock, signal)
}

/** Evidence quotes paths, addresses and what tools say; none of it may show a credential. */
async function* checksOf(
  context: LaunchContext,
  clock: Clock,
  signal: AbortSignal
): AsyncGenerator<PreflightReport, void, void> {
  const redact = redactor(secretValues(process.env))
  for await (const report of runChecks(launchChecks(context), context, clock, signal))
    yield redactDeep(report, redact)
}

async function saved(file: string): Promise<PreflightReport | null> {
  try {
    return PreflightReport.nullable().parse(JSON.parse(await readFile(file, 'utf8')))
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return null
    throw cause
  }
}

async function leftoversThere(services: Services, request: LaunchRequest) {
  const target = await services.targets.get(request.target)
  return {
    found: await leftoversOf(target, services),
    remove: (id: string) =>
      target.remove({ kind: 'container', id, name: id, engine: request.target })
  }
}

export function preflightHandlers(services: Services) {
  return {
    run: os.preflight.run.handler(({ input, signal }) => run(services, input, signal)),
    saved: os.preflight.saved.handler(({ input }) =>
      saved(services.runs.paths(input.run).preflight)
    ),
    fix: os.preflight.fix.handler(async ({ input }) => ({
      request: LaunchRequest.parse(
        await applyFix(input.request, input.fix, {
          library: services.library,
          check: (path) => checkWithFiles(services.library, { path }),
          leftovers: (request) => leftoversThere(services, request),
          copyStart: (request) => services.runs.copyStart(request),
          files: localFiles(services.clock)
        })
      )
    }))
  }
}
