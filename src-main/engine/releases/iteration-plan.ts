import type { Release, RollbackPlan } from '../../contract/releases'
import type { Text } from '../../contract/text'
import type { IterationRefusal } from '../checkpoints'
import { downTime, lostLive, nextStep, servedChange, waiting } from './plan-words'
import type { RollbackRequest } from './plan-words'
import type { Redeploy } from './redeploy-plan'

/** What is known of the iteration that a redeploy would go on from. */
export type IterationFacts =
  | {
      kind: 'ready'
      rollout: number
      /** What the old root's tracker names. */
      tracker: number
      critic: boolean
      /** Bytes the copy takes, and bytes that get a second name only. */
      copied: number
      linked: number
      /** Saved there and newer than it: these stay in the old root only. */
      newer: number
    }
  | { kind: 'refused'; because: IterationRefusal | IterationHindrance }

/** What stands against it beside the files of the root. */
type IterationHindrance =
  'elsewhere' | 'loads-nothing' | 'no-optimizer' | 'adapter' | 'not-a-rollout'

/** Why it cannot be done, and what can. */
function refusalOf(because: IterationRefusal | IterationHindrance): Text {
  switch (because) {
    case 'elsewhere':
      return {
        en: 'The checkpoints lie on another machine; the copy is made on this one only.',
        zh: 'checkpoint 位于另一台机器上；只能在本机上制作副本。'
      }
    case 'loads-nothing':
      return {
        en: 'The recipe sets no training.options.load, so the trainer would not read the copied state.',
        zh: '配方没有设置 training.options.load，训练器不会读取复制的状态。'
      }
    case 'no-optimizer':
      return {
        en: 'The recipe saves no optimizer state (no-save-optim).',
        zh: '配方不保存优化器状态（no-save-optim）。'
      }
    case 'adapter':
      return {
        en: 'This run trains an adapter; its trainer state is kept in slots, not by iteration.',
        zh: '该运行训练的是 adapter；其训练状态按槽位而不是按迭代保存。'
      }
    case 'not-a-rollout':
      return {
        en: 'It is not known which iteration this release was saved with.',
        zh: '不清楚该版本对应哪个迭代。'
      }
    case 'no-trainer-state':
      return {
        en: 'Only the export of this release is on disk, not its trainer state.',
        zh: '磁盘上只有该版本的导出，没有训练器状态。'
      }
    case 'not-whole':
      return {
        en: 'Its trainer state was not written to the end: the tracker has not reached it.',
        zh: '其训练器状态没有写完：跟踪文件尚未到达该迭代。'
      }
    case 'no-export':
      return {
        en: 'The export that the engine would start with is missing.',
        zh: '缺少推理引擎启动所需的导出。'
      }
    case 'critic-missing':
      return {
        en: 'The critic was not saved with this iteration, and it must go on from the same one.',
        zh: 'critic 没有在该迭代保存，而它必须从同一迭代继续。'
      }
    case 'being-deleted':
      return { en: 'The stack is deleting this checkpoint.', zh: '运行栈正在删除该 checkpoint。' }
    case 'marker-open':
      return {
        en: 'The job marker of that root is not COMPLETE: what was saved last is not certain.',
        zh: '该目录的任务标记不是 COMPLETE：最后保存的内容无法确定。'
      }
    case 'marker-unreadable':
      return { en: 'The job marker cannot be read.', zh: '无法读取任务标记。' }
  }
}

const size = (bytes: number): string =>
  bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`

/** Why an iteration cannot be gone on from, as a plan that offers the plain redeploy instead. */
export function refusedIterationPlan(
  { release }: { release: Release },
  because: IterationRefusal | IterationHindrance
): RollbackPlan {
  const why = refusalOf(because)
  return {
    way: 'refused',
    reason: {
      en: `${why.en} Without the optimizer it can be redeployed.`,
      zh: `${why.zh}不带优化器则可以重新部署。`
    },
    title: {
      en: `r${release.step} cannot be gone on from with its optimizer`,
      zh: `无法带优化器从 r${release.step} 继续`
    },
    changes: [],
    lost: [],
    kept: [],
    waitsFor: null,
    undo: { en: 'Nothing is changed.', zh: '不会更改任何内容。' },
    planDiff: []
  }
}

function changesOf(
  { chain, scene }: RollbackRequest,
  release: Release,
  { rollout, critic, newer }: Extract<IterationFacts, { kind: 'ready' }>
): RollbackPlan['changes'] {
  const next = nextStep(chain)
  const changes: RollbackPlan['changes'] = [
    servedChange(chain, release),
    {
      what: { en: 'Numbering', zh: '编号' },
      now: { en: `r${next - 1}`, zh: `r${next - 1}` },
      after: {
        en: `new branch r${next}; the trainer goes on at iteration ${rollout + 1}`,
        zh: `新分支 r${next}；训练器从第 ${rollout + 1} 次迭代继续`
      }
    },
    {
      what: critic
        ? { en: 'Optimizer moments, critic', zh: '优化器动量、critic' }
        : { en: 'Optimizer moments', zh: '优化器动量' },
      now: { en: 'those of the running attempt', zh: '当前尝试的状态' },
      after: { en: `as saved with iteration ${rollout}`, zh: `第 ${rollout} 次迭代保存的状态` }
    },
    {
      what: { en: 'Serving', zh: '服务' },
      now: scene.serving ? { en: 'up', zh: '运行中' } : { en: 'down', zh: '已停止' },
      after: downTime(scene.startsTook)
    }
  ]
  if (newer > 0)
    changes.push({
      what: { en: 'Newer checkpoints', zh: '更新的 checkpoint' },
      now: { en: String(newer), zh: String(newer) },
      after: {
        en: 'not in the copy: training will write these numbers again',
        zh: '不在副本中：训练会再次写入这些编号'
      }
    })
  if (scene.reportsWaiting !== null && scene.reportsWaiting > 0)
    changes.push({
      what: { en: 'Reports waiting', zh: '等待中的反馈' },
      now: { en: String(scene.reportsWaiting), zh: String(scene.reportsWaiting) },
      after: { en: '0: the new record folder starts empty', zh: '0：新的记录目录从空开始' }
    })
  if (scene.trackingRun !== null)
    changes.push({
      what: { en: 'Tracking run', zh: '跟踪运行' },
      now: { en: scene.trackingRun, zh: scene.trackingRun },
      after: { en: 'a new run in the same group', zh: '同组中的新运行' }
    })
  return changes
}

/**
 * The plan of a redeploy that goes on from an older iteration with its optimizer, on a copy of the checkpoint root whose
 * trackers name that iteration. Experimental: that a stack takes such a root is Megatron's rule for its tracker
 * (`megatron/training/checkpointing.py`), not a promise of every Reef revision.
 */
export function iterationPlan(
  request: RollbackRequest,
  { release, checkpoint, wait, undoable }: Redeploy,
  facts: Extract<IterationFacts, { kind: 'ready' }>
): RollbackPlan {
  const { chain, scene } = request
  const { rollout, copied, linked } = facts
  return {
    way: 'redeploy',
    reason: {
      en: `Experimental. Attempt ${scene.nextAttempt} starts on a copy of the checkpoint root that names iteration ${rollout}, so training goes on with its optimizer. If the stack refuses the copy, undo starts the old folders again.`,
      zh: `实验性功能。第 ${scene.nextAttempt} 次尝试在 checkpoint 根目录的副本上启动，副本指向第 ${rollout} 次迭代，训练会带着其优化器继续。如果运行栈拒绝该副本，撤销会重新启动原有目录。`
    },
    title: {
      en: `Go back to r${release.step} with its optimizer?`,
      zh: `带优化器回滚到 r${release.step}？`
    },
    changes: changesOf(request, release, facts),
    lost: lostLive(chain),
    kept: [
      {
        en: 'The old folders byte for byte, newer checkpoints and records in them included.',
        zh: '原有目录逐字节保持不变，包括其中更新的 checkpoint 和记录。'
      },
      {
        en: `The copy takes ${size(copied)}; ${size(linked)} of finished checkpoint files get a second name where the disk allows it.`,
        zh: `副本占用 ${size(copied)}；已完成的 checkpoint 文件（${size(linked)}）在磁盘允许时只增加第二个名字。`
      }
    ],
    waitsFor: waiting(wait, scene.graceSeconds),
    undo: undoable
      ? {
          en: 'Stop the new attempt and start the old folders again.',
          zh: '停止新的尝试，并用原有目录重新启动。'
        }
      : {
          en: 'The old folders would not start again as they are: their job marker is not COMPLETE.',
          zh: '原有目录目前无法直接重新启动：任务标记不是 COMPLETE。'
        },
    planDiff: [
      { path: 'inference.model-path', now: scene.modelPath, after: scene.inside(checkpoint) },
      ...scene.storage.map(({ path, now, after }) => ({ path, now, after })),
      {
        path: 'latest_checkpointed_iteration.txt',
        now: String(facts.tracker),
        after: String(rollout)
      }
    ]
  }
}
