import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { LaunchRequest } from '../../src-main/contract/launch'
import type { Release } from '../../src-main/contract/releases'
import type { RunDetail } from '../../src-main/contract/run'
import type { RunService } from '../../src-main/engine/stacks'
import { folderDigest } from '../support/folder-digest'
import { bundleHost, killHost, startHost } from '../support/kill-engine'
import {
  ended,
  endEverything,
  openService,
  practiceYard,
  until,
  type Yard
} from '../support/run-service'

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

async function open(): Promise<RunService> {
  const service = await openService(yard)
  services.push(service)
  return service
}

const request = (): LaunchRequest => LaunchRequest.parse({ recipe: yard.recipe })
const kinds = ({ events }: RunDetail): string[] => events.map(({ kind }) => kind)
const attemptServes =
  (attempt: number) =>
  ({ summary }: RunDetail): boolean =>
    summary.attempt === attempt && ['serving', 'training'].includes(summary.state.kind)

/** Follows a run's chain until it says what is awaited. */
async function untilChain(
  service: RunService,
  run: string,
  done: (releases: readonly Release[]) => boolean
): Promise<readonly Release[]> {
  const aborter = new AbortController()
  const timer = setTimeout(() => {
    aborter.abort()
  }, 60_000)
  try {
    for await (const { releases } of service.watchChain({ run }, aborter.signal))
      if (done(releases)) return releases
  } finally {
    clearTimeout(timer)
  }
  throw new Error('the chain did not come to it')
}

function served(releases: readonly Release[]): Release {
  const found = releases.find((release) => release.served)
  if (found === undefined) throw new Error('nothing is served')
  return found
}

/** Newest release that can be gone back to. */
async function restorable(service: RunService, run: string): Promise<number> {
  const { releases } = await service.chain({ run })
  const found = releases.find(
    (release) => release.checkpoint !== null && !release.served && release.restorable
  )
  if (found === undefined) throw new Error('nothing was saved')
  return found.step
}

it('branches off, leaves the old root byte for byte, and comes back to it', async () => {
  const service = await open()
  const { run, folder } = await service.start(request())
  await until(service, run, ({ summary }) => summary.step >= 4, 60_000)
  const step = await restorable(service, run)
  const plan = await service.rollbackPlan({ run, step })
  expect(plan.way).toBe('redeploy')
  expect(plan.planDiff.map(({ path }) => path)).toEqual(
    expect.arrayContaining([
      'inference.model-path',
      'training.config.checkpoint_dir',
      'storage.agent-record-dir'
    ])
  )
  expect((await service.undoPlan({ run })).way).toBe('refused')

  await service.rollback({ run, step, why: 'worse since' })
  await until(service, run, attemptServes(2), 60_000)
  const left = await folderDigest(join(folder, 'stack'))
  const branch = await untilChain(service, run, (all) =>
    all.some(({ attempt, commitStep }) => attempt === 2 && commitStep > 1)
  )
  const begun = branch.find((release) => release.rollbackTargetStep === step)
  expect(begun).toMatchObject({ operation: 'rollback', attempt: 2 })
  const numbers = new Map(branch.map((one) => [one.step, one.releaseId]))
  expect(numbers.size).toBe(branch.length)
  const old = branch.find((release) => release.attempt === 1 && release.result === 'published')

  const undo = await service.undoPlan({ run })
  expect(undo.way).toBe('reopen')
  expect(undo.changes[0]?.after.en).toContain(`r${old?.step ?? -1}`)
  expect(await folderDigest(join(folder, 'stack'))).toBe(left)
  await service.undo({ run, why: 'it was not worse' })
  const detail = await until(service, run, attemptServes(3), 60_000)
  const back = await service.chain({ run })
  // Whatever number the newest has by now: nothing that was shown has changed its number.
  for (const release of back.releases)
    if (numbers.has(release.step)) expect(release.releaseId).toBe(numbers.get(release.step))
  expect(served(back.releases).attempt).not.toBe(2)
  expect(kinds(detail)).toEqual(expect.arrayContaining(['redeploy', 'undo']))
  expect(detail.events.find(({ kind }) => kind === 'undo')?.data).toMatchObject({
    why: 'it was not worse',
    who: expect.any(String) as string
  })
  const before = served(back.releases).step
  const grown = await untilChain(service, run, (all) => served(all).attempt === 3)
  expect(served(grown).step).toBeGreaterThan(before)
  expect(served(grown).attempt).toBe(3)
  // Taken back once more, it is the branch again.
  expect((await service.undoPlan({ run })).way).toBe('reopen')
}, 240_000)

it('is finished, or taken back, by the next engine when the one that began it is killed', async () => {
  const host = await bundleHost(yard.root)
  const first = startHost(host, yard, true)
  const run = await first.ready
  if (run === null) throw new Error('the host launched nothing')
  await killHost(first)
  const service = await open()
  await service.reconcile()
  await until(service, run, ({ summary }) => summary.step >= 3, 60_000)
  const step = await restorable(service, run)
  // What the record holds when an engine dies after the old stack's end and before the new one's start.
  await service.stop({ run, force: false })
  await until(service, run, ({ summary }) => ended(summary.state), 60_000)
  await service.dispose()
  services = []
  const away = await openService(yard)
  const act = await away.rollbackPlan({ run, step })
  expect(act.way).toBe('redeploy')
  const chain = await away.chain({ run })
  const from = chain.releases.find((release) => release.step === step)?.checkpoint ?? ''
  await away.store.update(run, (record) => ({
    ...record,
    next: {
      reason: 'redeploy',
      overrides: [{ path: 'inference.model-path', value: from }],
      redeployedFrom: step
    }
  }))
  // An engine that only looks says that it can be called off, and begins nothing.
  expect((await away.undoPlan({ run })).title.en).toBe('Call it off?')
  await away.dispose()

  const next = startHost(host, yard, false)
  await next.ready
  const looking = await openService(yard)
  const detail = await until(looking, run, attemptServes(2), 60_000)
  expect(kinds(detail)).toContain('taken-up')
  expect((await looking.undoPlan({ run })).way).toBe('reopen')
  await looking.dispose()
  await killHost(next)
  const last = await open()
  await last.reconcile()
  await last.undo({ run, why: '' })
  await until(last, run, attemptServes(3), 60_000)
}, 240_000)

it('waits for a training job before it stops the stack', async () => {
  const service = await open()
  const { run } = await service.start(request())
  await until(service, run, ({ summary }) => summary.step >= 3, 60_000)
  await service.rollback({ run, step: await restorable(service, run), why: '' })
  const detail = await until(service, run, attemptServes(2), 60_000)
  const record = await service.store.read(run)
  const root = record.attempts[0]?.checkpointDir ?? ''
  const marker = await readFile(join(root, 'hf', '.reef-latest-job.json'), 'utf8')
  expect((JSON.parse(marker) as { status: string }).status).toBe('COMPLETE')
  expect(kinds(detail)).toContain('stop-asked')
}, 120_000)
