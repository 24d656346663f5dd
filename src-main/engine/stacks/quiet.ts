import type { Stages } from '../../contract/run'
import type { Text } from '../../contract/text'
import { errorOf, type ReefStatus } from './reef-client'

/** What stands below a stack, in the numbers that say whether it works. Null: not to be seen. */
export interface Below {
  /** GPUs that Ray waits for. */
  waitingGpus: number | null
  /** Requests that SGLang answers now, and those that wait for it. */
  running: number | null
  queued: number | null
  /** Mean utilisation of the machine's GPUs, in percent. */
  gpuBusy: number | null
}

/** What is known when nothing moves. Durations in milliseconds. */
export interface QuietFacts {
  silentFor: number
  /** Since the last inference or report; null when none was ever seen. */
  withoutTraffic: number | null
  status: ReefStatus | null
  stages: Stages
  /** Newest line saying that GPUs are waited for, as the driver prints it. */
  placement: string | null
  /** Companions that have ended and will not start again by themselves. */
  ended: readonly { name: string; how: Text }[]
  /** Null before anybody looked, and where there is nothing below. */
  below: Below | null
}

/** `12 min`, `40 s`. */
export function duration(ms: number): { en: string; zh: string } {
  const seconds = Math.round(ms / 1000)
  if (seconds < 90) return { en: `${seconds} s`, zh: `${seconds} 秒` }
  const minutes = Math.round(seconds / 60)
  if (minutes < 90) return { en: `${minutes} min`, zh: `${minutes} 分钟` }
  const hours = Math.round(minutes / 60)
  return { en: `${hours} h`, zh: `${hours} 小时` }
}

function storageReasons(status: ReefStatus): string | null {
  for (const scenario of Object.values(status.scenarios)) {
    const block = scenario.checkpoint_storage
    if (block === null || block === undefined) continue
    const reasons =
      typeof block === 'object' && 'reasons' in block && Array.isArray(block.reasons)
        ? block.reasons.map(String).join('; ')
        : ''
    return reasons === '' ? 'checkpoint storage is blocked' : reasons
  }
  return null
}

function batchText(stages: Stages): Text {
  const { batchHave, batchNeed } = stages
  if (batchHave === null || batchNeed === null) return { en: '', zh: '' }
  return {
    en: ` The batch holds ${batchHave} of ${batchNeed}.`,
    zh: `当前批次已有 ${batchHave}/${batchNeed} 条。`
  }
}

/** What SGLang and the GPUs do meanwhile; empty where that is not to be seen. */
function belowText(below: Below | null): Text {
  if (below === null) return { en: '', zh: '' }
  const { running, queued, gpuBusy } = below
  const en: string[] = []
  const zh: string[] = []
  if (running !== null && running + (queued ?? 0) > 0) {
    en.push(`SGLang answers ${running} requests and ${queued ?? 0} wait`)
    zh.push(`SGLang 正在处理 ${running} 个请求，另有 ${queued ?? 0} 个排队`)
  }
  if (gpuBusy !== null) {
    en.push(gpuBusy < IDLE_PERCENT ? 'the GPUs are idle' : `the GPUs are ${gpuBusy} % busy`)
    zh.push(gpuBusy < IDLE_PERCENT ? 'GPU 空闲' : `GPU 利用率 ${gpuBusy}%`)
  }
  if (en.length === 0) return { en: '', zh: '' }
  const said = en.join('; ')
  return { en: ` Below it ${said}.`, zh: `下层情况：${zh.join('，')}。` }
}

/** A GPU that only keeps a process alive shows a percent or two. */
const IDLE_PERCENT = 5

function joined(...parts: readonly Text[]): Text {
  return { en: parts.map(({ en }) => en).join(''), zh: parts.map(({ zh }) => zh).join('') }
}

/** Whoever makes the traffic has ended: that is why there is none. */
function companionText([first]: QuietFacts['ended']): Text {
  if (first === undefined) return { en: '', zh: '' }
  return {
    en: ` Companion “${first.name}” has ended ${first.how.en}.`,
    zh: `伴随命令“${first.name}”已结束（${first.how.zh}）。`
  }
}

function noTraffic(facts: QuietFacts): Text {
  const batch = joined(companionText(facts.ended), batchText(facts.stages), belowText(facts.below))
  if (facts.withoutTraffic === null) {
    return {
      en: `No request has come yet; training needs an agent that asks and reports.${batch.en}`,
      zh: `尚未收到任何请求；训练需要有 agent 发起请求并上报反馈。${batch.zh}`
    }
  }
  const time = duration(facts.withoutTraffic)
  return {
    en: `No traffic for ${time.en}.${batch.en}`,
    zh: `已有 ${time.zh} 没有流量。${batch.zh}`
  }
}

/** Why nothing moves, in one sentence: the most certain cause first. Pure. */
export function whyQuiet(facts: QuietFacts): Text {
  const { status } = facts
  const time = duration(facts.silentFor)
  const error = status === null ? null : errorOf(status)
  if (error !== null) {
    return { en: `The service reports: ${error}`, zh: `服务报告：${error}` }
  }
  const storage = status === null ? null : storageReasons(status)
  if (storage !== null) {
    return {
      en: `Training waits for disk space: ${storage}.`,
      zh: `训练正在等待磁盘空间：${storage}。`
    }
  }
  if (facts.placement !== null) {
    return {
      en: `Ray waits for GPUs: ${facts.placement}`,
      zh: `Ray 正在等待 GPU：${facts.placement}`
    }
  }
  const waiting = facts.below?.waitingGpus ?? 0
  if (waiting > 0) {
    return { en: `Ray waits for ${waiting} GPUs.`, zh: `Ray 正在等待 ${waiting} 块 GPU。` }
  }
  const job = status?.training_job?.status ?? null
  if (job === 'READY_TO_COMMIT') {
    return {
      en: `A finished training job has waited ${time.en} to be committed.`,
      zh: `一个已完成的训练任务等待提交已有 ${time.zh}。`
    }
  }
  if (job !== null && job !== 'COMPLETE' && job !== 'HEAD_COMMITTED' && job !== 'REJECTED') {
    const silent = {
      en: `A training job (${job}) has run for ${time.en} without a word.`,
      zh: `训练任务（${job}）已运行 ${time.zh}，期间没有任何输出。`
    }
    return joined(silent, belowText(facts.below))
  }
  const closed = Object.entries(status?.scenarios ?? {}).find(
    ([, scenario]) => scenario.inference_admission?.open === false
  )
  if (closed !== undefined) {
    return {
      en: `Inference is closed for “${closed[0]}” and no training job is known.`,
      zh: `场景“${closed[0]}”的推理准入已关闭，且没有已知的训练任务。`
    }
  }
  return noTraffic(facts)
}

/** What stopping at this moment would cost, or null when it costs nothing. */
export function stopCost(status: ReefStatus | null): Text | null {
  const job = status?.training_job?.status ?? null
  switch (job) {
    case null:
    case 'COMPLETE':
    case 'HEAD_COMMITTED':
    case 'REJECTED':
      return null
    case 'RUNNING':
      return {
        en: 'A training job is out (RUNNING). Stopping now loses it, and a real Slime stack may refuse to start again until its marker is repaired.',
        zh: '有训练任务正在执行（RUNNING）。现在停止会丢失该任务，真实的 Slime 运行栈可能在修复标记之前拒绝再次启动。'
      }
    case 'READY_TO_COMMIT':
      return {
        en: 'A finished training job has not been committed yet. Stopping now may leave it so that an operator has to recover it.',
        zh: '有已完成的训练任务尚未提交。现在停止可能需要人工恢复。'
      }
    default:
      return {
        en: `A training job is being saved or published (${job}). Wait a moment, or lose this step.`,
        zh: `训练任务正在保存或发布（${job}）。请稍候，否则会丢失这一步。`
      }
  }
}
