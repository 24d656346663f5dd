import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { PracticeStack, type Json, type ReleaseRow } from '../support/practice-stack'

let stack: PracticeStack | null = null
afterEach(async () => {
  await stack?.dispose()
  stack = null
})

async function started(
  options: Record<string, string | number>,
  more: Parameters<typeof PracticeStack.create>[1] = {}
): Promise<PracticeStack> {
  stack = await PracticeStack.create({ speed: 'max', ...options }, more)
  stack.start()
  await stack.ready()
  return stack
}

describe('generations', () => {
  it.each([
    ['A', 'versions', 'reef-commit/4', ''],
    ['B', 'releases', 'reef-commit/5', 'reef-slime-bridge-ready'],
    ['C', 'releases', 'reef-commit/5', 'reef-training-ready']
  ])('%s has its own routes, keys and commit log', async (generation, route, record, ready) => {
    const running = await started({ generation })
    const chain = `/reef/scenarios/practice/${route}`
    const rows = await running.until(async () => {
      const found = (await running.json<Record<string, Json[]>>(chain))[route] ?? []
      return found.length > 2 ? found : null
    })
    const other = route === 'releases' ? 'versions' : 'releases'
    expect((await running.call(`/reef/scenarios/practice/${other}`)).status).toBe(404)
    const creation = rows.at(-1)
    expect(creation?.['kind'] ?? creation?.['operation']).toBe('creation')
    expect('operation' in (creation ?? {})).toBe(generation !== 'A')
    const [line] = running.commits()
    expect(line?.['record']).toBe(record)
    const progress = line?.['record_progress'] as Json
    expect('compacted_ids' in progress).toBe(generation === 'B')
    const readyPath = join(running.runDir, 'slime-driver', 'bridge.ready')
    expect(readFileSync(readyPath, 'utf8')).toBe(ready)
    await running.until(() => {
      const path = join(running.state, 'checkpoints', 'hf', '.reef-latest-job.json')
      const marker = JSON.parse(readFileSync(path, 'utf8')) as Json
      const wanted = generation === 'A' ? 'weight_version' : 'runtime_load_id'
      return Promise.resolve(wanted in marker ? true : null)
    })
  })
})

describe('going back', () => {
  it('is refused where only a redeploy can, and a redeploy starts from the export', async () => {
    const running = await started({ rollback: 'redeploy', 'num-rollout': 4 })
    const rows = await running.step(4)
    const target = rows.at(-2)?.release_id ?? ''
    const reply = await running.call('/reef/scenarios/practice/rollback', { release_id: target })
    expect(reply).toMatchObject({
      status: 409,
      text: `scenario 'practice': PracticeRuntime cannot restore training weights, so release '${target}' cannot be served again`
    })
    await running.stop()
    const again = await PracticeStack.create(
      { traffic: 'off' },
      { flags: ['--inference.model-path', join(running.state, 'checkpoints', 'hf', '3')] }
    )
    try {
      again.start()
      await again.ready()
      const [creation] = await again.releases()
      expect(creation).toMatchObject({ operation: 'creation' })
      const digest = (path: string): Json =>
        (JSON.parse(readFileSync(path, 'utf8')) as { peft: Json; base_model_digest: string }).peft
      expect(digest(join(running.state, 'checkpoints', 'hf', '3', 'reef-adapter.json'))).toEqual({
        rank: 8,
        alpha: 8,
        target_modules: ['lm_head']
      })
    } finally {
      await again.dispose()
    }
  })
})

describe('TTTD', () => {
  it('never loses its best answer', async () => {
    const running = await started({ 'num-rollout': 8 }, { recipe: 'practice-tttd' })
    const rows = [...(await running.step(8))].reverse().slice(1)
    const best = rows.map((row) => Number(row.metrics?.['practice/best_so_far']))
    expect(best).toEqual([...best].sort((a, b) => a - b))
    expect(best[0]).toBeGreaterThan(1)
    expect(rows.map((row) => row.metrics?.['tttd/step'])).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
    await running.until(() =>
      Promise.resolve(/"event":"tttd_step_committed"/.test(running.log('traffic')) ? true : null)
    )
  })
})

describe('steps that are not served', () => {
  it('are rejected by the gate when they are worse', async () => {
    const running = await started({ evaluation: 'on', lr: 1, 'num-critic-only-steps': 0 })
    const rejected = await running.until(async () => {
      const rows = await running.releases()
      const index = rows.findIndex((row) => row.metrics?.['selected'] === false)
      return index < 0 ? null : { row: rows[index], before: rows.slice(index + 1) }
    })
    const head = rejected.before.find((row: ReleaseRow) => row.metrics?.['selected'] !== false)
    expect(rejected.row).toMatchObject({ release_id: head?.release_id, checkpoint: false })
  })

  it('wait for a promotion when publishing is manual', async () => {
    const running = await started({ publish: 'manual' })
    const pending = (await running.step(1)).at(-2)
    expect(pending?.pending).toBe(true)
    const body = { release_id: pending?.release_id }
    const head = await running.json<Json>('/reef/scenarios/practice/promote', body)
    expect(head['content_id']).toBe(pending?.content_id)
  })

  it('a NaN step is printed as nan and sends only finite numbers', async () => {
    const running = await started({ 'nan-step': 2, 'num-rollout': 3 })
    const rows = await running.step(3)
    expect(running.log('slime-driver')).toMatch(
      /step 1: \{'train\/loss': nan, .*'train\/grad_norm': nan/
    )
    expect(rows.at(-3)?.metrics).not.toHaveProperty('train/loss')
    expect(rows[0]?.metrics).toHaveProperty('train/loss')
  })

  it('a NaN step ends the stack when it is checked for', async () => {
    const running = await started({ 'nan-step': 2, 'check-for-nan': 'true' })
    expect(await running.exit).toBe(1)
    expect(running.log('slime-driver')).toContain(
      "RuntimeError: Unexpected result nan (message='found NaN"
    )
    expect(running.errors()).toContain('[reef] slime-driver: exited; bringing down the stack')
  })
})

describe('several scenarios', () => {
  it('each have an adapter of their own', async () => {
    const running = await started({ scenarios: '[one, two=letters]' })
    const [one] = await running.step(1, 'one')
    const [two] = await running.step(1, 'two')
    expect(one?.content_id).not.toBe(two?.content_id)
  })
})
