import { mkdir, readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { LaunchRequest } from '../../contract/launch'
import { PreflightReport, type PreflightFix } from '../../contract/preflight'
import { errorCode, fail } from '../lib'
import { launchChecks, launchVerdict, runChecks, type LaunchContext } from '../preflight'
import { isFinal } from '../stacks'
import { os } from './guard'
import { checkWithFiles } from './recipe-handlers'
import type { Services } from './services'

/** Everything the checks of one launch look at, gathered once. */
export async function contextOf(
  { runs, library, targets, home }: Services,
  request: LaunchRequest
): Promise<LaunchContext> {
  const [plan, target, recipe, list] = await Promise.all([
    runs.plan(request),
    targets.get(request.target),
    checkWithFiles(library, { path: request.recipe, overrides: request.overrides }),
    runs.list()
  ])
  const local = target.spec.kind === 'process'
  const ownPorts = new Map<number, string>()
  for (const run of list.runs) {
    if (isFinal(run.state)) continue
    const { address } = await runs.get(run.id)
    if (address !== null) ownPorts.set(Number(new URL(address).port), run.name)
  }
  return {
    request,
    plan,
    recipe,
    target,
    local,
    // Before the launch the run folder is not there; its place is the home that holds it.
    launchFolder: plan.cwd.startsWith('<run>') ? home : plan.cwd,
    homeFolder: local ? homedir() : '/root',
    environment: new Map(
      Object.entries(process.env).map(([name, value]) => [name, value === '' ? 'empty' : 'set'])
    ),
    ownPorts
  }
}

/** The complete report of a launch. Throws when a fail that is not overridden blocks it. */
export async function requirePreflight(
  services: Services,
  request: LaunchRequest,
  because: string | undefined
): Promise<PreflightReport> {
  const report = await complete(services, request)
  const verdict = launchVerdict(report.checks, because)
  if (verdict.kind === 'go') return report
  const said = verdict.by.map((check) => `${check.title.en}: ${check.evidence.en}`)
  const saidZh = verdict.by.map((check) => `${check.title.zh}：${check.evidence.zh}`)
  return fail({
    code: 'preflight-failed',
    what: {
      en: `Preflight found ${verdict.by.length} reason(s) not to start.`,
      zh: `预检发现 ${verdict.by.length} 个不应启动的原因。`
    },
    where: request.recipe,
    detail: said.join('\n'),
    remedy: {
      en: verdict.by[0]?.remedy?.en ?? said[0] ?? '',
      zh: verdict.by[0]?.remedy?.zh ?? saidZh[0] ?? ''
    }
  })
}

async function complete(services: Services, request: LaunchRequest): Promise<PreflightReport> {
  const context = await contextOf(services, request)
  const signal = new AbortController().signal
  let last: PreflightReport = { checks: [], running: [], verdict: 'skip', took: 0 }
  for await (const report of runChecks(launchChecks(context), context, services.clock, signal))
    last = report
  return last
}

async function* run(
  services: Services,
  request: LaunchRequest,
  signal: AbortSignal = new AbortController().signal
): AsyncGenerator<PreflightReport, void, void> {
  const context = await contextOf(services, request)
  yield* runChecks(launchChecks(context), context, services.clock, signal)
}

async function saved(file: string): Promise<PreflightReport | null> {
  try {
    return PreflightReport.nullable().parse(JSON.parse(await readFile(file, 'utf8')))
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return null
    throw cause
  }
}

async function applyFix(request: LaunchRequest, fix: PreflightFix): Promise<LaunchRequest> {
  switch (fix.kind) {
    case 'override': {
      const others = request.overrides.filter(({ path }) => path !== fix.path)
      return { ...request, overrides: [...others, { path: fix.path, value: fix.value }] }
    }
    case 'make-folder':
      await mkdir(fix.path, { recursive: true })
      return request
    case 'edit':
    case 'remove-leftover':
      return fail({
        code: 'fix-elsewhere',
        what: { en: 'This fix is made in the recipe editor.', zh: '此修复需在配方编辑器中进行。' },
        where: request.recipe
      })
  }
}

export function preflightHandlers(services: Services) {
  return {
    run: os.preflight.run.handler(({ input, signal }) => run(services, input, signal)),
    saved: os.preflight.saved.handler(({ input }) =>
      saved(services.runs.paths(input.run).preflight)
    ),
    fix: os.preflight.fix.handler(async ({ input }) => ({
      request: LaunchRequest.parse(await applyFix(input.request, input.fix))
    }))
  }
}
