import type { Plan } from '../../contract/launch'
import { isAbsolute } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { AskedPlan, Chain, Release, RollbackPlan, Standing } from '../../contract/releases'
import { verifyCheckpoint } from '../checkpoints'
import { sourcesOf } from '../compare'
import type { HarnessDiff, ReleaseDetail } from '../../contract/release-detail'
import type { Text } from '../../contract/text'
import { type Clock, fail, FailureError, type Redactor } from '../lib'
import {
  type ActHistory,
  type ExportFacts,
  type IterationFacts,
  judgeUndo,
  planRollbackWithOptimizer,
  planUndo,
  standingOf,
  waysBackIn
} from '../releases'
import type { Act, AttemptRecord, ReleaseRow, RunRecord, RunStore } from '../runs'
import type { FileAccess, Target } from '../targets'
import type { RecipeForPlan } from './recipe-for-plan'
import { isFinal } from './attempt-state'
import { completeRows, withoutGuess } from './complete-rows'
import { newestOn } from './attempt-start'
import { iterationFacts, iterationOf } from './iteration-start'
import { hadReleases, lostNote } from './lost-releases'
import { newStorage } from './new-storage'
import { readMarker } from './marker'
import { detailOfRelease, type DetailSources, harnessDiff } from './release-detail'
import { refuseLongReason } from './reason'
import { ReefClient } from './reef-client'
import type { ServiceAccess } from './service-access'
import { onTarget } from './stack-paths'
import { withStaleness } from './stale-reading'
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

/** An act as it is asked for; `expect` is the standing of the plan that was agreed to. */
export interface ToStep extends OfScenario {
  step: number
  /** Going on from its iteration with the optimizer. */
  withOptimizer?: boolean | undefined
}

export interface Asked extends OfScenario {
  why: string
  expect?: Standing | undefined
}

/** What the chain and the ways back are made from. */
export interface ReleaseSources {
  store: RunStore
  clock: Clock
  graceSeconds: number
  target: (id: string) => Promise<Target>
  /** The recipe as an attempt ran it; without one, the newest. */
  recipeOf: (record: RunRecord, attempt?: AttemptRecord) => Promise<RecipeForPlan>
  /** How to ask the run's service. Throws FailureError `not-live`. */
  access: (run: string) => Promise<ServiceAccess>
  redactor: (record: RunRecord) => Promise<Redactor>
  /** Whether a training job is out; null when this engine does not watch the run. */
  jobOut: (run: string) => Promise<boolean | null>
}

/**
 * A chain, and what it was made from. Rows never change once kept: one of thousands is built anew only when something it
 * is made from moved.
 */
interface Built {
  key: string
  newest: ReleaseRow | undefined
  chain: Chain
}

const MOST_BUILT = 8
const WATCH_PAUSE_MS = 250
/** Another engine may write the run: its file is looked at this often. */
const NOTICE_EVERY_MS = 1_000

/** The chains of runs, and what going back in them would take. Does nothing itself: it names the act. */
export class RunReleases {
  /** Chains as they were built last, by run and scenario. */
  private readonly built = new Map<string, Built>()
  /** The job that wrote an export, by the record that says so: what it says once stays so. */
  private readonly jobs = new Map<string, string>()

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
    const kept = await store.releases(record.id)
    const name = chosenScenario(record, scenario)
    const key = JSON.stringify([kept.length, chainFacts(record), [...exports]])
    const known = this.built.get(`${record.id} ${name}`)
    if (known !== undefined && known.key === key && known.newest === kept.at(-1))
      return { ...known.chain, readAt: clock.now() }
    const files = async (): Promise<FileAccess> =>
      (await this.sources.target(record.target.id)).files
    const rows = await completeRows(record, kept, files, clock)
    const facts = { record, rows, exports, now: clock.now() }
    const told = withoutGuess(chainAnswer(facts, name), record)
    const lost = kept.length === 0 && told.from === 'disk' && hadReleases(record)
    const chain = lost ? { ...told, note: lostNote } : told
    // What is read from the stack's own log may be more the next time.
    if (rows === kept && !lost)
      this.remember(`${record.id} ${name}`, { key, newest: kept.at(-1), chain })
    return chain
  }

  private remember(of: string, built: Built): void {
    this.built.delete(of)
    this.built.set(of, built)
    const oldest = this.built.keys().next()
    if (this.built.size > MOST_BUILT && oldest.done !== true) this.built.delete(oldest.value)
  }

  async *watch(request: OfScenario, signal?: AbortSignal): AsyncGenerator<Chain, void, undefined> {
    let shown: Chain | null = null
    const { store } = this.sources
    for await (const _ of store.changes.watch(WATCH_PAUSE_MS, signal, NOTICE_EVERY_MS)) {
      void _
      const chain = await this.chain(request)
      if (shown !== null && sameChain(shown, chain)) continue
      shown = chain
      yield chain
    }
  }

  /** One release in full. */
  async detail(
    request: OfScenario & { step: number },
    signal: AbortSignal
  ): Promise<ReleaseDetail> {
    return detailOfRelease(await this.detailSources(request, signal), request.step)
  }

  /** A file of a harness release against the release it was made from. */
  async harnessDiff(
    request: OfScenario & { step: number; path: string },
    signal: AbortSignal
  ): Promise<HarnessDiff> {
    return harnessDiff(await this.detailSources(request, signal), request.step, request.path)
  }

  private async detailSources(request: OfScenario, signal: AbortSignal): Promise<DetailSources> {
    const { store, redactor } = this.sources
    const record = await store.read(request.run)
    return {
      record,
      chain: await this.chain(request),
      rows: await store.releases(record.id),
      client: await this.client(record, signal),
      repository: (attempt) => this.repository(record, attempt),
      redact: await redactor(record)
    }
  }

  private async client(record: RunRecord, signal: AbortSignal): Promise<ReefClient | null> {
    try {
      const { address, token } = await this.sources.access(record.id)
      return new ReefClient(address, token, signal)
    } catch (cause) {
      if (cause instanceof FailureError && cause.failure.code === 'not-live') return null
      throw cause
    }
  }

  /** The artifact repository of an attempt; of a container's machine also through that target's own file access. */
  private async repository(
    record: RunRecord,
    attempt: AttemptRecord
  ): ReturnType<DetailSources['repository']> {
    const { id, kind } = record.target
    if (kind !== 'process' && kind !== 'docker') return null
    const { storage } = await this.sources.recipeOf(record, attempt)
    const field = storage.find(({ path }) => /^(storage|reef)\.artifact[-_]repository$/.test(path))
    if (field === undefined) return null
    return {
      folder: onTarget(field.value, attempt.cwd, attempt.plan),
      elsewhere: kind === 'docker' ? (await this.sources.target(id)).files : null
    }
  }

  async rollbackPlan(request: ToStep): Promise<AskedPlan> {
    const { plan, standing } = await this.back(request)
    return { ...plan, expect: standing }
  }

  private async back(
    request: ToStep
  ): Promise<Awaited<ReturnType<RunReleases['facts']>> & { plan: RollbackPlan }> {
    const facts = await this.facts(request)
    const { step } = request
    const { chain, scene } = facts
    const plan =
      request.withOptimizer === true
        ? planRollbackWithOptimizer(
            { chain: chain.releases, step, scene },
            await this.iteration(facts.record, facts.recipe, chain, step)
          )
        : rollbackPlanFor(chain.releases, step, scene)
    return { ...facts, plan: withStaleness(plan, facts.record) }
  }

  private async iteration(
    record: RunRecord,
    recipe: RecipeForPlan,
    chain: Chain,
    step: number
  ): Promise<IterationFacts> {
    const release = chain.releases.find((one) => one.step === step)
    if (release === undefined) return { kind: 'refused', because: 'not-a-rollout' }
    const last = record.attempts.at(-1)
    const busy = last === undefined || isFinal(last.state) ? null : last.checkpointDir
    return iterationFacts(await this.sources.target(record.target.id), recipe, release, busy)
  }

  async promotePlan(request: OfScenario & { step: number }): Promise<AskedPlan> {
    const { chain, scene, record, standing } = await this.facts(request)
    const plan = promotePlanFor(chain.releases, request.step, scene)
    return { ...withStaleness(plan, record), expect: standing }
  }

  /** What taking the newest way back back would do. */
  async undoPlan(request: OfScenario): Promise<AskedPlan> {
    const { plan, standing } = await this.undo(request)
    return { ...plan, expect: standing }
  }

  /** The act that takes the newest way back back. Throws FailureError `undo-refused` when there is none. */
  async undoAct(request: Asked): Promise<Act> {
    const { plan, verdict, chain, from, to, standing } = await this.undo(request)
    const moving = movingOf(request, chain, standing)
    if (plan.way === 'api' && verdict.kind === 'api')
      return republish('rollback', moving, releaseAt(chain, verdict.step, plan))
    if (plan.way === 'reopen' && verdict.kind === 'reopen')
      return { kind: 'reopen', ...moving, storage: verdict.storage, from, to }
    return fail({ code: 'undo-refused', what: refusalOf(plan), where: request.run })
  }

  private async undo(request: OfScenario): Promise<{
    plan: RollbackPlan
    verdict: ReturnType<typeof judgeUndo>
    chain: Chain
    from: string | null
    to: string | null
    standing: Standing
  }> {
    const { chain, scene, record, standing } = await this.facts(request)
    const { attempts, next } = record
    const acts = waysBackIn(chain.releases, attempts)
    const history: ActHistory = { attempts, next, acts }
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
    const from = record.seen.served
    return { plan: withStaleness(plan, record), verdict, chain, from, to, standing }
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
  async rollbackAct(request: Asked & ToStep): Promise<Act> {
    const { chain, scene, record, standing, plan } = await this.back(request)
    const moving = movingOf(request, chain, standing)
    const release = releaseAt(chain, request.step, plan)
    const checkpoint = scene.inside(release.checkpoint ?? '')
    if (plan.way === 'api') return republish('rollback', moving, release)
    // A practice run's relative paths move with the folder it is started in.
    const moves = record.attempts.at(-1)?.plan.practice === true
    const storage = scene.storage.filter(({ now }) => !moves || isAbsolute(now))
    const iteration = request.withOptimizer === true ? iterationOf(release) : null
    // The trainer loads the iteration itself, and its reference model stays the recipe's.
    const models = iteration === null ? scene.startsFrom : []
    return {
      kind: 'redeploy',
      ...moving,
      checkpoint,
      step: request.step,
      overrides: [
        ...storage.map(({ path, after }) => ({ path, value: after })),
        ...models.map(({ path }) => ({ path, value: checkpoint }))
      ],
      ...(iteration === null ? {} : { iteration })
    }
  }

  /** The act that serves a held release. Throws FailureError `rollback-refused` when it is not held. */
  async promoteAct(request: Asked & { step: number }): Promise<Act> {
    const { chain, scene, record, standing } = await this.facts(request)
    const plan = withStaleness(promotePlanFor(chain.releases, request.step, scene), record)
    const release = releaseAt(chain, request.step, plan)
    return republish('promote', movingOf(request, chain, standing), release)
  }

  private async facts(request: OfScenario & { step?: number }): Promise<{
    chain: Chain
    scene: ReturnType<typeof sceneOf>
    record: RunRecord
    recipe: RecipeForPlan
    standing: Standing
  }> {
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
    return { chain, scene, record, recipe, standing: standingOf(chain.releases, record) }
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

  /** Saved exports by storage: to go back to, and to compare. */
  private async exports(record: RunRecord): Promise<Map<number, readonly ExportFacts[]>> {
    const found = new Map<number, readonly ExportFacts[]>()
    if (record.attempts.every(({ checkpointDir }) => checkpointDir === null)) return found
    const { files } = await this.sources.target(record.target.id)
    for (const { storage, checkpointDir } of record.attempts) {
      if (checkpointDir === null || found.has(storage)) continue
      found.set(storage, await findExports(files, checkpointDir, this.jobs))
    }
    return found
  }
}

/** A chain that nothing moved in has the same rows, not only like ones. */
function sameChain(a: Chain, b: Chain): boolean {
  return a.releases === b.releases || isDeepStrictEqual({ ...a, readAt: 0 }, { ...b, readAt: 0 })
}

/** What a run's chain is made from beside its rows and exports. */
function chainFacts({ attempts, seen }: RunRecord): unknown {
  return [
    seen.scenarios,
    seen.step,
    attempts.map(({ state, ...attempt }) => [
      attempt.number,
      attempt.storage,
      attempt.startedAt,
      attempt.redeployedFrom,
      attempt.reached,
      isFinal(state)
    ])
  ]
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
  return fail({ code: 'rollback-refused', what: refusalOf(plan), where: `r${step}` })
}

/** Why a plan is none, and by how old a reading. */
function refusalOf({ reason, stale }: RollbackPlan): Text {
  if (stale === undefined) return reason
  return { en: `${reason.en} ${stale.en}`, zh: `${reason.zh}${stale.zh}` }
}

type Moving = Pick<Extract<Act, { kind: 'rollback' }>, 'run' | 'scenario' | 'why' | 'expect'>

function movingOf({ run, why, expect }: Asked, { scenario }: Chain, standing: Standing): Moving {
  refuseLongReason(why)
  return { run, scenario, why, expect: expect ?? standing }
}

function republish(
  operation: 'rollback' | 'promote',
  moving: Moving,
  { releaseId, step }: Release
): Act {
  return { kind: 'rollback', operation, ...moving, releaseId, step }
}
