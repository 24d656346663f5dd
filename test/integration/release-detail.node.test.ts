import { readFile, writeFile } from 'node:fs/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { LaunchRequest } from '../../src-main/contract/launch'
import type { RunService } from '../../src-main/engine/stacks'
import {
  ended,
  endEverything,
  makeYard,
  openService,
  until,
  type Yard
} from '../support/run-service'

const { signal } = new AbortController()

let yard: Yard
let services: RunService[] = []

beforeEach(async () => {
  yard = await makeYard()
  services = []
})

afterEach(async () => {
  await endEverything(services)
  await yard.remove()
}, 60_000)

it('shows a harness release alike from the service and from disk, with cost and receipts', async () => {
  const recipe = await readFile(yard.recipe, 'utf8')
  await writeFile(
    yard.recipe,
    recipe.replace('storage: {', 'storage: { artifact-repository: work/artifacts.git,')
  )
  const service = await openService(yard)
  services.push(service)
  const { run } = await service.start(LaunchRequest.parse({ recipe: yard.recipe }))
  await until(service, run, ({ summary }) => summary.step >= 2, 60_000)
  const live = await service.releases.detail({ run, step: 2 }, signal)
  expect(live.learnt.receipts).toEqual(['a4'])
  expect(live.cost).toMatchObject({ gpus: 0, gpuHours: 0, samples: 1 })
  expect(live.cost.took).toBeGreaterThan(0)
  expect(live.harness).toMatchObject({
    from: 'service',
    against: 1,
    verdict: { selected: true, reason: 'won one of one', wins: 1 },
    request: { text: 'Answer shorter' },
    mutations: [{ op: 'add_rule', id: 'rule-2' }],
    setup: [{ name: 'ripgrep', kind: 'service', check: 'rg --version' }]
  })
  expect(live.harness?.files?.map(({ path, change }) => [path, change])).toEqual([
    ['AGENTS.md', 'changed'],
    ['skills.md', 'added'],
    ['tools.json', 'same']
  ])
  const { lines } = await service.releases.harnessDiff({ run, step: 2, path: 'AGENTS.md' }, signal)
  expect(lines?.filter(({ sign }) => sign === '+' || sign === '-')).toEqual([
    { sign: '-', text: 'Rule 1.' },
    { sign: '+', text: 'Rule 2.' }
  ])
  await expect(
    service.releases.harnessDiff({ run, step: 2, path: 'no.md' }, signal)
  ).rejects.toMatchObject({
    failure: { code: 'harness-file-unknown' }
  })

  await service.stop({ run, force: true })
  await until(service, run, ({ summary }) => ended(summary.state), 60_000)
  const dead = await service.releases.detail({ run, step: 2 }, signal)
  expect(dead.harness).toEqual({ ...live.harness, from: 'disk', setup: [] })
  expect(
    await service.releases.harnessDiff({ run, step: 2, path: 'AGENTS.md' }, signal)
  ).toMatchObject({ lines })
}, 90_000)
