import type { Release, RollbackPlan } from '../../contract/releases'
import type { Text } from '../../contract/text'
import { type IterationFacts, iterationPlan, refusedIterationPlan } from './iteration-plan'
import {
  lostLive,
  nearestSaved,
  nextStep,
  servedChange,
  waiting,
  type RollbackRequest
} from './plan-words'
import { redeployPlan } from './redeploy-plan'
import { refusalText } from './refusal-text'
import {
  judgePromote,
  judgeRollback,
  type RollbackVerdict,
  type WaitReason
} from './rollback-verdict'

function apiPlan(request: RollbackRequest, release: Release, wait: WaitReason): RollbackPlan {
  const { chain, scene } = request
  const promote = release.result === 'pending'
  const served = chain.find((other) => other.served)
  const next = nextStep(chain)
  const changes = [
    servedChange(chain, release),
    {
      what: { en: 'Numbering', zh: '编号' },
      now: { en: `r${next - 1}`, zh: `r${next - 1}` },
      after: { en: `goes on at r${next}; nothing is rewound`, zh: `从 r${next} 继续，不会倒回` }
    },
    {
      what: { en: 'Serving', zh: '服务' },
      now: { en: 'up', zh: '运行中' },
      after: {
        en: 'stays up; answers pause while weights load',
        zh: '保持运行；加载权重时短暂停顿'
      }
    }
  ]
  if (scene.trackingRun !== null && !promote)
    changes.push({
      what: { en: 'Tracking run', zh: '跟踪运行' },
      now: { en: scene.trackingRun, zh: scene.trackingRun },
      after: { en: 'a new run in the same group', zh: '同组中的新运行' }
    })
  return {
    way: 'api',
    reason: promote
      ? {
          en: 'The service can serve a held release under a new number.',
          zh: '服务可以用新的编号提供待定版本。'
        }
      : {
          en: 'The service can serve a saved release again under a new number.',
          zh: '服务可以用新的编号重新提供已保存的版本。'
        },
    title: promote
      ? { en: `Promote r${release.step}?`, zh: `提升 r${release.step}？` }
      : { en: `Go back to r${release.step}?`, zh: `回滚到 r${release.step}？` },
    changes,
    lost: lostLive(chain),
    kept: [
      {
        en: 'Every release and every checkpoint; the rows in between stay in the chain, left behind.',
        zh: '所有版本和 checkpoint；中间的版本仍保留在链中，标记为已离开主线。'
      }
    ],
    waitsFor: waiting(wait, null),
    undo: undoByApi(chain, served),
    planDiff: []
  }
}

function undoByApi(chain: readonly Release[], served: Release | undefined): Text {
  if (served?.restorable === true)
    return { en: `Go back to r${served.step}.`, zh: `回滚到 r${served.step}。` }
  const nearest = nearestSaved(chain, served?.step ?? 0)
  return nearest === null
    ? { en: 'Cannot be undone: nothing else was saved.', zh: '无法撤销：没有其他已保存的版本。' }
    : {
        en: `Go back to r${nearest.step}, the nearest saved one; the live weights served now cannot come back.`,
        zh: `回滚到最近的已保存版本 r${nearest.step}；当前服务的实时权重无法恢复。`
      }
}

function refusedPlan(
  request: RollbackRequest,
  verdict: Extract<RollbackVerdict, { kind: 'refused' }>,
  promote: boolean
): RollbackPlan {
  const name = `r${request.step}`
  return {
    way: 'refused',
    reason: refusalText(
      verdict.because,
      verdict.release,
      nearestSaved(request.chain, request.step)
    ),
    title: promote
      ? { en: `${name} cannot be promoted`, zh: `无法提升 ${name}` }
      : { en: `Cannot go back to ${name}`, zh: `无法回滚到 ${name}` },
    changes: [],
    lost: [],
    kept: [],
    waitsFor: null,
    undo: { en: 'Nothing is changed.', zh: '不会更改任何内容。' },
    planDiff: []
  }
}

/** Everything the confirmation says before a rollback, computed from what is known. Nothing is asked and nothing is done. */
export function planRollback(request: RollbackRequest): RollbackPlan {
  const verdict = judgeRollback(request.chain, request.step, request.scene)
  switch (verdict.kind) {
    case 'api':
      return apiPlan(request, verdict.release, verdict.wait)
    case 'redeploy':
      return redeployPlan(request, verdict)
    case 'refused':
      return refusedPlan(request, verdict, false)
  }
}

/**
 * The same where training is to go on from the release's own iteration with its optimizer. Only what would be redeployed
 * can be; anything else is planned, or refused, as it is without.
 */
export function planRollbackWithOptimizer(
  request: RollbackRequest,
  facts: IterationFacts
): RollbackPlan {
  const verdict = judgeRollback(request.chain, request.step, request.scene)
  if (verdict.kind !== 'redeploy') return planRollback(request)
  return facts.kind === 'ready'
    ? iterationPlan(request, verdict, facts)
    : refusedIterationPlan(verdict, facts.because)
}

/** The same for promoting a held release. */
export function planPromote(request: RollbackRequest): RollbackPlan {
  const verdict = judgePromote(request.chain, request.step, request.scene)
  return verdict.kind === 'refused'
    ? refusedPlan(request, verdict, true)
    : apiPlan(request, verdict.release, verdict.wait)
}
