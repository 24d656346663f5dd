import type { Release, RollbackPlan } from '../../contract/releases'
import type { Text } from '../../contract/text'
import {
  described,
  downTime,
  lostLive,
  nextStep,
  waiting,
  type RollbackRequest,
  type RollbackScene
} from './plan-words'
import { planRollback } from './rollback-plan'
import { serves } from './row-result'

/** What a run did that can be taken back, newest last, and where its attempts worked. */
export interface ActHistory {
  attempts: readonly { number: number; storage: number }[]
  /** An attempt that is to follow and was not begun. */
  next: { reason: 'restart' | 'redeploy' | 'undo' } | null
  /** Rollbacks and promotions through the service: in which attempt, and the step that was served before. */
  acts: readonly { attempt: number; from: number | null }[]
}

export type UndoVerdict =
  | { kind: 'nothing' }
  /** Serve this step again through the service. */
  | { kind: 'api'; step: number }
  /** Start the folders of this attempt again; `calledOff`: they have not been left yet. */
  | { kind: 'reopen'; storage: number; calledOff: boolean }

/** What undo means now: of the acts on what is served, the newest. Undoing twice does it again. */
export function judgeUndo({ attempts, next, acts }: ActHistory): UndoVerdict {
  const last = attempts.at(-1)
  if (last === undefined) return { kind: 'nothing' }
  if (next !== null && next.reason !== 'restart')
    return { kind: 'reopen', storage: last.storage, calledOff: true }
  let moved = attempts.length - 1
  while (moved > 0 && attempts[moved]?.storage === attempts[moved - 1]?.storage) moved -= 1
  const movedIn = attempts[moved]?.number ?? last.number
  const act = acts.at(-1)
  if (act !== undefined && act.attempt >= movedIn && act.from !== null)
    return { kind: 'api', step: act.from }
  const before = attempts[moved - 1]
  return moved < 1 || before === undefined
    ? { kind: 'nothing' }
    : { kind: 'reopen', storage: before.storage, calledOff: false }
}

export interface UndoRequest {
  /** Newest first. */
  chain: readonly Release[]
  history: ActHistory
  scene: RollbackScene
  /** Why the folders gone back to would not start; null when they would. */
  hindered: Text | null
  planDiff: RollbackPlan['planDiff']
}

const refused = (en: string, zh: string): RollbackPlan => ({
  way: 'refused',
  reason: { en, zh },
  title: { en: 'Nothing to undo', zh: '没有可撤销的操作' },
  changes: [],
  lost: [],
  kept: [],
  waitsFor: null,
  undo: { en: 'Nothing is changed.', zh: '不会更改任何内容。' },
  planDiff: []
})

/** The release that folders used before served last. */
function leftServing(request: UndoRequest, storage: number): Release | undefined {
  const { chain, history } = request
  const there = new Set(
    history.attempts.filter((attempt) => attempt.storage === storage).map(({ number }) => number)
  )
  return chain.find((release) => there.has(release.attempt) && serves(release.result))
}

function reopenChanges(request: UndoRequest, storage: number): RollbackPlan['changes'] {
  const { chain, scene } = request
  const next = nextStep(chain)
  const target = leftServing(request, storage)
  return [
    {
      what: { en: 'Served', zh: '服务中' },
      now: described(chain.find((release) => release.served)),
      after: described(target)
    },
    {
      what: { en: 'Numbering', zh: '编号' },
      now: { en: `r${next - 1}`, zh: `r${next - 1}` },
      after: {
        en: `goes on at r${next}, as a branch of ${described(target).en}`,
        zh: `从 r${next} 继续，作为 ${described(target).zh} 的分支`
      }
    },
    {
      what: { en: 'Optimizer moments, critic, records', zh: '优化器动量、critic、记录' },
      now: { en: 'those of the present folders', zh: '当前目录中的状态' },
      after: { en: 'those of the old folders', zh: '原有目录中的状态' }
    },
    {
      what: { en: 'Serving', zh: '服务' },
      now: scene.serving ? { en: 'up', zh: '运行中' } : { en: 'down', zh: '已停止' },
      after: downTime(scene.startsTook)
    }
  ]
}

function reopenPlan(request: UndoRequest, storage: number): RollbackPlan {
  const { chain, scene, hindered } = request
  if (hindered !== null) return refused(hindered.en, hindered.zh)
  return {
    way: 'reopen',
    reason: {
      en: `The folders of attempt ${storage} are as they were left. They are started again as attempt ${scene.nextAttempt}.`,
      zh: `第 ${storage} 次尝试的目录保持离开时的原样，将作为第 ${scene.nextAttempt} 次尝试再次启动。`
    },
    title: { en: 'Undo the redeploy?', zh: '撤销重新部署？' },
    changes: reopenChanges(request, storage),
    lost: lostLive(chain),
    kept: [
      {
        en: 'The folders of the present attempt as they are, with everything learned in them.',
        zh: '当前尝试的目录保持原样，其中学到的一切都在。'
      }
    ],
    waitsFor: waiting(
      scene.jobOut === true
        ? 'commit'
        : scene.jobOut === null && scene.serving
          ? 'unknown-job'
          : 'nothing',
      scene.graceSeconds
    ),
    undo: {
      en: 'Undo once more: the folders of the present attempt are started again.',
      zh: '再次撤销：重新启动当前尝试的目录。'
    },
    planDiff: request.planDiff
  }
}

/** A redeploy that is still under way: the old stack has not been asked to stop, or has not ended yet. */
function calledOffPlan(): RollbackPlan {
  return {
    ...refused(
      'The act is still under way. It is called off; where the stack was stopped already, it is started again on the same folders.',
      '该操作仍在进行中。将取消该操作；如果运行栈已被停止，则在相同目录上再次启动。'
    ),
    way: 'reopen',
    title: { en: 'Call it off?', zh: '取消该操作？' },
    undo: { en: 'Go back again.', zh: '再次回滚。' }
  }
}

/** What undo would do, said before it is done. Nothing is asked and nothing is done. */
export function planUndo(request: UndoRequest): RollbackPlan {
  const verdict = judgeUndo(request.history)
  switch (verdict.kind) {
    case 'nothing':
      return refused(
        'Nothing was rolled back, promoted or redeployed in this run.',
        '该运行没有进行过回滚、提升或重新部署。'
      )
    case 'api': {
      const rollback: RollbackRequest = {
        chain: request.chain,
        step: verdict.step,
        scene: request.scene
      }
      return planRollback(rollback)
    }
    case 'reopen':
      return verdict.calledOff ? calledOffPlan() : reopenPlan(request, verdict.storage)
  }
}
