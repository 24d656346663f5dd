import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { PracticeStack } from './practice-stack'

interface Consumed {
  step: number
  record_progress: { consumed_ids: string[] }
}

/** What must hold on disk of a stack after a kill and a restart, whatever the moment. */
export function expectGuarantees(stack: PracticeStack, acknowledged: readonly string[]): void {
  const commits = stack.commits() as unknown as Consumed[]
  expect(commits.map((commit) => commit.step)).toEqual(commits.map((_, index) => index + 1))
  const consumed = commits.flatMap((commit) => commit.record_progress.consumed_ids)
  expect(new Set(consumed).size).toBe(consumed.length)
  const stored = recordIds(stack)
  expect(new Set(stored).size).toBe(stored.length)
  expect(acknowledged.filter((id) => !stored.includes(id))).toEqual([])
  expectTrackedCheckpoint(stack)
}

function recordIds(stack: PracticeStack): string[] {
  const folder = join(stack.state, 'records')
  const names = readdirSync(folder).filter((name) => name.endsWith('.records.jsonl'))
  return names.flatMap((name) =>
    stack.lines(join(folder, name)).map((line) => String(line['agent_record_id']))
  )
}

/** The checkpoint the tracker names has all its files, each with the digest its manifest names. */
function expectTrackedCheckpoint(stack: PracticeStack): void {
  const root = join(stack.state, 'checkpoints')
  const tracker = join(root, 'megatron', 'latest_checkpointed_iteration.txt')
  if (!existsSync(tracker)) return
  const rollout = Number(readFileSync(tracker, 'utf8'))
  const iteration = join(root, 'megatron', `iter_${String(rollout).padStart(7, '0')}`)
  expect(readdirSync(iteration).sort()).toEqual(['metadata.json', 'practice_state.safetensors'])
  expect(readdirSync(join(root, 'hf', String(rollout))).sort()).toEqual([
    'adapter_config.json',
    'adapter_model.safetensors',
    'config.json',
    'model.safetensors',
    'reef-adapter.json'
  ])
}
