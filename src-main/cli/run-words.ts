import type { Exit, RunState, RunSummary } from '../contract/run'
import type { Text } from '../contract/text'
import type { Operation, Release, ReleaseResult } from '../contract/releases'

export function exitWord(exit: Exit): Text {
  switch (exit.kind) {
    case 'code':
      return { en: `exit ${exit.code}`, zh: `退出码 ${exit.code}` }
    case 'signal':
      return { en: exit.signal, zh: exit.signal }
    case 'oom':
      return { en: 'out of memory', zh: '内存不足' }
    case 'unknown':
      return { en: 'end not seen', zh: '未见其结束' }
  }
}

/** What a run is doing, in a word or two. */
export function stateWord(state: RunState, trainStep: number | null): Text {
  switch (state.kind) {
    case 'planned':
      return { en: 'planned', zh: '已计划' }
    case 'checking':
      return { en: 'checking', zh: '检查中' }
    case 'preparing':
      return { en: 'preparing', zh: '准备中' }
    case 'starting':
      return { en: `starting ${state.service}`, zh: `正在启动 ${state.service}` }
    case 'serving':
      return { en: 'serving', zh: '服务中' }
    case 'training':
      return trainStep === null
        ? { en: 'training', zh: '训练中' }
        : { en: `training, step ${trainStep}`, zh: `训练中，第 ${trainStep} 步` }
    case 'quiet':
      return { en: 'quiet', zh: '安静' }
    case 'unreachable':
      return { en: 'unreachable', zh: '无法连接' }
    case 'stopping':
      return { en: 'stopping', zh: '停止中' }
    case 'stopped': {
      const how = exitWord(state.exit)
      if (state.unsure === true)
        return {
          en: `ended, perhaps not by itself (${how.en})`,
          zh: `已结束，可能并非自行结束（${how.zh}）`
        }
      return { en: `stopped (${how.en})`, zh: `已停止（${how.zh}）` }
    }
    case 'failed':
      return { en: 'failed', zh: '失败' }
    case 'imported':
      return { en: 'imported', zh: '已导入' }
  }
}

type State = RunSummary['state']
type Ended = Extract<State, { kind: 'stopped' | 'failed' }>

/** Whether a run that is over was so before, by the same end. */
export function isSameEnd(before: State, now: State): now is Ended {
  if (now.kind !== 'stopped' && now.kind !== 'failed') return false
  return before.kind === now.kind && before.at === now.at
}

/** What is said to somebody who stops a run that is over. */
export function overWord({ kind, at }: Ended): Text {
  const time = new Date(at).toISOString()
  return kind === 'stopped'
    ? { en: `was already stopped at ${time}`, zh: `此前已于 ${time} 停止` }
    : { en: `had already failed at ${time}`, zh: `此前已于 ${time} 失败` }
}

/** One line of `--follow`: the state and what happens, or, while it trains, the step and the reward; nothing twice. */
export function progressLine({ state, trainStep, now, reward, served }: RunSummary): Text {
  const word = stateWord(state, trainStep)
  if (state.kind !== 'training') return { en: `${word.en}: ${now.en}`, zh: `${word.zh}：${now.zh}` }
  const last = reward?.last ?? null
  const figure = last === null ? '–' : last.toFixed(3)
  return {
    en: `${word.en}, reward ${figure}, serves ${served ?? '–'}`,
    zh: `${word.zh}，奖励 ${figure}，在线 ${served ?? '–'}`
  }
}

const operations: Readonly<Record<Operation, string>> = {
  creation: '创建',
  training: '训练',
  rollback: '回滚',
  promote: '提升',
  recovery: '恢复'
}

const results: Readonly<Record<ReleaseResult, string>> = {
  published: '已发布',
  pending: '待定',
  promoted: '已提升',
  selected: '已选中',
  rejected: '被拒绝',
  skipped: '已跳过',
  failed: '失败'
}

/** A release's row of the table, in words. */
export function releaseWords(release: Release): { operation: Text; state: Text; restorable: Text } {
  const { operation, rollbackTargetStep: target } = release
  return {
    operation:
      target === null
        ? { en: operation, zh: operations[operation] }
        : operation === 'rollback'
          ? { en: `back to r${target}`, zh: `回到 r${target}` }
          : { en: `${operation} of r${target}`, zh: `${operations[operation]} r${target}` },
    state: release.served
      ? { en: 'served', zh: '在线' }
      : release.leftBehind
        ? { en: 'left behind', zh: '已弃' }
        : { en: release.result, zh: results[release.result] },
    restorable: release.restorable ? { en: 'restorable', zh: '可恢复' } : { en: '–', zh: '–' }
  }
}
