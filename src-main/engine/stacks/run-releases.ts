import type { Plan } from '../../contract/launch'
import { isAbsolute } from 'node:path'
import type { Chain, Release, RollbackPlan } from '../../contract/releases'
import { verifyCheckpoint } from '../checkpoints'
import { sourcesOf } from '../compare'
import type { Text } from '../../contract/text'
import { type Clock, fail } from '../lib'
import { type ActHistory, type ExportFacts, judgeUndo, planUndo, servedBefore } from '../releases'
import type { Act, RunRecord, RunStore } from '../runs'
import type { FileAccess, Target } from '../targets'
import type { RecipeForPlan } from './recipe-for-plan'
import { isFinal } from './attempt-state'
import { completeRows, withoutGuess } from './complete-rows'
import { newestOn } from './attempt-start'
import { newStorage } from './new-storage'
import { readMarker } from './marker'
import {
  chainAnswer,
  chosenScenario,
  findExports,
  markerOf,
  promotePlanFor,
  rollbackPlanFor,
  sceneOf
} from './release-acts'

export interface OfScenario {
  run: string
  scenario?: string | undefined
}

/** What the chain and the ways back are made from. */
export interface ReleaseSources {
  store: RunStore
  clock: Clock
  graceSeconds: number
  target: (id: string) => Promise<Target>
  recipeOf: (record: RunRecord) => Promise<RecipeForPlan>
  /** Whether a training job is out; null when this engine does not watch the run. */
  jobOut: (run: string) => Promise<boolean | null>
}

const WATCH_PAUSE_MS = 250
/** Another engine may write the run: its file is looked at this often. */
const NOTICE_EVERY_MS = 1_000

/** The chains of runs, and what going back in them would take. Does nothing itself: it names the act. */
export class RunReleases {
  constructor(private readonly sources: ReleaseSources) {}

  async chain(request: OfScenario): Promise<Chain> {
    const record = await this.sources.store.read(request.run)
    return this.chainWith(record, request.scenario, await this.exports(record))
  }

  private async chainWith(
    record: RunRecord,
    scenario: string | undefined,
    exports: ReadonlyMap<number, readonly ExportFacts[]>
  ): Promise<Chain> {
    const { store, clock } = this.sources
    const files = async (): Promise<FileAccess> =>
      (await this.sources.target(record.target.id)).files
    const rows = await completeRows(record, await store.releases(record.id), files, clock)
    const facts = { record, rows, exports, now: clock.now() }
    return withoutGuess(chainAnswer(facts, chosenScenario(record, scenario)), record)
  }

  async *watch(request: OfScenario, signal?: AbortSignal): AsyncGenerator<Chain, void, undefined> {
    let shown = ''
    const { changes } = this.sources.store
    for await (const _ of changes.watch(WATCH_PAUSE_MS, signal, NOTICE_EVERY_MS)) {
      void _
      const chain = await this.chain(request)
      const now = JSON.stringify({ ...chain, readAt: 0 })
      if (now === shown) continue
      shown = now
      yield chain
    }
  }

  async rollbackPlan(request: OfScenario & { step: number }): Promise<RollbackPlan> {
    const { chain, scene } = await this.facts(request)
    return rollbackPlanFor(chain.releases, request.step, scene)
  }

  async promotePlan(request: OfScenario & { step: number }): Promise<RollbackPlan> {
    const { chain, scene } = await this.facts(request)
    return promotePlanFor(chain.releases, request.step, scene)
  }

  /** What taking the newest way back back would do. */
  async undoPlan(request: OfScenario): Promise<RollbackPlan> {
    return (await this.undo(request)).plan
  }

  /** The act that takes the newest way back back. Throws FailureError `undo-refused` when there is none. */
  async undoAct(request: OfScenario & { why: string }): Promise<Act> {
    const { plan, verdict, chain, from, to } = await this.undo(request)
    const { run, why } = request
    if (plan.way === 'api' && verdict.kind === 'api') {
      const release = releaseAt(chain, verdict.step, plan)
      return republish('rollback', { run, step: verdict.step, why }, chain.scenario, release)
    }
    if (plan.way === 'reopen' && verdict.kind === 'reopen')
      return { kind: 'reopen', run, storage: verdict.storage, from, to, why }
    return fail({ code: 'undo-refused', what: plan.reason, where: run })
  }

  private async undo(request: OfScenario): Promise<{
    plan: RollbackPlan
    verdict: ReturnType<typeof judgeUndo>
    chain: Chain
    from: string | null
    to: string | null
  }> {
    const { chain, scene, record } = await this.facts(request)
    const history = await this.history(record, chain)
    const verdict = judgeUndo(history)
    const old = verdict.kind === 'reopen' ? newestOn(record.attempts, verdict.storage) : undefined
    const last = record.attempts.at(-1)
    const plan = planUndo({
      chain: chain.releases,
      history,
      scene,
      hindered: old === undefined || old === last ? null : await this.hindered(record, old),
      planDiff: old === undefined || last === undefined ? [] : changed(last.plan, old.plan)
    })
    const to = verdict.kind === 'api' ? `r${verdict.step}` : (plan.changes[0]?.after.en ?? null)
    return { plan, verdict, chain, from: record.seen.served, to }
  }

  private async history(record: RunRecord, chain: Chain): Promise<ActHistory> {
    const events = await this.sources.store.events(record.id)
    return {
      attempts: record.attempts,
      next: record.next,
      acts: events.flatMap(({ at, kind, data }) => {
        if (kind !== 'rollback' && kind !== 'promote') return []
        // Acts kept by an older Slipway name no scenario.
        if (typeof data?.['scenario'] === 'string' && data['scenario'] !== chain.scenario) return []
        const noted = /^r(\d+)$/.exec(typeof data?.['from'] === 'string' ? data['from'] : '')
        const releaseId = typeof data?.['releaseId'] === 'string' ? data['releaseId'] : ''
        const from = servedBefore(chain.releases, { at, releaseId })
        return [{ at, from: from ?? (noted === null ? null : Number(noted[1])) }]
      })
    }
  }

  /** Why folders left before would not start again; null when they would. */
  private async hindered(
    record: RunRecord,
    old: RunRecord['attempts'][number]
  ): Promise<Text | null> {
    if (old.plan.practice || old.checkpointDir === null) return null
    const { files } = await this.sources.target(record.target.id)
    const verdict = await readMarker(files, old.checkpointDir)
    return verdict.kind === 'refused' ? verdict.why : null
  }

  /** The act that goes back to a step. Throws FailureError `rollback-refused` when there is none. */
  async rollbackAct(request: OfScenario & { step: number; why: string }): Promise<Act> {
    const { chain, scene, record } = await this.facts(request)
    const plan = rollbackPlanFor(chain.releases, request.step, scene)
    const release = releaseAt(chain, request.step, plan)
    const checkpoint = scene.inside(release.checkpoint ?? '')
    const { run, step, why } = request
    if (plan.way === 'api') return republish('rollback', request, chain.scenario, release)
    // A practice run's relative paths move with the folder it is started in.
    const moves = record.attempts.at(-1)?.plan.practice === true
    const storage = scene.storage.filter(({ now }) => !moves || isAbsolute(now))
    return {
      kind: 'redeploy',
      run,
      checkpoint,
      step,
      why,
      overrides: [
        ...storage.map(({ path, after }) => ({ path, value: after })),
        ...scene.startsFrom.map(({ path }) => ({ path, value: checkpoint }))
      ]
    }
  }

  /** The act that serves a held release. Throws FailureError `rollback-refused` when it is not held. */
  async promoteAct(request: OfScenario & { step: number; why: string }): Promise<Act> {
    const { chain, scene } = await this.facts(request)
    const plan = promotePlanFor(chain.releases, request.step, scene)
    const release = releaseAt(chain, request.step, plan)
    return republish('promote', request, chain.scenario, release)
  }

  private async facts(
    request: OfScenario & { step?: number }
  ): Promise<{ chain: Chain; scene: ReturnType<typeof sceneOf>; record: RunRecord }> {
    const { store, graceSeconds, jobOut, recipeOf } = this.sources
    const record = await store.read(request.run)
    const last = record.attempts.at(-1)
    const recipe = await recipeOf(record)
    const found = await this.exports(record)
    const chain = await this.chainWith(record, request.scenario, found)
    const wanted = chain.releases.find(({ step }) => step === request.step)
    const scene = sceneOf(record, {
      jobOut: last === undefined || isFinal(last.state) ? false : await jobOut(request.run),
      marker: await this.marker(record),
      lora: recipe.lora,
      exportWhole: await this.exportWhole(record, wanted),
      graceSeconds,
      checkpoints: last === undefined ? null : (found.get(last.storage)?.length ?? null),
      storage: last === undefined ? [] : newStorage(last.plan, recipe.storage, last.number + 1),
      startsFrom: recipe.startsFrom.map(({ path, value }) => ({ path, now: value }))
    })
    return { chain, scene, record }
  }

  private async marker(record: RunRecord): Promise<Awaited<ReturnType<typeof markerOf>>> {
    const root = record.attempts.at(-1)?.checkpointDir ?? null
    if (record.rollback !== 'redeploy' || root === null) return null
    return markerOf((await this.sources.target(record.target.id)).files, root)
  }

  /** Whether the files a redeploy would begin with are all there; null where none are needed. */
  private async exportWhole(
    record: RunRecord,
    release: Release | undefined
  ): Promise<boolean | null> {
    if (record.rollback !== 'redeploy' || release === undefined || release.checkpoint === null)
      return null
    const { files } = await this.sources.target(record.target.id)
    const { problems } = await verifyCheckpoint(sourcesOf(files), release.checkpoint)
    return problems.length === 0
  }

  /** Saved exports by storage, where going back needs one. */
  private async exports(record: RunRecord): Promise<Map<number, readonly ExportFacts[]>> {
    const found = new Map<number, readonly ExportFacts[]>()
    if (record.rollback !== 'redeploy') return found
    const { files } = await this.sources.target(record.target.id)
    for (const { storage, checkpointDir } of record.attempts) {
      if (checkpointDir === null || found.has(storage)) continue
      found.set(storage, await findExports(files, checkpointDir))
    }
    return found
  }
}

/** Overrides that differ between the present plan and an older one. */
function changed(now: Plan, after: Plan): RollbackPlan['planDiff'] {
  const valueIn = (plan: Plan, path: string): string =>
    plan.overrides.find((one) => one.path === path)?.value ?? ''
  const paths = new Set([...now.overrides, ...after.overrides].map(({ path }) => path))
  return [...paths]
    .map((path) => ({ path, now: valueIn(now, path), after: valueIn(after, path) }))
    .filter((one) => one.now !== one.after && !one.path.startsWith('reef.'))
}

function releaseAt(chain: Chain, step: number, plan: RollbackPlan): Release {
  const release = chain.releases.find((one) => one.step === step)
  if (plan.way !== 'refused' && release !== undefined) return release
  return fail({ code: 'rollback-refused', what: plan.reason, where: `r${step}` })
}

function republish(
  operation: 'rollback' | 'promote',
  request: { run: string; step: number; why: string },
  scenario: string,
  release: Release
): Act {
  return {
    kind: 'rollback',
    operation,
    run: request.run,
    scenario,
    releaseId: release.releaseId,
    step: request.step,
    why: request.why
  }
}
