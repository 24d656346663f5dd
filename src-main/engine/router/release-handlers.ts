import { COMPARED_WINDOW } from '../../contract/comparing'
import type { ReleaseDetail } from '../../contract/release-detail'
import { compareReleases } from '../compare'
import { fail, FailureError } from '../lib'
import { knowledgeOf } from '../metrics'
import { inParts } from '../releases'
import { os } from './guard'
import type { Services } from './services'

const NEVER = new AbortController().signal

interface OfRelease {
  run: string
  scenario?: string | undefined
  step: number
}

/** The detail of a release, with the records it learnt from where the service can be asked for them. */
async function detailOf(
  { runs, talk }: Services,
  input: OfRelease,
  signal: AbortSignal | undefined
): Promise<ReleaseDetail> {
  const detail = await runs.releases.detail(input, signal ?? NEVER)
  const { scenario } = await runs.chain(input)
  try {
    const learnt = await talk.learnt({ run: input.run, scenario, step: input.step })
    return { ...detail, learnt: { ...detail.learnt, ...learnt } }
  } catch (cause) {
    if (!(cause instanceof FailureError)) throw cause
    return { ...detail, learnt: { ...detail.learnt, why: cause.failure.what } }
  }
}

/** What is experimental is done only where a person has switched it on. */
function allowExperiment(
  { settings }: Services,
  { withOptimizer }: { withOptimizer?: boolean | undefined }
): void {
  if (withOptimizer !== true || settings.get().redeployWithOptimizer === true) return
  fail({
    code: 'experimental-off',
    what: {
      en: 'Going back with the optimizer is experimental and switched off.',
      zh: '带优化器回滚是实验性功能，目前已关闭。'
    },
    remedy: {
      en: 'Switch it on in Settings, Experimental, or set "redeployWithOptimizer": true in settings.json of the home.',
      zh: '请在“设置 → 实验性”中开启，或在主目录的 settings.json 中设置 "redeployWithOptimizer": true。'
    }
  })
}

export function releaseHandlers(services: Services) {
  const { runs } = services
  return {
    chain: os.releases.chain.handler(({ input }) => runs.chain(input)),
    watch: os.releases.watch.handler(({ input, signal }) =>
      inParts(runs.watchChain(input, signal))
    ),
    detail: os.releases.detail.handler(({ input, signal }) => detailOf(services, input, signal)),
    harnessDiff: os.releases.harnessDiff.handler(({ input, signal }) =>
      runs.releases.harnessDiff(input, signal ?? NEVER)
    ),
    compare: os.releases.compare.handler(async ({ input }) =>
      compareReleases({
        chain: (await runs.chain(input)).releases,
        a: input.a,
        b: input.b,
        window: COMPARED_WINDOW,
        directionOf: (key) => knowledgeOf(key).direction
      })
    ),
    rollbackPlan: os.releases.rollbackPlan.handler(({ input }) => {
      allowExperiment(services, input)
      return runs.rollbackPlan(input)
    }),
    rollback: os.releases.rollback.handler(({ input }) => {
      allowExperiment(services, input)
      return runs.rollback(input)
    }),
    promotePlan: os.releases.promotePlan.handler(({ input }) => runs.promotePlan(input)),
    undoPlan: os.releases.undoPlan.handler(({ input }) => runs.undoPlan(input)),
    undo: os.releases.undo.handler(({ input }) => runs.undo(input)),
    promote: os.releases.promote.handler(({ input }) => runs.promote(input))
  }
}
