import type { Command } from 'commander'
import type { AskedPlan, Release, RollbackPlan, Standing } from '../contract/releases'
import type { RunDetail } from '../contract/run'
import type { Text } from '../contract/text'
import type { EngineClient } from './engine-client'
import { findRelease } from './names'
import { EXIT, note, table, words, type Io } from './output'
import type { Context } from './runs'
import { undoneWords } from './undo-words'

export interface ReleaseTools {
  find: (engine: EngineClient, wanted: string) => Promise<{ id: string }>
  act: (context: Context, work: (engine: EngineClient) => Promise<number | void>) => Promise<void>
  print: (context: Context, data: unknown, text: () => string) => void
}

interface Options {
  scenario?: string
  why: string
  dryRun?: boolean
  withOptimizer?: boolean
}

/** A plan as a person reads it before saying yes. */
function planText(io: Io, plan: RollbackPlan): string {
  const lines = [words(io, plan.title), words(io, plan.reason)]
  if (plan.stale !== undefined) lines.push(words(io, plan.stale))
  if (plan.changes.length > 0)
    lines.push(
      table(
        plan.changes.map((one) => [
          words(io, one.what),
          words(io, one.now),
          '→',
          words(io, one.after)
        ])
      )
    )
  lines.push(...plan.lost.map((one) => `- ${words(io, one)}`))
  lines.push(...plan.kept.map((one) => `= ${words(io, one)}`))
  if (plan.planDiff.length > 0)
    lines.push(
      table(plan.planDiff.map(({ path, now, after }) => [path, now || '-', '→', after || '-']))
    )
  if (plan.waitsFor !== null) lines.push(words(io, plan.waitsFor))
  return lines.join('\n')
}

/**
 * A redeploy or its undo goes on after the call: the command stays until the new attempt serves or has failed, because
 * an act begun by an engine that ends is only gone on with by the next one.
 */
async function followNew(
  engine: EngineClient,
  run: string,
  before: number
): Promise<RunDetail['summary']> {
  for await (const { summary } of await engine.runs.follow({ run })) {
    if (summary.attempt <= before) continue
    const { kind } = summary.state
    if (kind === 'serving' || kind === 'training' || kind === 'quiet') return summary
    if (kind === 'failed' || kind === 'stopped') return summary
  }
  return (await engine.runs.get({ run })).summary
}

/** The row a way back made, newest first; null where the chain does not have it yet. */
async function cameOf(
  engine: EngineClient,
  which: { run: string; scenario?: string },
  releaseId: string | null
): Promise<Release | null> {
  if (releaseId === null) return null
  const { releases } = await engine.releases.chain(which)
  return (
    releases.find((one) => one.releaseId === releaseId && one.rollbackTargetStep !== null) ?? null
  )
}

/** How the republished release is called now. */
function asNumber(now: Release | null): Text {
  return now === null
    ? { en: 'under a new number', zh: '并获得新的编号' }
    : { en: `as r${now.step}`, zh: `编号为 r${now.step}` }
}

async function go(
  context: Context,
  tools: ReleaseTools,
  engine: EngineClient,
  request: {
    run: string
    dryRun: boolean
    plan: () => Promise<AskedPlan>
    act: (expect: Standing) => Promise<{ releaseId: string | null }>
    data: Record<string, unknown>
    /** Said when the service did it; `now` is the release that came of it, where it is known. */
    done: (now: Release | null) => Text
    which: { run: string; scenario?: string }
  }
): Promise<number> {
  const plan = await request.plan()
  if (request.dryRun) {
    tools.print(context, plan, () => planText(context.io, plan))
    return plan.way === 'refused' ? EXIT.failed : EXIT.ok
  }
  if (plan.stale !== undefined) note(context.io, plan.stale)
  const { summary } = await engine.runs.get({ run: request.run })
  const { releaseId } = await request.act(plan.expect)
  if (plan.way !== 'redeploy' && plan.way !== 'reopen') {
    const now = await cameOf(engine, request.which, releaseId)
    const as = now === null ? {} : { as: now.step, of: now.rollbackTargetStep }
    tools.print(context, { ...request.data, way: plan.way, releaseId, ...as }, () =>
      words(context.io, request.done(now))
    )
    return EXIT.ok
  }
  if (!context.json()) context.io.out(words(context.io, plan.reason))
  const after =
    plan.way === 'reopen' && plan.changes.length === 0
      ? (await engine.runs.get({ run: request.run })).summary
      : await followNew(engine, request.run, summary.attempt)
  const { attempt, state } = after
  const served = state.kind === 'failed' || state.kind === 'stopped' ? null : after.served
  tools.print(
    context,
    { ...request.data, way: plan.way, releaseId, attempt, state: state.kind, served },
    () =>
      words(context.io, {
        en: `attempt ${attempt}: ${after.now.en}${served === null ? '' : ` It serves ${served}.`}`,
        zh: `第 ${attempt} 次尝试：${after.now.zh}${served === null ? '' : `在线版本为 ${served}。`}`
      })
  )
  return state.kind === 'failed' ? EXIT.failed : EXIT.ok
}

/** `slipway rollback`, `slipway promote` and `slipway undo`. */
export function registerWaysBack(program: Command, context: Context, tools: ReleaseTools): void {
  const which = (run: string, { scenario }: Options) => ({
    run,
    ...(scenario === undefined ? {} : { scenario })
  })
  const options = (command: Command): Command =>
    command
      .option('--scenario <name>', 'which scenario; default the run’s first')
      .option('--why <reason>', 'kept in the run', '')
      .option('--dry-run', 'say what it would change, and do nothing')
  options(
    program
      .command('rollback <run> <release>')
      .description('go back to a release (r12, 12 or its id)')
      .option(
        '--with-optimizer',
        'experimental: go on from its iteration with the optimizer, on a copy of the checkpoints'
      )
  ).action((wanted: string, to: string, given: Options) =>
    tools.act(context, async (engine) => {
      const { id: run } = await tools.find(engine, wanted)
      const { step } = findRelease((await engine.releases.chain(which(run, given))).releases, to)
      const withOptimizer = given.withOptimizer === true
      return go(context, tools, engine, {
        run,
        dryRun: given.dryRun === true,
        plan: () => engine.releases.rollbackPlan({ ...which(run, given), step, withOptimizer }),
        act: (expect) =>
          engine.releases.rollback({
            ...which(run, given),
            step,
            why: given.why,
            expect,
            withOptimizer
          }),
        data: { run, step },
        which: which(run, given),
        done: (now) => {
          const { en, zh } = asNumber(now)
          return {
            en: `r${step} is served again, ${en}; training goes on from it. “slipway releases” shows both.`,
            zh: `r${step} 已重新上线，${zh}；训练从它继续。“slipway releases”可同时看到两者。`
          }
        }
      })
    })
  )
  options(
    program.command('promote <run> <release>').description('serve a release that was held back')
  ).action((wanted: string, to: string, given: Options) =>
    tools.act(context, async (engine) => {
      const { id: run } = await tools.find(engine, wanted)
      const { step } = findRelease((await engine.releases.chain(which(run, given))).releases, to)
      return go(context, tools, engine, {
        run,
        dryRun: given.dryRun === true,
        plan: () => engine.releases.promotePlan({ ...which(run, given), step }),
        act: (expect) =>
          engine.releases.promote({ ...which(run, given), step, why: given.why, expect }),
        data: { run, step },
        which: which(run, given),
        done: (now) => {
          const { en, zh } = asNumber(now)
          return { en: `r${step} is served now, ${en}.`, zh: `r${step} 现已上线，${zh}。` }
        }
      })
    })
  )
  options(
    program
      .command('undo <run>')
      .description('take the newest rollback, promotion or redeploy of a run back')
  ).action((wanted: string, given: Options) =>
    tools.act(context, async (engine) => {
      const { id: run } = await tools.find(engine, wanted)
      const { releases } = await engine.releases.chain(which(run, given))
      return go(context, tools, engine, {
        run,
        dryRun: given.dryRun === true,
        plan: () => engine.releases.undoPlan(which(run, given)),
        act: (expect) => engine.releases.undo({ ...which(run, given), why: given.why, expect }),
        data: { run },
        which: which(run, given),
        done: (now) => undoneWords(releases, now, asNumber(now))
      })
    })
  )
}
