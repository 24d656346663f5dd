import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Release } from '../../../../src-main/contract/releases'
import {
  buildBranchedChain,
  buildChain,
  commitLogName,
  parseCommitList,
  parseReleaseList,
  readDiskChain,
  scenariosOnDisk,
  type ArtifactRepository,
  type ChainRow
} from '../../../../src-main/engine/releases'
import { localFiles } from '../../../../src-main/engine/targets'
import { actArbitrary, ReefHistory, type Act } from './reef-history'

const generations = ['A', 'B', 'C'] as const

function historyOf(acts: readonly Act[]): ReefHistory {
  const history = new ReefHistory()
  for (const act of acts) history.apply(act)
  return history
}

function serviceChain(history: ReefHistory, generation: 'A' | 'B' | 'C'): Release[] {
  return buildChain(
    parseReleaseList(history.releaseList(generation)),
    parseCommitList(history.commitList(generation)).rows
  )
}

/** Answers as the artifact repository would for the creation release only. */
function repositoryOf(history: ReefHistory): ArtifactRepository {
  const facts = {
    releaseId: history.creation.releaseId,
    contentId: history.creation.content,
    parentReleaseId: null
  }
  return {
    resolve: (id) => Promise.resolve(id === facts.releaseId ? facts : null),
    base: () => Promise.resolve(facts),
    head: () => Promise.resolve(facts)
  }
}

async function withFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-chain-'))
  try {
    return await use(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function row(partial: Partial<ChainRow>): ChainRow {
  return {
    releaseId: 'r',
    parentReleaseId: null,
    contentId: 'c',
    contentKind: 'saved_artifact',
    checkpoint: true,
    recordedAt: null,
    operation: 'training',
    pending: false,
    rollbackTarget: null,
    metrics: {},
    step: null,
    trainingJobId: null,
    rolloutId: null,
    consumed: null,
    ...partial
  }
}

const creation = row({ releaseId: 'c0', operation: 'creation' })

describe('the served row', () => {
  const after: [string, Partial<ChainRow>[], number][] = [
    ['creation alone', [], 0],
    ['a plain training row', [{ releaseId: 'a' }], 1],
    ['a selected one', [{ releaseId: 'a', metrics: { selected: true } }], 1],
    ['a pending newest row', [{ releaseId: 'a' }, { releaseId: 'b', pending: true }], 1],
    [
      'a rejected newest row',
      [{ releaseId: 'a' }, { releaseId: 'a', checkpoint: false, metrics: { selected: false } }],
      1
    ],
    [
      'a skipped newest row',
      [{ releaseId: 'a' }, { releaseId: 'a', metrics: { skipped: 'no batch' } }],
      1
    ],
    [
      'a failed newest row',
      [{ releaseId: 'a' }, { releaseId: 'a', metrics: { skipped: 'x', error: 'boom' } }],
      1
    ],
    [
      'a rollback',
      [
        { releaseId: 'a' },
        { releaseId: 'b' },
        { releaseId: 'c', operation: 'rollback', rollbackTarget: 'a' }
      ],
      3
    ],
    [
      'a promote of a held row',
      [
        { releaseId: 'p', pending: true },
        { releaseId: 'q', operation: 'promote', rollbackTarget: 'p' }
      ],
      2
    ],
    ['recovery', [{ releaseId: 'z', operation: 'recovery' }], 1],
    [
      'everything after rejected',
      [
        { releaseId: 'c0', metrics: { selected: false } },
        { releaseId: 'c0', metrics: { selected: false } }
      ],
      0
    ]
  ]
  it.each(after)('after %s', (_name, rows, step) => {
    const chain = buildChain([creation, ...rows.map(row)])
    expect(chain.filter((release) => release.served).map((release) => release.step)).toEqual([step])
  })

  it('is not what the service calls current', () => {
    const history = historyOf([{ kind: 'train', saved: true, consumed: 1 }, { kind: 'reject' }])
    expect(serviceChain(history, 'C').find((release) => release.served)?.step).toBe(1)
  })
})

describe('results', () => {
  const cases: [string, Partial<ChainRow>, Release['result']][] = [
    ['nothing said', {}, 'published'],
    ['pending', { pending: true }, 'pending'],
    ['pending beats selected', { pending: true, metrics: { selected: true } }, 'pending'],
    ['selected', { metrics: { selected: true } }, 'selected'],
    ['rejected', { metrics: { selected: false, skipped: 'x' } }, 'rejected'],
    ['skipped', { metrics: { skipped: 'why' } }, 'skipped'],
    ['skipped with a blank error', { metrics: { skipped: 'why', error: ' ' } }, 'skipped'],
    ['failed by error', { metrics: { skipped: 'why', error: 'x' } }, 'failed'],
    [
      'failed by the proposal notes',
      { metrics: { skipped: 'why', proposal_notes: { failure: 'x' } } },
      'failed'
    ],
    ['error without skipped', { metrics: { error: 'x' } }, 'published'],
    ['blank skipped', { metrics: { skipped: '' } }, 'published']
  ]
  it.each(cases)('%s', (_name, partial, result) => {
    expect(buildChain([creation, row({ releaseId: 'x', ...partial })])[0]?.result).toBe(result)
  })

  it('calls a held row promoted once a later row promoted it', () => {
    const chain = buildChain([
      creation,
      row({ releaseId: 'p', pending: true }),
      row({ releaseId: 'q', operation: 'promote', rollbackTarget: 'p' })
    ])
    expect(chain.map((release) => release.result)).toEqual(['published', 'promoted', 'published'])
    expect(chain[0]?.rollbackTargetStep).toBe(1)
  })
})

describe('restorable', () => {
  it('follows the release, not the row: any row that kept bytes is enough', () => {
    const chain = buildChain([
      creation,
      row({ releaseId: 'a', checkpoint: false }),
      row({ releaseId: 'a', checkpoint: true }),
      row({ releaseId: 'live:1:2:3', contentKind: 'live_weights', checkpoint: true }),
      row({ releaseId: 'b', checkpoint: false })
    ])
    expect(chain.map((release) => release.restorable)).toEqual([false, false, true, true, true])
    expect(chain[1]?.notRestorable?.en).toContain('Live weights')
    expect(chain[0]?.notRestorable?.en).toContain('No checkpoint')
    expect(chain[3]?.notRestorable).toBeNull()
  })

  it('points a rejected row at what stayed served', () => {
    const chain = buildChain([
      creation,
      row({ releaseId: 'a' }),
      row({ releaseId: 'a', checkpoint: false, metrics: { selected: false } })
    ])
    expect(chain[0]?.notRestorable?.en).toContain('r1')
    expect(chain[0]?.notRestorable?.zh).toContain('r1')
  })
})

describe('branches', () => {
  it('leaves behind what stands between a rollback and its target, and takes it back when a later one returns', () => {
    const rows = [
      creation,
      row({ releaseId: 'a' }),
      row({ releaseId: 'b' }),
      row({ releaseId: 'c', operation: 'rollback', rollbackTarget: 'a' })
    ]
    const behind = (chain: Release[]): number[] =>
      chain.filter((release) => release.leftBehind).map((release) => release.step)
    expect(behind(buildChain(rows))).toEqual([2])
    expect(
      behind(
        buildChain([...rows, row({ releaseId: 'd', operation: 'rollback', rollbackTarget: 'b' })])
      )
    ).toEqual([3])
  })

  it('joins a redeployed attempt as a branch that goes on counting', () => {
    const chain = buildBranchedChain([
      {
        rows: [
          creation,
          row({ releaseId: 'a', recordedAt: 1000 }),
          row({ releaseId: 'b', recordedAt: 2000 })
        ],
        attempts: [{ number: 1, startedAt: 0 }],
        redeployedFrom: null,
        exports: []
      },
      {
        rows: [
          row({ releaseId: 'c0', operation: 'creation' }),
          row({ releaseId: 'd', recordedAt: 9000 })
        ],
        attempts: [{ number: 2, startedAt: 5000 }],
        redeployedFrom: 1,
        exports: []
      }
    ])
    expect(
      chain.map(({ step, commitStep, operation, attempt, leftBehind, served, baseStep }) => ({
        step,
        commitStep,
        operation,
        attempt,
        leftBehind,
        served,
        baseStep
      }))
    ).toEqual([
      {
        step: 4,
        commitStep: 1,
        operation: 'training',
        attempt: 2,
        leftBehind: false,
        served: true,
        baseStep: 3
      },
      {
        step: 3,
        commitStep: 0,
        operation: 'rollback',
        attempt: 2,
        leftBehind: false,
        served: false,
        baseStep: 1
      },
      {
        step: 2,
        commitStep: 2,
        operation: 'training',
        attempt: 1,
        leftBehind: true,
        served: false,
        baseStep: 1
      },
      {
        step: 1,
        commitStep: 1,
        operation: 'training',
        attempt: 1,
        leftBehind: false,
        served: false,
        baseStep: 0
      },
      {
        step: 0,
        commitStep: 0,
        operation: 'creation',
        attempt: 1,
        leftBehind: false,
        served: false,
        baseStep: null
      }
    ])
  })

  it('ties exports to releases by the rollout the log names', () => {
    const exports = [{ path: '/hf/7', rolloutId: 7, jobId: null }]
    const named = (rolloutId: number): (string | null)[] =>
      buildChain([creation, row({ releaseId: 'a', rolloutId })], [], { exports }).map(
        (release) => release.checkpoint
      )
    expect(named(7)).toEqual(['/hf/7', null])
    expect(named(0)).toEqual([null, null])
  })

  it('ties exports to releases by job, and by number only where no record names a job', () => {
    const chain = buildChain(
      [
        creation,
        row({ releaseId: 'a', trainingJobId: 'j1' }),
        row({ releaseId: 'b' }),
        row({ releaseId: 'c', operation: 'rollback', rollbackTarget: 'a' })
      ],
      [],
      {
        exports: [
          { path: '/hf/7', rolloutId: 7, jobId: 'j1' },
          { path: '/hf/1', rolloutId: 1, jobId: null }
        ]
      }
    )
    expect(chain.map((release) => release.checkpoint)).toEqual(['/hf/7', '/hf/1', '/hf/7', null])
  })
})

describe('any history', () => {
  it.each(generations)(
    'is served, joined and read from disk alike (generation %s)',
    async (generation) => {
      await withFolder(async (folder) => {
        await fc.assert(
          fc.asyncProperty(
            fc.array(actArbitrary, { maxLength: 40 }),
            fc.nat(),
            async (acts, cut) => {
              const history = historyOf(acts)
              const chain = serviceChain(history, generation)
              expect(chain.map((release) => release.step)).toEqual(
                Array.from(
                  { length: history.commits.length + 1 },
                  (_, i) => history.commits.length - i
                )
              )
              expect(
                chain.filter((release) => release.served).map((release) => release.step)
              ).toEqual([history.servedStep])
              const line = history.line()
              for (const release of chain) {
                const published = history.madeFrom.has(release.step)
                if (published) {
                  expect(release.leftBehind).toBe(!line.has(release.step))
                  expect(release.baseStep).toBe(history.madeFrom.get(release.step))
                }
                const commit = history.commits[release.step - 1]
                if (commit !== undefined) expect(release.consumed).toBe(commit.consumed.length)
              }
              expect(
                new Set(
                  chain.filter((release) => release.restorable).map((release) => release.step)
                )
              ).toEqual(new Set(history.restorable().map(({ step }) => step)))

              // A crash in the middle of the next append leaves a torn line behind the same history.
              const next = new ReefHistory()
              next.apply({ kind: 'train', saved: true, consumed: 3 })
              const torn = next.log(generation).slice(0, 1 + (cut % 60))
              await writeFile(join(folder, commitLogName('s')), history.log(generation) + torn)
              const disk = await readDiskChain({
                files: localFiles(),
                recordFolder: folder,
                scenario: 's',
                repository: repositoryOf(history)
              })
              expect(disk?.torn).toBe(true)
              expect(disk?.damaged).toEqual([])
              // The creation row alone has no receipts count in either source.
              expect(disk?.releases).toEqual(chain)
            }
          ),
          { numRuns: 30 }
        )
      })
    },
    60_000
  )

  it('finds scenarios by their logs, whatever their names', async () => {
    await withFolder(async (folder) => {
      const names = ['algebra-day', '数学 / ../x', 'a'.repeat(400)]
      for (const name of names)
        await writeFile(
          join(folder, commitLogName(name)),
          historyOf([{ kind: 'reject' }]).log('B', name)
        )
      await writeFile(join(folder, 'note.txt'), 'x')
      expect(await scenariosOnDisk(localFiles(), folder)).toEqual([...names].sort())
    })
  })

  it('reads ten thousand rows in about the time per row of a thousand', () => {
    const acts = (n: number): Act[] =>
      Array.from({ length: n }, (_, i) =>
        i % 50 === 49
          ? { kind: 'rollback', pick: i * 7 }
          : { kind: 'train', saved: i % 3 === 0, consumed: 2 }
      )
    const perRow = (n: number): number => {
      const history = historyOf(acts(n))
      const list = history.releaseList('C')
      const commits = history.commitList('C')
      const times = Array.from({ length: 2 }, () => {
        const from = performance.now()
        buildChain(parseReleaseList(list), parseCommitList(commits).rows)
        return performance.now() - from
      })
      return Math.min(...times) / n
    }
    expect(perRow(10_000)).toBeLessThan(8 * perRow(1000))
  }, 60_000)
})
