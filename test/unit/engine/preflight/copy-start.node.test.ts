import { execFileSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { LaunchRequest } from '../../../../src-main/contract/launch'
import type { Check } from '../../../../src-main/contract/preflight'
import { systemClock } from '../../../../src-main/engine/lib'
import { applyFix, type LaunchContext } from '../../../../src-main/engine/preflight'
import { copyCommand } from '../../../../src-main/engine/preflight/copy-offer'
import { RecipeLibrary } from '../../../../src-main/engine/recipes'
import { type CopyStart, planLaunch, readRecipeForPlan } from '../../../../src-main/engine/stacks'
import { copyStart } from '../../../../src-main/engine/stacks/copy-start'
import { localFiles } from '../../../../src-main/engine/targets'
import { judged, launchContext, slimeRecipe } from '../../../support/preflight-yard'
import { randomTensor, safetensors, seeded } from '../compare/weight-files'

const files = localFiles(systemClock)
const weights = safetensors({ w: randomTensor('BF16', [4, 8], seeded(1)) })
let folder = ''

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-copy-'))
})
afterEach(async () => {
  await rm(folder, { recursive: true, force: true })
})

async function put(path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true })
  await writeFile(join(folder, path), content)
}

async function saved(rollout: number, content: string | Uint8Array = weights): Promise<void> {
  await put(`checkpoints/hf/${rollout}/model.safetensors`, content)
  await put(`checkpoints/hf/${rollout}/config.json`, '{}')
}

const marker = (status: string, rollout: number): Promise<void> =>
  put(
    'checkpoints/hf/.reef-latest-job.json',
    JSON.stringify({ status, job_id: 'j', rollout_id: rollout })
  )

/** How a launch of the test's recipe could begin, as the engine finds it. */
async function startOf(request: LaunchRequest): Promise<CopyStart | null> {
  const text = await readFile(request.recipe, 'utf8')
  const recipe = readRecipeForPlan(text, {
    path: request.recipe,
    overrides: request.overrides,
    environment: {}
  })
  const ref = { id: 'local', kind: 'process', name: 'here' } as const
  const plan = planLaunch(recipe, request, { kind: 'reef-process', ref, command: 'reef' })
  return copyStart({ plan, recipe }, files)
}

async function context(change: Partial<LaunchContext> = {}): Promise<LaunchContext> {
  const made = await launchContext({ folder, text: slimeRecipe(folder), change })
  return { ...made, copyStart: () => startOf(made.request) }
}

async function check(id: string, change: Partial<LaunchContext> = {}): Promise<Check | undefined> {
  return (await judged(await context(change), (one) => one === id)).checks.get(id)
}

const surroundings = () => ({
  library: new RecipeLibrary({
    templates: folder,
    own: folder,
    recentFile: join(folder, 'r.json')
  }),
  check: () => Promise.reject(new Error('no recipe is looked at')),
  leftovers: () => Promise.reject(new Error('no leftover is looked at')),
  copyStart: startOf,
  files
})

describe('starting from a copy', () => {
  it('is offered where the marker refuses a start, and makes the launch begin beside it', async () => {
    await saved(3)
    await saved(4)
    // Cut off while it was being written: not whole, and of the job that was cut off.
    await saved(5, weights.subarray(0, weights.length - 4))
    await marker('RUNNING', 5)
    const refused = await check('state/job-marker')
    expect(refused).toMatchObject({ verdict: 'fail', judgement: false })
    const { fix } = refused ?? {}
    const to = join(folder, 'checkpoints-copy-1-start')
    expect(fix).toMatchObject({ kind: 'start-from-copy', to })
    expect(fix?.title.en).toContain('checkpoint 4')
    if (fix === undefined) throw new Error('no fix')

    const before = await readFile(join(folder, 'checkpoints/hf/.reef-latest-job.json'), 'utf8')
    const { request } = await context()
    const kept = { path: 'reef.port', value: '9000' }
    const after = await applyFix(
      { ...request, overrides: [kept, { path: 'inference.model_path', value: '/old' }] },
      fix,
      surroundings()
    )
    const values = new Map(after.overrides.map(({ path, value }) => [path, value]))
    expect(values.get('reef.port')).toBe('9000')
    expect(values.get('inference.model-path')).toBe(`${to}/hf/4`)
    expect(values.has('inference.model_path')).toBe(false)
    expect(values.get('training.config.checkpoint_dir')).toBe(`${folder}/checkpoints-copy-1`)
    expect(values.get('training.options.save-hf')).toBe(
      `${folder}/checkpoints-copy-1/hf/{rollout_id}`
    )
    expect(values.get('storage.agent-record-dir')).toBe(`${folder}/records-copy-1`)
    // A finished checkpoint shares its bytes; the root it comes from is as it was.
    const inode = async (path: string): Promise<number> => (await stat(path)).ino
    expect(await inode(join(to, 'hf/4/model.safetensors'))).toBe(
      await inode(join(folder, 'checkpoints/hf/4/model.safetensors'))
    )
    expect(await readFile(join(folder, 'checkpoints/hf/.reef-latest-job.json'), 'utf8')).toBe(
      before
    )
    // The same launch finds another place the next time, and no second click makes a second copy.
    expect((await startOf(request))?.to).toBe(join(folder, 'checkpoints-copy-2-start'))
    await expect(applyFix(request, fix, surroundings())).rejects.toMatchObject({
      failure: { code: 'fix-gone' }
    })
  })

  it('is offered where another run writes the folders, to whoever is on this machine', async () => {
    const clash = { ownRuns: [{ name: 'night', target: 'local', gpus: 1, writes: [folder] }] }
    expect((await check('state/second-writer', clash))?.fix).toBeUndefined()
    await saved(7)
    await marker('COMPLETE', 7)
    expect((await check('state/second-writer', clash))?.fix).toMatchObject({
      kind: 'start-from-copy'
    })
    // On another machine nothing is written by a click: the commands are shown, and why.
    const away = { ...clash, here: () => Promise.resolve(false) }
    const there = await check('state/second-writer', away)
    expect(there).not.toHaveProperty('fix')
    expect(there?.remedy?.en).toContain('Slipway writes nothing by itself')
    const [copy = '', launch = ''] = there?.command?.split('\n') ?? []
    const to = join(folder, 'checkpoints-copy-1-start')
    expect(launch).toMatch(/^slipway launch \S+recipe\.yaml --target local --set /)
    expect(launch).toContain(`inference.model-path=${to}/hf/7`)
    // They do what they say.
    execFileSync('sh', ['-c', copy])
    expect(await readFile(join(to, 'hf/7/model.safetensors'))).toEqual(Buffer.from(weights))
    // The finding stands where its fix cannot be found out.
    const made = await context(clash)
    const broken = { ...made, copyStart: () => Promise.reject(new Error('no')) }
    const { checks } = await judged(broken, (id) => id === 'state/second-writer')
    expect(checks.get('state/second-writer')?.verdict).toBe('fail')
  })

  it('goes through ssh where the target is reached by it', () => {
    const via = { kind: 'ssh', destination: 'ssh://me@box' } as const
    const start = { root: '/data/ck', to: '/data/ck-copy', rollout: 3, name: '3', overrides: [] }
    const [copy, launch] = copyCommand(
      start,
      { kind: 'docker', id: 'box', name: 'box', via },
      { recipe: 'r.yaml', target: 'box', overrides: [], container: { gpus: ['0', '1'] } }
    ).split('\n')
    expect(launch).toBe('slipway launch r.yaml --target box --gpus 0,1')
    expect(copy).toMatch(/^ssh ssh:\/\/me@box 'mkdir -p \/data\/ck-copy\/hf && \(cp -al /)
  })

  it('is not offered for an adapter, which is no model to begin from', async () => {
    await saved(2)
    const text = slimeRecipe(folder, 8900, ['megatron-lora-rank: 8'])
    const { request } = await launchContext({ folder, text })
    expect(await startOf(request)).toBeNull()
  })

  it.skipIf(process.getuid?.() === 0)('leaves no half copy behind', async () => {
    await saved(2)
    const { request } = await context()
    const start = await startOf(request)
    await chmod(join(folder, 'checkpoints/hf/2'), 0)
    const fix = { kind: 'start-from-copy' as const, title: { en: '', zh: '' }, to: start?.to ?? '' }
    await expect(applyFix(request, fix, surroundings())).rejects.toThrow()
    await expect(stat(start?.to ?? '')).rejects.toMatchObject({ code: 'ENOENT' })
  })
})
