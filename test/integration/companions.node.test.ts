import { readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Companion, LaunchRequest } from '../../src-main/contract/launch'
import type { RunDetail } from '../../src-main/contract/run'
import type { RunService } from '../../src-main/engine/stacks'
import { createProcessTarget } from '../../src-main/engine/targets'
import {
  ended,
  endEverything,
  openService,
  practiceYard,
  until,
  type Yard
} from '../support/run-service'

const TOKEN = 'token-of-this-test-7f3a91'

let yard: Yard
let services: RunService[] = []

beforeEach(async () => {
  yard = await practiceYard()
  const recipe = await readFile(yard.recipe, 'utf8')
  await writeFile(yard.recipe, recipe.replace(/^( *)traffic: .*$/m, '$1traffic: "off"'))
  services = []
})

afterEach(async () => {
  await endEverything(services)
  await yard.remove()
})

async function open(): Promise<RunService> {
  const service = await openService(yard, {
    secret: (name) => Promise.resolve(name === 'REEF_TOKEN' ? TOKEN : null)
  })
  services.push(service)
  return service
}

const client = (): Companion => ({
  name: 'agent',
  command: ['node', resolve('test/support/companion-client.mjs'), join(yard.root, 'mark')],
  where: 'process',
  environment: [],
  startWhenServing: true,
  stopWithRun: true,
  restart: 'on-failure'
})

const request = (companions: Companion[]): LaunchRequest =>
  LaunchRequest.parse({ recipe: yard.recipe, companions })

const told = ({ events }: RunDetail, kind: string): unknown[] =>
  events.filter((event) => event.kind === kind).map(({ data }) => data)

async function companionsAlive(service: RunService): Promise<string[]> {
  const here = createProcessTarget({
    spec: { kind: 'process', id: 'local', name: 'This machine', python: null },
    installation: service.store.installation,
    resources: yard.resources,
    home: yard.home
  })
  const own = await here.findOwn(service.store.installation)
  return own.map(({ runId }) => runId).filter((id) => id.includes('companion'))
}

it('a companion drives the stack to releases, crashes, is started again, found again, and ends with the run', async () => {
  const first = await open()
  const { run } = await first.start(request([client()]))
  await until(first, run, (detail) => told(detail, 'companion-ended').length > 0, 60_000)
  await until(first, run, (detail) => told(detail, 'companion-started').length === 2, 60_000)

  // The engine goes away and another one takes over: the companion is the same one.
  await first.dispose()
  services = []
  const second = await open()
  await second.reconcile()
  const learning = await until(second, run, ({ summary }) => summary.step >= 2, 90_000)
  expect(told(learning, 'companion-ended')).toMatchObject([
    { name: 'agent', start: 1, exit: { kind: 'code', code: 3 } }
  ])
  expect(told(learning, 'companion-started')).toHaveLength(2)
  expect(await companionsAlive(second)).toHaveLength(1)

  await second.stop({ run, force: false })
  await until(second, run, ({ summary }) => ended(summary.state), 60_000)
  expect(await companionsAlive(second)).toEqual([])
  const paths = second.paths(run)
  const log = await readFile(join(paths.attempt(1), 'companion-agent.log'), 'utf8')
  expect(log).toContain('asking practice, for the first time')
  expect(log).toContain('crashing, as asked')
  expect(log).toContain('asking practice, again')
  for (const file of [paths.record, paths.events]) {
    expect(await readFile(file, 'utf8')).not.toContain(TOKEN)
  }
}, 180_000)

it('refuses what it could not start, before anything is made', async () => {
  const service = await open()
  const other: Companion = { ...client(), where: 'own-container', image: 'agent' }
  for (const [companions, code] of [
    [[other], 'companion-place'],
    [[{ ...client(), where: 'stack-container' }], 'companion-place'],
    [[client(), client()], 'companion-name'],
    [[{ ...client(), name: '../x' }], 'companion-name']
  ] as const) {
    await expect(service.start(request([...companions]))).rejects.toMatchObject({
      failure: { code }
    })
  }
  expect((await service.list()).runs).toEqual([])
})

it('one that fails each time is told of once, and its end never counts the reports of others as its own', async () => {
  const service = await open()
  const crashing: Companion = { ...client(), name: 'crashing', command: ['sh', '-c', 'exit 4'] }
  const { run } = await service.start(request([client(), crashing]))
  const failing = (detail: RunDetail): RunDetail['events'] =>
    detail.events.filter(({ kind }) => kind === 'companion-failing')
  const seen = await until(service, run, (detail) => failing(detail).length > 0, 60_000)
  expect(failing(seen)).toMatchObject([
    { data: { name: 'crashing', start: 3, exit: { kind: 'code', code: 4 } } }
  ])
  expect(failing(seen)[0]?.text.en).toContain('3 times in a row')
  const ends = seen.events.filter(
    ({ kind, data }) => kind === 'companion-ended' && data?.['name'] === 'crashing'
  )
  expect(ends).toHaveLength(3)
  for (const { text } of ends) expect(text.en).toMatch(/By then the run had \d+ reports/)
  await service.stop({ run, force: false })
  const over = await until(service, run, ({ summary }) => ended(summary.state), 60_000)
  // What ends with its stack is no failure.
  expect(failing(over)).toHaveLength(1)
}, 120_000)
