import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { decodeSafetensors } from '../../resources/practice-stack/store/safetensors.mjs'
import { LaunchRequest } from '../../src-main/contract/launch'
import type { RunDetail } from '../../src-main/contract/run'
import type { RunService } from '../../src-main/engine/stacks'
import {
  ended,
  endEverything,
  openService,
  practiceYard,
  until,
  type Yard
} from '../support/run-service'
import { folderDigest } from '../support/folder-digest'

let yard: Yard
let services: RunService[]

beforeEach(async () => {
  yard = await practiceYard()
  services = []
  const recipe = await readFile(yard.recipe, 'utf8')
  await writeFile(yard.recipe, recipe.replace(/^( *)rollback: .*$/m, '$1rollback: redeploy'))
})

afterEach(async () => {
  await endEverything(services)
  await yard.remove()
}, 60_000)

const attemptServes =
  (attempt: number) =>
  ({ summary }: RunDetail): boolean =>
    summary.attempt === attempt && ['serving', 'training'].includes(summary.state.kind)

/** Adam steps of adapter and value model in the state of an iteration. */
async function optimizerSteps(root: string, rollout: number): Promise<number[]> {
  const folder = join(root, 'megatron', `iter_${String(rollout).padStart(7, '0')}`)
  const { tensors } = decodeSafetensors(await readFile(join(folder, 'practice_state.safetensors')))
  return [...(tensors['numbers']?.data ?? [])].slice(2)
}

it('goes on from an older iteration with its optimizer, and leaves the old root byte for byte', async () => {
  const service = await openService(yard)
  services.push(service)
  const { run } = await service.start(LaunchRequest.parse({ recipe: yard.recipe }))
  await until(service, run, ({ summary }) => summary.step >= 6, 120_000)
  const { releases } = await service.chain({ run })
  const target = releases.find(({ step, checkpoint }) => step === 4 && checkpoint !== null)
  const rollout = Number(/(\d+)$/.exec(target?.checkpoint ?? '')?.[1])
  const plan = await service.rollbackPlan({ run, step: 4, withOptimizer: true })
  expect(plan.way).toBe('redeploy')
  expect(plan.planDiff.at(-1)).toMatchObject({ after: String(rollout) })

  await service.rollback({ run, step: 4, why: 'its moments', withOptimizer: true })
  await until(service, run, attemptServes(2), 120_000)
  const record = await service.store.read(run)
  const [old, made] = record.attempts.map(({ checkpointDir }) => checkpointDir ?? '')
  const left = await folderDigest(old ?? '')
  const grown = await until(service, run, ({ summary }) => summary.step >= 9, 120_000)
  const before = await optimizerSteps(old ?? '', rollout)
  expect(before.some((steps) => steps > 1)).toBe(true)
  const after = await optimizerSteps(made ?? '', rollout + 1)
  expect(after.every((steps, at) => steps > (before[at] ?? Infinity) || steps === before[at])).toBe(
    true
  )
  expect(after).not.toEqual(before)
  expect(await folderDigest(old ?? '')).toBe(left)
  expect(grown.events.find(({ kind }) => kind === 'redeploy')?.data).toMatchObject({
    iteration: rollout,
    why: 'its moments'
  })
  await service.undo({ run, why: '' })
  await until(service, run, attemptServes(3), 120_000)
  expect(await optimizerSteps(old ?? '', rollout)).toEqual(before)
}, 400_000)

it('starts nothing where the copy cannot be made, and says why', async () => {
  const service = await openService(yard)
  services.push(service)
  const { run } = await service.start(LaunchRequest.parse({ recipe: yard.recipe }))
  await until(service, run, ({ summary }) => summary.step >= 4, 120_000)
  await service.stop({ run, force: false })
  await until(service, run, ({ summary }) => ended(summary.state), 120_000)
  const record = await service.store.read(run)
  const root = record.attempts[0]?.checkpointDir ?? ''
  const taken = root.replace('/stack/', '/stack-2/')
  expect(taken).not.toBe(root)
  await mkdir(join(taken, 'megatron'), { recursive: true })
  await expect(
    service.rollback({ run, step: 2, why: '', withOptimizer: true })
  ).rejects.toMatchObject({ failure: { code: 'iteration-refused' } })
  const detail = await until(
    service,
    run,
    ({ events }) => events.some(({ kind }) => kind === 'copy-failed'),
    60_000
  )
  expect(detail.summary.attempt).toBe(1)
  expect((await service.store.read(run)).next).toBeNull()
}, 400_000)
