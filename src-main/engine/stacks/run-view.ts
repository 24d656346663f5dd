import type {
  AttemptState,
  DamagedRun,
  RunDetail,
  RunEvent,
  RunList,
  RunState,
  RunSummary
} from '../../contract/run'
import type { Text } from '../../contract/text'
import type { AttemptRecord, Holder, Listing, RunRecord } from '../runs'
import { isFinal } from './attempt-state'
import { companionStatuses } from './companion-act'
import { nowText } from './sentences'
import { trainStepOf } from './train-step'

/** Most events a detail carries, newest kept. */
const EVENTS = 1_000

const planned: AttemptState = { kind: 'planned' }

function lastOf(record: RunRecord): AttemptRecord | undefined {
  return record.attempts.at(-1)
}

/** A run as lists show it, from its record alone. */
export function summaryOf(record: RunRecord, folder: string): RunSummary {
  const last = lastOf(record)
  const { seen } = record
  return {
    id: record.id,
    folder,
    name: record.name,
    tags: record.tags,
    starred: record.starred,
    archived: record.archived,
    recipe: record.recipe,
    target: record.target,
    attempt: last?.number ?? 0,
    state: last?.state ?? stateWithoutAttempt(record),
    step: seen.step,
    trainStep: trainStepOf(record),
    served: seen.served,
    startedAt: last?.startedAt ?? record.createdAt,
    endedAt: last?.endedAt ?? (record.imported === undefined ? null : record.createdAt),
    lastSampleAt: seen.lastSampleAt,
    reward: seen.reward,
    stages: seen.stages,
    now: seen.trouble ?? importedText(record) ?? nowOf(last, seen)
  }
}

function stateWithoutAttempt({ imported, createdAt }: RunRecord): RunState {
  if (imported === undefined) return planned
  const { from, to } = imported
  return {
    kind: 'imported',
    at: createdAt,
    lasted: from === null || to === null ? null : to - from
  }
}

function importedText({ imported, recipe }: RunRecord): Text | null {
  if (imported === undefined) return null
  const { files, samples, keys } = imported
  return {
    en: `Imported from ${recipe.path}: ${files.length} ${files.length === 1 ? 'file' : 'files'}, ${samples} samples of ${keys} ${keys === 1 ? 'metric' : 'metrics'}.`,
    zh: `从 ${recipe.path} 导入：${files.length} 个文件，${keys} 个指标的 ${samples} 个样本。`
  }
}

function nowOf(last: AttemptRecord | undefined, seen: RunRecord['seen']): Text {
  if (last === undefined) {
    return {
      en: 'Nothing was started yet. If this stays, Slipway ended during the launch: launch the recipe again.',
      zh: '尚未启动任何内容。若一直如此，说明 Slipway 在启动过程中退出：请重新启动该配方。'
    }
  }
  if (last?.state.kind === 'stopped' && last.handle === null) {
    return { en: 'Stopped before the stack was started.', zh: '在运行栈启动之前已停止。' }
  }
  const kind = last?.state.kind
  if (seen.nexrl !== undefined && (kind === 'serving' || kind === 'training'))
    return seen.nexrl.said
  return nowText(last?.state ?? planned, seen)
}

/** All runs, that which was started last first: a restart brings an old one up. */
export function listOf(listing: Listing, folderOf: (id: string) => string): RunList {
  const damaged: DamagedRun[] = listing.damaged
  const runs = listing.records
    .map((record) => summaryOf(record, folderOf(record.id)))
    .sort((a, b) => b.startedAt - a.startedAt)
  return { runs, damaged }
}

function writerOf(holder: Holder): RunDetail['writer'] {
  switch (holder.kind) {
    case 'me':
      return 'me'
    case 'other-process':
    case 'unreadable':
      return 'other-process'
    case 'other-host':
      return 'other-host'
    case 'nobody':
    case 'dead':
      return 'nobody'
  }
}

/** Everything the run page shows, from what stands in the run folder. */
export function detailOf(facts: {
  record: RunRecord
  folder: string
  events: readonly RunEvent[]
  notes: string
  holder: Holder
  stopCost: Text | null
}): RunDetail {
  const { record } = facts
  const last = lastOf(record)
  const up = last !== undefined && !isFinal(last.state)
  return {
    summary: summaryOf(record, facts.folder),
    attempts: record.attempts.map((attempt) => ({
      number: attempt.number,
      startedAt: attempt.startedAt,
      endedAt: attempt.endedAt,
      state: attempt.state,
      command: attempt.command,
      ...(attempt.image === undefined ? {} : { image: attempt.image })
    })),
    services: record.seen.services,
    companions: last === undefined ? [] : companionStatuses(last),
    address: up ? last.address : null,
    scenarios: record.seen.scenarios,
    rollback: record.rollback,
    events: facts.events.slice(-EVENTS),
    notes: facts.notes,
    writer: writerOf(facts.holder),
    stopCost: facts.stopCost,
    ...(record.seen.nexrl === undefined ? {} : { nexrl: record.seen.nexrl })
  }
}
