import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { NexrlPlan } from '../../../../src-main/contract/nexrl'
import type { Check } from '../../../../src-main/contract/preflight'
import { judged, launchContext, slimeRecipe } from '../../../support/preflight-yard'

let folder = ''
let server: Server
let address = ''
let status = 200
const paths: (string | undefined)[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-inference-'))
  paths.length = 0
  server = createServer((request, response) => {
    paths.push(request.url)
    response.writeHead(status)
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const at = server.address()
  address = at === null || typeof at === 'string' ? '' : `127.0.0.1:${at.port}`
})
afterEach(async () => {
  server.close()
  await rm(folder, { recursive: true, force: true })
})

const plan: NexrlPlan = {
  way: 'driver',
  mode: 'self-hosted',
  runNexrl: true,
  tag: '',
  checkout: null,
  namespace: null,
  service: 'own',
  syncMode: 'sync',
  totalSteps: 1,
  prompts: 1,
  repeats: 1,
  workers: 1,
  heartbeat: 10,
  extendEvery: 0,
  variables: []
}

async function ask(part: Partial<NexrlPlan> = {}, given = address): Promise<Check | undefined> {
  const made = await launchContext({ folder, text: slimeRecipe(folder) })
  const context = {
    ...made,
    plan: { ...made.plan, nexrl: { ...plan, ...part } },
    recipe: { ...made.recipe, dialect: 'nexrl' as const },
    variable: (name: string) => (name === 'INFERENCE_BASE_URL' ? given : undefined)
  }
  const { checks } = await judged(context, (id) => id === 'nexrl/inference')
  return checks.get('nexrl/inference')
}

it('asks the service itself, and nobody where another one answers for it', async () => {
  expect((await ask())?.verdict).toBe('pass')
  expect(paths).toEqual(['/health'])
  // A router of an older version knows no such route, and is there all the same.
  status = 404
  expect((await ask({}, `http://${address}/`))?.verdict).toBe('pass')
  status = 503
  expect((await ask())?.verdict).toBe('warn')
  expect((await ask({ way: 'kubernetes' }))?.verdict).toBe('skip')
  expect((await ask({ service: 'weaver' }))?.verdict).toBe('skip')
  expect((await ask({}, ''))?.verdict).toBe('skip')
  expect(paths).toHaveLength(3)
  await new Promise((closed) => server.close(closed))
  const gone = await ask()
  expect(gone).toMatchObject({ verdict: 'fail', judgement: true })
  expect(gone?.evidence.en).toContain('ECONNREFUSED')
})
