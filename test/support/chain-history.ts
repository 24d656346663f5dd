import { join } from 'node:path'
import fc from 'fast-check'
import { expect } from 'vitest'
import type { Release } from '../../src-main/contract/releases'
import {
  buildChain,
  parseCommitList,
  parseReleaseList,
  readDiskChain,
  type ChainRow
} from '../../src-main/engine/releases'
import { localFiles } from '../../src-main/engine/targets'
import { PracticeStack, type Json, type ReleaseRow } from './practice-stack'

/** What is done to a training stack; training itself goes on all the while. */
export type ChainAct =
  | { kind: 'train'; steps: number }
  /** Places count from the newest row that allows it. */
  | { kind: 'rollback'; place: number }
  | { kind: 'promote'; place: number }
  | { kind: 'crash' }

export interface ChainHistory {
  generation: 'A' | 'B' | 'C'
  /** Steps that are worse than the served one are rejected. */
  evaluation: boolean
  /** New releases wait for a promotion. */
  held: boolean
  acts: ChainAct[]
}

export const chainHistory: fc.Arbitrary<ChainHistory> = fc.record({
  generation: fc.constantFrom('A', 'B', 'C'),
  evaluation: fc.boolean(),
  held: fc.boolean(),
  acts: fc.array(
    fc.oneof(
      fc.record({ kind: fc.constant('train' as const), steps: fc.integer({ min: 1, max: 3 }) }),
      fc.record({ kind: fc.constant('rollback' as const), place: fc.nat(5) }),
      fc.record({ kind: fc.constant('promote' as const), place: fc.nat(3) }),
      fc.record({ kind: fc.constant('crash' as const) })
    ),
    { minLength: 2, maxLength: 6 }
  )
})

/** The live rows of a stack, newest first, of whichever generation. */
async function rowsOf(stack: PracticeStack, { generation }: ChainHistory): Promise<ReleaseRow[]> {
  const route = generation === 'A' ? 'versions' : 'releases'
  const answer = await stack.json<Record<string, ReleaseRow[]>>(`/reef/scenarios/practice/${route}`)
  return answer[route] ?? []
}

async function apply(stack: PracticeStack, act: ChainAct, history: ChainHistory): Promise<void> {
  const rows = await rowsOf(stack, history)
  switch (act.kind) {
    case 'train':
      await stack.until(async () =>
        (await rowsOf(stack, history)).length >= rows.length + act.steps ? true : null
      )
      return
    case 'crash':
      await stack.kill()
      stack.start()
      await stack.ready()
      return
    case 'rollback':
    case 'promote': {
      const fitting = rows.filter((row) =>
        act.kind === 'promote' ? row.pending : row.checkpoint && !row.pending
      )
      const row = fitting[Math.min(act.place, fitting.length - 1)]
      if (row === undefined) return
      // Refused where the row is served already or a job waits for its commit: that is a history, too.
      await stack.call(`/reef/scenarios/practice/${act.kind}`, { release_id: row.release_id })
    }
  }
}

/** The chain as the service tells it, of its oldest `count` rows: it goes on training while the disk is read. */
async function liveChain(
  stack: PracticeStack,
  history: ChainHistory,
  count: number
): Promise<Release[]> {
  const rows = [...parseReleaseList({ releases: await rowsOf(stack, history) })]
  const commits: ChainRow[] = []
  for (let after = 0; after < count; after += 100) {
    const page = await stack.json<Json>(
      `/reef/scenarios/practice/commits?limit=100&after_step=${after}`
    )
    commits.push(...parseCommitList(page).rows)
  }
  return buildChain(rows.slice(0, count), commits)
}

async function diskChain(stack: PracticeStack): Promise<Release[]> {
  const disk = await readDiskChain({
    files: localFiles(),
    recordFolder: join(stack.state, 'records'),
    scenario: 'practice',
    repository: null
  })
  if (disk === null) throw new Error('there is nothing on disk')
  expect(disk.damaged).toEqual([])
  return disk.releases
}

/** What only a repository of artifacts could add: the content of the creation, which no commit log names. */
function comparable(releases: readonly Release[]): Release[] {
  return releases.map((release) =>
    release.operation === 'creation' ? { ...release, contentId: '' } : release
  )
}

/** Plays a history on a real stack, then holds what its service says against what lies on disk. */
export async function compareLiveWithDisk(history: ChainHistory): Promise<readonly Release[]> {
  const stack = await PracticeStack.create({
    speed: 'max',
    generation: history.generation,
    evaluation: history.evaluation ? 'on' : 'off',
    publish: history.held ? 'manual' : 'auto',
    // Large enough steps that some are worse, and rejected.
    ...(history.evaluation ? { lr: 1, 'num-critic-only-steps': 0 } : {})
  })
  try {
    stack.start()
    await stack.ready()
    await stack.until(async () => ((await rowsOf(stack, history)).length > 1 ? true : null))
    for (const act of history.acts) await apply(stack, act, history)
    const disk = await diskChain(stack)
    expect(disk.length).toBeGreaterThan(1)
    expect(comparable(disk)).toEqual(comparable(await liveChain(stack, history, disk.length)))
    return disk
  } finally {
    await stack.dispose()
  }
}
