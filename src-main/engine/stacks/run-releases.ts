import type { Chain, Release, RollbackPlan } from '../../contract/releases'
import { type Clock, fail } from '../lib'
import type { ExportFacts } from '../releases'
import type { Act, RunRecord, RunStore } from '../runs'
import type { Target } from '../targets'
import { throughMounts } from './plan'
import type { RecipeForPlan } from './recipe-for-plan'
import {
  chainAnswer,
  chosenScenario,
  findExports,
  newStorage,
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
    const { store, clock } = this.sources
    const record = await store.read(request.run)
    return chainAnswer(
      {
        record,
        rows: await store.releases(request.run),
        exports: await this.exports(record),
        now: clock.now()
      },
      chosenScenario(record, request.scenario)
    )
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

  /** The act that goes back to a step. Throws FailureError `rollback-refused` when there is none. */
  async rollbackAct(request: OfScenario & { step: number; why: string }): Promise<Act> {
    const { chain, scene, record } = await this.facts(request)
    const plan = rollbackPlanFor(chain.releases, request.step, scene)
    const release = releaseAt(chain, request.step, plan)
    const { run, step, why } = request
    if (plan.way === 'api') return republish('rollback', request, chain.scenario, release)
    const attempt = record.attempts.at(-1)
    const checkpoint = release.checkpoint ?? ''
    return {
      kind: 'redeploy',
      run,
      checkpoint: throughMounts(checkpoint, attempt?.plan.mounts ?? []) ?? checkpoint,
      step,
      why,
      overrides:
        attempt?.plan.practice === true
          ? []
          : scene.storage.map(({ path, after }) => ({ path, value: after }))
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
    request: OfScenario
  ): Promise<{ chain: Chain; scene: ReturnType<typeof sceneOf>; record: RunRecord }> {
    const { store, graceSeconds, jobOut, recipeOf } = this.sources
    const record = await store.read(request.run)
    const last = record.attempts.at(-1)
    const recipe = await recipeOf(record)
    const scene = sceneOf(record, {
      jobOut: await jobOut(request.run),
      graceSeconds,
      checkpoints: null,
      storage: last === undefined ? [] : newStorage(last.plan, recipe.storage, last.number + 1)
    })
    return { chain: await this.chain(request), scene, record }
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
