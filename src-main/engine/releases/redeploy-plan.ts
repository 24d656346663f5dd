import type { RollbackPlan } from '../../contract/releases'
import {
  downTime,
  lostLive,
  nextStep,
  servedChange,
  waiting,
  type RollbackRequest
} from './plan-words'
import type { RollbackVerdict } from './rollback-verdict'

export type Redeploy = Extract<RollbackVerdict, { kind: 'redeploy' }>

function redeployChanges(request: RollbackRequest, verdict: Redeploy): RollbackPlan['changes'] {
  const { chain, scene } = request
  const next = nextStep(chain)
  const step = scene.trainStep
  const changes: RollbackPlan['changes'] = [
    servedChange(chain, verdict.release),
    {
      what: { en: 'Numbering', zh: '编号' },
      now: {
        en: step === null ? `r${next - 1}` : `r${next - 1}, step ${step}`,
        zh: step === null ? `r${next - 1}` : `r${next - 1}，第 ${step} 步`
      },
      after: { en: `new branch r${next}, steps from 0`, zh: `新分支 r${next}，步数从 0 开始` }
    },
    {
      what: { en: 'Optimizer moments, critic', zh: '优化器动量、critic' },
      now: { en: 'those of the running attempt', zh: '当前尝试的状态' },
      after: { en: 'start anew', zh: '重新开始' }
    },
    {
      what: { en: 'Serving', zh: '服务' },
      now: scene.serving ? { en: 'up', zh: '运行中' } : { en: 'down', zh: '已停止' },
      after: downTime(scene.startsTook)
    }
  ]
  if (scene.reportsWaiting !== null && scene.reportsWaiting > 0)
    changes.push({
      what: { en: 'Reports waiting', zh: '等待中的反馈' },
      now: { en: String(scene.reportsWaiting), zh: String(scene.reportsWaiting) },
      after: {
        en: '0: the new record folder starts empty',
        zh: '0：新的记录目录从空开始'
      }
    })
  if (scene.startsFrom.some(({ path }) => path.includes('ref')))
    changes.push({
      what: { en: 'Reference model (KL)', zh: '参考模型（KL）' },
      now: { en: 'the one of the recipe', zh: '配方中的参考模型' },
      after: {
        en: `r${verdict.release.step} itself: training would else begin with the old one`,
        zh: `r${verdict.release.step} 自身：否则训练会从旧的参考模型开始`
      }
    })
  if (scene.trackingRun !== null)
    changes.push({
      what: { en: 'Tracking run', zh: '跟踪运行' },
      now: { en: scene.trackingRun, zh: scene.trackingRun },
      after: { en: 'a new run in the same group', zh: '同组中的新运行' }
    })
  return changes
}

/** The plan of a branch redeploy: a new attempt on new, empty folders, started from the release's export. */
export function redeployPlan(request: RollbackRequest, verdict: Redeploy): RollbackPlan {
  const { chain, scene } = request
  const { release, checkpoint } = verdict
  const kept = scene.checkpoints
  return {
    way: 'redeploy',
    reason: {
      en: `Weights on this runtime cannot be swapped while it runs, so this starts attempt ${scene.nextAttempt} from ${checkpoint}. Nothing is deleted.`,
      zh: `该运行时无法在运行中替换权重，因此会从 ${checkpoint} 启动第 ${scene.nextAttempt} 次尝试。不会删除任何内容。`
    },
    title: {
      en: `Go back to r${release.step} by redeploying its checkpoint?`,
      zh: `通过重新部署 checkpoint 回滚到 r${release.step}？`
    },
    changes: redeployChanges(request, verdict),
    lost: lostLive(chain),
    kept: [
      {
        en: `The old folders as they are${kept === null ? '' : `, with ${kept} checkpoints`}, optimizer moments, critic and records in them; the new attempt writes into new, empty ones.`,
        zh: `原有目录保持不变${kept === null ? '' : `（含 ${kept} 个 checkpoint）`}，其中的优化器动量、critic 和记录都在；新的尝试写入全新的空目录。`
      }
    ],
    waitsFor: waiting(verdict.wait, scene.graceSeconds),
    undo: verdict.undoable
      ? {
          en: 'Stop the new attempt and start the old folders again.',
          zh: '停止新的尝试，并用原有目录重新启动。'
        }
      : {
          en: 'The old folders would not start again as they are: their job marker is not COMPLETE. They are kept for repair by hand.',
          zh: '原有目录目前无法直接重新启动：任务标记不是 COMPLETE。目录会保留，供手动修复。'
        },
    planDiff: [
      { path: 'inference.model-path', now: scene.modelPath, after: scene.inside(checkpoint) },
      ...scene.startsFrom.map(({ path, now }) => ({ path, now, after: scene.inside(checkpoint) })),
      ...scene.storage.map(({ path, now, after }) => ({ path, now, after }))
    ]
  }
}
