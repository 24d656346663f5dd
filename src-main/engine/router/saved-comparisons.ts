import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { SavedComparison, type ComparedSide, type SavedSummary } from '../../contract/compare'
import type { Alignment } from '../../contract/comparing'
import { comparisonPage, compareEach, Shelf, sourcesOf } from '../compare'
import { fail } from '../lib'
import type { Services } from './services'
import { compareSides } from './side-comparison'
import { sideCurves } from './side-curves'

interface Asked {
  sides: ComparedSide[]
  baseline?: number | undefined
  window: number
}

const shelfOf = ({ home }: Services): Shelf<SavedComparison> =>
  new Shelf(join(home, 'comparisons'), SavedComparison)

/** Keeps a comparison and what it comes to now. */
export async function saveComparison(
  services: Services,
  { name, ...asked }: Asked & { name: string }
): Promise<SavedComparison> {
  const called = name.trim()
  if (called === '')
    return fail({
      code: 'name-missing',
      what: { en: 'Give the comparison a name.', zh: '请为对比命名。' }
    })
  const { sides, baseline = null, window } = asked
  return shelfOf(services).put({
    id: createHash('sha256').update(called).digest('hex').slice(0, 16),
    name: called,
    savedAt: services.clock.now(),
    sides,
    baseline,
    window,
    then: await compareSides(services, asked)
  })
}

/** Newest first. */
export async function listSaved(
  services: Services
): Promise<{ comparisons: SavedSummary[]; unreadable: string[] }> {
  const { documents, unreadable } = await shelfOf(services).list()
  const comparisons = documents
    .sort((one, two) => two.savedAt - one.savedAt)
    .map(({ then, ...rest }) => ({ ...rest, labels: then.sides.map(({ label }) => label) }))
  return { comparisons, unreadable }
}

export function readSaved(services: Services, id: string): Promise<SavedComparison> {
  return shelfOf(services).get(id)
}

export function removeSaved(services: Services, id: string): Promise<void> {
  return shelfOf(services).remove(id)
}

async function weightsOf(
  services: Services,
  { sides, baseline }: SavedComparison['then'],
  signal: AbortSignal | undefined
): ReturnType<typeof compareEach> {
  const base = sides[baseline]?.weights ?? null
  if (base === null) return { pairs: [], odd: [] }
  const { files } = await services.targets.get(base.target)
  return compareEach(sides, baseline, { open: sourcesOf(files), signal })
}

/** A comparison as a page of its own. */
export async function exportPage(
  services: Services,
  request: Asked & {
    name: string
    language: 'en' | 'zh'
    weights: boolean
    alignment: Alignment
    trials: string[]
  },
  signal?: AbortSignal
): Promise<{ html: string }> {
  const { name, language, weights, alignment, trials, ...asked } = request
  const comparison = await compareSides(services, asked)
  const { pairs, odd } = weights
    ? await weightsOf(services, comparison, signal)
    : { pairs: [], odd: [] }
  const html = comparisonPage({
    name,
    comparison,
    curves: await sideCurves(services, comparison, alignment),
    weights: pairs,
    odd,
    trials: await Promise.all(trials.map((id) => services.trials.read(id))),
    language,
    madeAt: services.clock.now()
  })
  return { html }
}
