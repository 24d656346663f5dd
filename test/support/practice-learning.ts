import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PracticeStack, practiceTasks, type ReleaseRow } from './practice-stack'

const STEPS = 60
const MINUTES_MS = 400_000

interface Trial {
  creation: number
  after: number
  rows: ReleaseRow[]
}

/** Trains for the measured number of steps and asks 200 fresh tasks before and after. */
async function trial(
  seed: number,
  options: Record<string, string | number>,
  look: (stack: PracticeStack, rows: ReleaseRow[]) => Promise<void> = () => Promise.resolve()
): Promise<Trial> {
  const stack = await PracticeStack.create({ seed, speed: 'max', 'num-rollout': STEPS, ...options })
  try {
    stack.start()
    const rows = await stack.until(async () => {
      const found = await stack.releases()
      return found.length > STEPS ? found : null
    }, MINUTES_MS / 1000)
    const tasks = practiceTasks(seed)
    const creation = await stack.accuracy(tasks, {
      'x-practice-release': rows.at(-1)?.release_id ?? ''
    })
    const after = await stack.accuracy(tasks)
    await look(stack, rows)
    expect(await stack.stop()).toBe(0)
    return { creation, after, rows }
  } finally {
    await stack.dispose()
  }
}

interface Manifest {
  base_model_digest: string
  files: Record<string, string>
}

function manifest(stack: PracticeStack, rollout: number): Manifest {
  const path = join(stack.state, 'checkpoints', 'hf', String(rollout), 'reef-adapter.json')
  return JSON.parse(readFileSync(path, 'utf8')) as Manifest
}

/** Going back to a release in the middle answers byte for byte as that release did. */
async function expectExactRollback(
  stack: PracticeStack,
  rows: ReleaseRow[],
  seed: number
): Promise<void> {
  const target = rows[30]?.release_id ?? ''
  const tasks = practiceTasks(seed)
  const before = await stack.answers(tasks, { 'x-practice-release': target })
  await stack.json('/reef/scenarios/practice/rollback', { release_id: target })
  expect(await stack.answers(tasks)).toEqual(before)
}

function expectFrozenBase(stack: PracticeStack): void {
  const manifests = Array.from({ length: STEPS }, (_, rollout) => manifest(stack, rollout))
  expect(new Set(manifests.map((item) => item.base_model_digest)).size).toBe(1)
  const digests = manifests.map((item) => item.files['adapter_model.safetensors'])
  expect(new Set(digests).size).toBe(STEPS)
}

/** The measurements of one seed through HTTP. */
export function describeLearning(seed: number): void {
  describe(`seed ${seed}`, () => {
    it(
      'learns, leaves its base alone and goes back exactly',
      async () => {
        const { creation, after } = await trial(seed, {}, async (stack, rows) => {
          expectFrozenBase(stack)
          await expectExactRollback(stack, rows, seed)
        })
        expect(creation).toBeLessThanOrEqual(35)
        expect(after).toBeGreaterThanOrEqual(75)
      },
      MINUTES_MS
    )

    it(
      'at a hundred times the learning rate it collapses',
      async () => {
        const { after, rows } = await trial(seed, { lr: 1 })
        expect(after).toBeLessThanOrEqual(50)
        const entropy = (row: ReleaseRow | undefined): number =>
          Number(row?.metrics?.['train/entropy_loss'])
        expect(entropy(rows[0])).toBeLessThan(0.05)
        expect(entropy(rows.at(-2))).toBeGreaterThan(1)
      },
      MINUTES_MS
    )

    it(
      'learns nothing from shuffled rewards',
      async () => {
        const { creation, after } = await trial(seed, { rewards: 'shuffled' })
        expect(Math.abs(after - creation)).toBeLessThanOrEqual(8)
      },
      MINUTES_MS
    )
  })
}
