import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Check, PreflightReport } from '../../src-main/contract/preflight'
import { systemClock } from '../../src-main/engine/lib'
import {
  launchChecks,
  localTool,
  runChecks,
  type LaunchContext
} from '../../src-main/engine/preflight'
import { checkRecipe, gatherInput } from '../../src-main/engine/recipes'
import { planLaunch, readRecipeForPlan } from '../../src-main/engine/stacks'
import { createProcessTarget } from '../../src-main/engine/targets'

let folder = ''
const servers: Server[] = []
const mounted: string[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-conditions-'))
})
afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((closed) => server.close(closed))
  for (const path of mounted.splice(0)) execFileSync('umount', [path])
  await rm(folder, { recursive: true, force: true })
})

function listen(): Promise<number> {
  const server = createServer()
  servers.push(server)
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : 0)
    })
  })
}

/** A Slime recipe on this machine, as a process: nothing of it is ever started. */
function recipeText(port: number): string {
  return `schema-version: 2
reef:
  host: 127.0.0.1
  port: ${port}
inference:
  model-path: ${folder}/model
  num-gpus: 1
  tensor-parallel-size: 1
recipe:
  implementation: recipes.sao.recipe:SAORecipe
  config: { batch-size: 8 }
training:
  backend: slime
  config: { checkpoint_dir: ${folder}/checkpoints }
  options:
    save-hf: ${folder}/checkpoints/hf/{rollout_id}
    save: ${folder}/checkpoints/megatron
    load: ${folder}/checkpoints/megatron
    global-batch-size: 8
    rollout-batch-size: 8
    actor-num-gpus-per-node: 1
storage:
  agent-record-dir: ${folder}/records
`
}

async function contextFor(port: number): Promise<LaunchContext> {
  const path = join(folder, 'recipe.yaml')
  const text = recipeText(port)
  await writeFile(path, text)
  const spec = { kind: 'process', id: 'local', name: 'here', python: folder } as const
  const target = createProcessTarget({
    spec,
    installation: 'test',
    resources: folder,
    home: folder
  })
  const request = { recipe: path, target: 'local', tags: [], overrides: [], companions: [] }
  const base = { path, text, environment: {} }
  const recipe = checkRecipe(await gatherInput(base, checkRecipe(base).facts.model))
  const ref = { id: 'local', name: 'here', kind: 'process' } as const
  const plan = planLaunch(
    readRecipeForPlan(text, { path, overrides: [], environment: {} }),
    request,
    {
      kind: 'reef-process',
      ref,
      command: 'reef'
    }
  )
  const status = () => target.probe(new AbortController().signal)
  return {
    ...{ request, plan, recipe, target, status, tool: localTool, user: process.getuid?.() ?? null },
    here: () => Promise.resolve(true),
    variable: () => undefined,
    launchFolder: folder,
    homeFolder: folder,
    environment: new Map(),
    ownRuns: [],
    ownPorts: new Map()
  }
}

async function checksFor(port: number): Promise<Map<string, Check>> {
  const context = await contextFor(port)
  let last: PreflightReport | null = null
  const { signal } = new AbortController()
  for await (const report of runChecks(launchChecks(context), context, systemClock, signal))
    last = report
  return new Map((last?.checks ?? []).map((check) => [check.id, check]))
}

function shard(bytes: number): Buffer {
  const header = JSON.stringify({
    a: { dtype: 'F32', shape: [bytes / 4], data_offsets: [0, bytes] }
  })
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(header.length))
  return Buffer.concat([length, Buffer.from(header), Buffer.alloc(bytes)])
}

async function makeModel(): Promise<string> {
  const model = join(folder, 'model')
  await mkdir(model)
  await writeFile(join(model, 'config.json'), '{"model_type":"qwen2"}')
  await writeFile(join(model, 'tokenizer.json'), '{}')
  await writeFile(join(model, 'model.safetensors'), shard(1 << 20))
  return join(model, 'model.safetensors')
}

describe('preflight on this very machine', () => {
  it('names who holds the port and offers the next free one', async () => {
    const port = await listen()
    const check = (await checksFor(port)).get(`ports/${port}`)
    expect(check?.verdict).toBe('fail')
    expect(check?.evidence.en).toContain(`pid ${process.pid}`)
    expect(check?.fix).toMatchObject({ kind: 'override', path: 'reef.port' })
  })

  it('goes through a model from absent over torn to whole', async () => {
    expect((await checksFor(8900)).get('model/files')?.evidence.en).toContain('is not there')
    const weights = await makeModel()
    expect((await checksFor(8900)).get('model/files')?.verdict).toBe('pass')
    await truncate(weights, 1 << 19)
    const torn = (await checksFor(8900)).get('model/files')
    expect(torn?.verdict).toBe('fail')
    expect(torn?.evidence.en).toContain('cut short')
  })

  it('finds a stray file and an unfinished job among the checkpoints', async () => {
    const hf = join(folder, 'checkpoints', 'hf')
    await mkdir(join(hf, '3'), { recursive: true })
    let checks = await checksFor(8900)
    expect(checks.get('state/stray-files')?.verdict).toBe('pass')
    expect(checks.get('state/job-marker')?.verdict).toBe('pass')
    await writeFile(join(hf, '.DS_Store'), '')
    const marker = JSON.stringify({ status: 'RUNNING', job_id: 'j', rollout_id: 4 })
    await writeFile(join(hf, '.reef-latest-job.json'), marker)
    checks = await checksFor(8900)
    expect(checks.get('state/stray-files')?.evidence.en).toContain('.DS_Store')
    expect(checks.get('state/job-marker')?.verdict).toBe('fail')
  })

  it.runIf(process.platform === 'linux' && process.getuid?.() === 0)(
    'sees a small filesystem under the checkpoints, not the large one above it',
    async () => {
      await makeModel()
      const place = join(folder, 'checkpoints')
      await mkdir(place)
      try {
        execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', place], { stdio: 'pipe' })
      } catch (thrown) {
        // A container without the right to mount cannot make this condition.
        expect(String(thrown)).toMatch(/permission|not permitted|denied/i)
        return
      }
      mounted.push(place)
      const small = (await checksFor(8900)).get('disk/checkpoints')
      expect(small?.verdict).toBe('fail')
      execFileSync('mount', ['-o', 'remount,size=64m', place])
      expect((await checksFor(8900)).get('disk/checkpoints')?.verdict).toBe('pass')
    }
  )
})
