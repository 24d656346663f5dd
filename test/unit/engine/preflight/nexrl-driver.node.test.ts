import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { NexrlPlan } from '../../../../src-main/contract/nexrl'
import type { LaunchContext } from '../../../../src-main/engine/preflight'
import { nexrlVariables, readNexrlRecipe } from '../../../../src-main/engine/nexrl'
import { checkRecipe } from '../../../../src-main/engine/recipes'
import { judged, launchContext, slimeRecipe } from '../../../support/preflight-yard'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-nexrl-driver-'))
})
afterEach(async () => {
  await rm(folder, { recursive: true, force: true })
})

const recipeText = (mode = 'local'): string => `launch_mode: ${mode}
logger: { backend: [console] }
data:
  type: torch
  data_files: ["\${oc.env:SLIPWAY_TEST_DATA}/train.jsonl"]
  batch_size: 4
rollout_worker: { type: simple, num_workers: 4 }
trainer: { type: remote_api_cross_entropy, total_train_steps: 6 }
service:
  inference_service: { identifier: default, model: Qwen/Qwen3-8B, backend: weaver }
  weaver_service: { api_key: "\${oc.env:WEAVER_API_KEY}" }
validate:
  data:
    type: torch
    data_files: ["\${oc.env:SLIPWAY_TEST_DATA}/train.jsonl"]
`

interface Scene {
  mode?: string
  way?: NexrlPlan['way']
  environment?: Readonly<Record<string, string>>
}

/** A launch of a NexRL recipe with a training service, planned by hand: nothing of it is started. */
async function scene({
  mode,
  way = 'driver',
  environment = {}
}: Scene = {}): Promise<LaunchContext> {
  const text = recipeText(mode)
  const base = await launchContext({ folder, text: slimeRecipe(folder) })
  const path = join(folder, 'nexrl.yaml')
  await writeFile(path, text)
  const read = await readNexrlRecipe({ path, text, overrides: [], environment })
  if (read === null) throw new Error('not read as a recipe of NexRL')
  const nexrl: NexrlPlan = {
    way,
    mode: 'training-service',
    runNexrl: true,
    tag: '',
    checkout: null,
    namespace: null,
    service: 'weaver',
    syncMode: 'sync',
    totalSteps: 6,
    prompts: 4,
    repeats: 1,
    workers: 4,
    heartbeat: 10,
    extendEvery: 0,
    variables: nexrlVariables(read, way)
  }
  return {
    ...base,
    request: { ...base.request, recipe: path },
    recipe: checkRecipe({ path, text, environment }),
    plan: {
      ...base.plan,
      nexrl,
      environment: [{ name: 'WEAVER_API_KEY', value: null }]
    },
    environment: new Map(Object.keys(environment).map((name) => [name, 'set' as const]))
  }
}

const quiet = [
  'ports/ray-head',
  'environment/memory',
  'environment/token',
  'environment/wandb',
  'environment/proxy',
  'state/stray-files'
]

it('a driver with a training service is asked nothing about Ray, a served model or its memory', async () => {
  const { checks } = await judged(await scene(), (id) =>
    [...quiet, 'environment/limits', 'model/files'].includes(id)
  )
  for (const id of quiet) expect([id, checks.get(id)?.verdict]).toEqual([id, 'skip'])
  expect(JSON.stringify([...checks.values()])).not.toContain('SGLang')
  expect(checks.get('model/files')?.evidence.en).toContain('training service')
})

it('Ray is asked about where the recipe starts it', async () => {
  const { checks } = await judged(await scene({ mode: 'ray' }), (id) => id === 'ports/ray-head')
  expect(checks.get('ports/ray-head')?.verdict).not.toBe('skip')
})

it('what is not set is said by one check, and a path made of it is not looked for', async () => {
  const { checks } = await judged(
    await scene(),
    (id) => /^(?:recipe|nexrl)/.test(id) || id === 'environment/variables'
  )
  const said = [...checks.values()].filter(
    ({ verdict, evidence }) => verdict !== 'skip' && evidence.en.includes('WEAVER_API_KEY')
  )
  expect(said.map(({ id }) => id)).toEqual(['nexrl/environment'])
  expect(said[0]).toMatchObject({
    verdict: 'fail',
    judgement: false,
    evidence: { en: 'Not set: WEAVER_API_KEY, SLIPWAY_TEST_DATA.' }
  })
  expect(checks.get('nexrl/data')).toMatchObject({
    verdict: 'unknown',
    evidence: { en: 'Cannot be looked at until SLIPWAY_TEST_DATA is set.' }
  })
  expect(checks.get('nexrl/columns')?.verdict).toBe('skip')
})

it('in a pod a missing variable may come from the cluster, so a reason may override it', async () => {
  const { checks } = await judged(
    await scene({ way: 'kubernetes' }),
    (id) => id === 'nexrl/environment'
  )
  expect(checks.get('nexrl/environment')).toMatchObject({ verdict: 'fail', judgement: true })
})

it('a file that training and validation share is missing once', async () => {
  const { checks } = await judged(
    await scene({ environment: { SLIPWAY_TEST_DATA: folder, WEAVER_API_KEY: 'sk-1' } }),
    (id) => id === 'nexrl/data' || id === 'nexrl/environment'
  )
  expect(checks.get('nexrl/data')?.evidence.en).toBe(`Not there: ${join(folder, 'train.jsonl')}.`)
  expect(checks.get('nexrl/environment')?.verdict).toBe('pass')
})
