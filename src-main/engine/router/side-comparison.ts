import { basename } from 'node:path'
import type { ComparedSide, SideComparison, SideFacts } from '../../contract/compare'
import {
  baselineOf,
  readResults,
  sideMetrics,
  sideResults,
  sideSettings,
  type SideNumbers
} from '../compare'
import { fail } from '../lib'
import { knowledgeOf } from '../metrics'
import { checkRecipe, compareRecipes, gatherInput, refuseBroken, type CheckInput } from '../recipes'
import type { Services } from './services'

/** One side with everything that is compared. */
interface Side {
  facts: Omit<SideFacts, 'label'>
  numbers: SideNumbers
  recipe: CheckInput | null
}

/** A side that has releases, or is no run at all, has no values of its own. */
const NONE: SideNumbers['newest'] = new Map()

type Wanted = Pick<Services, 'runs' | 'library' | 'metrics'>

async function recipeAt(
  { library }: Wanted,
  path: string,
  overrides: CheckInput['overrides'] = []
): Promise<CheckInput> {
  const { text } = await library.read(path)
  const base: CheckInput = { path, text, overrides, environment: process.env }
  return gatherInput(base, checkRecipe(base).facts.model)
}

/** The newest finite values of every metric of a run, at most `window` of each. */
async function newestOf(
  { runs, metrics }: Wanted,
  run: string,
  window: number
): Promise<Map<string, number[]>> {
  const store = await metrics.of(runs.paths(run).metrics)
  const newest = new Map<string, number[]>()
  for (const { key } of store.keys()) {
    const values = (await store.tail(key, window)).map(({ value }) => value)
    const finite = values.filter((value) => Number.isFinite(value))
    if (finite.length > 0) newest.set(key, finite)
  }
  return newest
}

/** A run that serves no release: a record that was imported, a stack without releases, or one before its first. */
async function plainRunSide(
  services: Wanted,
  side: Extract<ComparedSide, { kind: 'run' }>,
  window: number
): Promise<Side> {
  const { runs } = services
  const record = await runs.store.read(side.run)
  const attempt = record.attempts.at(-1)
  const { tables } = await readResults(runs.paths(side.run).folder)
  const recipe =
    record.imported === undefined
      ? await recipeAt(services, runs.paths(side.run).recipe, attempt?.plan.overrides ?? [])
      : null
  return {
    facts: {
      side,
      run: { id: record.id, name: record.name },
      step: null,
      attempt: attempt?.number ?? null,
      recordedAt: null,
      weights: null,
      hasRecipe: recipe !== null
    },
    numbers: {
      chain: [],
      step: null,
      newest: await newestOf(services, side.run, window),
      results: tables.flatMap(({ rows }) => rows)
    },
    recipe
  }
}

async function releaseSide(
  services: Wanted,
  side: Extract<ComparedSide, { kind: 'release' | 'run' }>,
  window: number
): Promise<Side> {
  const { runs } = services
  const record = await runs.store.read(side.run)
  const { releases } = await runs.chain(side)
  const release =
    side.kind === 'run'
      ? releases.find(({ served }) => served)
      : releases.find(({ step }) => step === side.step)
  if (release === undefined) {
    if (side.kind === 'run') return plainRunSide(services, side, window)
    return fail({
      code: 'no-such-release',
      what: {
        en: `There is no release r${side.step} in this run.`,
        zh: `该运行中没有版本 r${side.step}。`
      },
      where: record.name,
      remedy: { en: '`slipway releases RUN` lists them.', zh: '可用 `slipway releases RUN` 列出。' }
    })
  }
  const attempt = record.attempts.find(({ number }) => number === release.attempt)
  const { tables } = await readResults(runs.paths(side.run).folder)
  return {
    facts: {
      side,
      run: { id: record.id, name: record.name },
      step: release.step,
      attempt: release.attempt,
      recordedAt: release.recordedAt,
      weights:
        release.checkpoint === null ? null : { target: record.target.id, path: release.checkpoint },
      hasRecipe: true
    },
    numbers: {
      chain: releases,
      step: release.step,
      newest: NONE,
      results: tables.flatMap(({ rows }) => rows)
    },
    recipe: await recipeAt(services, runs.paths(side.run).recipe, attempt?.plan.overrides ?? [])
  }
}

async function sideOf(services: Wanted, side: ComparedSide, window: number): Promise<Side> {
  if (side.kind === 'release' || side.kind === 'run') return releaseSide(services, side, window)
  const nothing = { chain: [], step: null, newest: NONE, results: [] }
  const facts = { side, run: null, step: null, attempt: null, recordedAt: null }
  if (side.kind === 'recipe') {
    const recipe = await recipeAt(services, side.path)
    // Taken for a recipe without fields, it would differ in every one.
    refuseBroken(recipe)
    return { facts: { ...facts, weights: null, hasRecipe: true }, numbers: nothing, recipe }
  }
  const { target, path } = side
  return {
    facts: { ...facts, weights: { target, path }, hasRecipe: false },
    numbers: nothing,
    recipe: null
  }
}

function labelOf({ side, run, step }: Side['facts'], severalRuns: boolean): string {
  if (run === null) return 'path' in side ? basename(side.path) : ''
  if (step === null) return run.name
  return severalRuns ? `${run.name} r${step}` : `r${step}`
}

/** Column heads. Two runs of one name are told apart by their ids. */
function labelsOf(facts: readonly Side['facts'][]): string[] {
  const severalRuns = new Set(facts.map(({ run }) => run?.id ?? null)).size > 1
  const labels = facts.map((one) => labelOf(one, severalRuns))
  return facts.map(({ run }, index) => {
    const label = labels[index] ?? ''
    const alike = facts.some(
      (other, at) => labels[at] === label && other.run !== null && other.run.id !== run?.id
    )
    return run !== null && alike ? `${label} (${run.id})` : label
  })
}

/** Two to eight things side by side: numbers, results, settings. Weights are read pair by pair and elsewhere. */
export async function compareSides(
  services: Wanted,
  request: { sides: readonly ComparedSide[]; baseline?: number | undefined; window: number }
): Promise<SideComparison> {
  const sides = await Promise.all(
    request.sides.map((side) => sideOf(services, side, request.window))
  )
  const facts = sides.map((side) => side.facts)
  const baseline = Math.min(request.baseline ?? baselineOf(facts), sides.length - 1)
  // Where the baseline is a folder of weights the settings are held against the first side that has any.
  const withRecipe = sides.findIndex(({ recipe }) => recipe !== null)
  const settingsBase = (sides[baseline]?.recipe ?? null) === null ? withRecipe : baseline
  const base = sides[settingsBase]?.recipe ?? null
  const numbers = sides.map((side) => side.numbers)
  const labels = labelsOf(facts)
  const pairs = sides.map(({ recipe }, index) =>
    base === null || recipe === null || index === settingsBase ? null : compareRecipes(base, recipe)
  )
  return {
    sides: facts.map((one, index) => ({ ...one, label: labels[index] ?? '' })),
    baseline,
    window: request.window,
    metrics: sideMetrics(numbers, baseline, {
      window: request.window,
      directionOf: (key) => knowledgeOf(key).direction
    }),
    results: sideResults(numbers, baseline),
    settings: sideSettings(pairs, settingsBase)
  }
}
