import { expect, it } from 'vitest'
import { newStorage } from '../../../../src-main/engine/stacks/new-storage'
import { readRecipeForPlan } from '../../../../src-main/engine/stacks/recipe-for-plan'

const read = (lines: string[]) =>
  readRecipeForPlan(['schema-version: 2', ...lines, ''].join('\n'), {
    path: '/r/serve.yaml',
    overrides: [],
    environment: {}
  })

const slime = [
  'recipe: { implementation: "recipes.sao.recipe:SAORecipe", config: { batch-size: 8 } }',
  'inference: { model-path: /m/base }',
  'training:',
  '  backend: slime',
  '  config: { checkpoint_dir: /var/lib/reef/ckpt }'
]

it('names every folder a branch needs new: defaults too, each as the recipe spells it', () => {
  const { storage, startsFrom } = read([
    ...slime,
    '  options:',
    '    save: "${training.config.checkpoint_dir}/megatron"',
    '    save-hf: "/other/hf/{rollout_id}"',
    '    ref-load: /m/base',
    'storage: { agent-record-dir: /var/lib/reef/records }'
  ])
  const byPath = new Map(storage.map(({ path, value }) => [path, value]))
  expect(byPath.get('storage.artifact-repository')).toBe('.reef/artifacts.git')
  expect(byPath.get('storage.agent-record-dir')).toBe('/var/lib/reef/records')
  expect(byPath.get('training.config.checkpoint_dir')).toBe('/var/lib/reef/ckpt')
  expect(byPath.get('training.options.save-hf')).toBe('/other/hf/{rollout_id}')
  expect(byPath.get('reef.run-dir')).toBe('.reef/run')
  // It follows the checkpoint folder by itself.
  expect(byPath.has('training.options.save')).toBe(false)
  expect(startsFrom.map(({ path }) => path)).toEqual(['training.options.ref-load'])
})

it('knows an adapter over a frozen base, which is no model to start from', () => {
  expect(read(slime).lora).toBe(false)
  expect(read([...slime, '  options: { megatron-lora-rank: 16 }']).lora).toBe(true)
})

const moved = (
  fields: [string, string][],
  plan: Parameters<typeof newStorage>[0] = { practice: false, mounts: [] },
  attempt = 3
): Record<string, string> =>
  Object.fromEntries(
    newStorage(
      plan,
      fields.map(([path, value]) => ({ path, value })),
      attempt
    ).map(({ path, after }): [string, string] => [path.split('.').pop() ?? path, after])
  )

it('moves a checkpoint root as a whole, so that its records are new too', () => {
  expect(
    moved([
      ['training.config.checkpoint_dir', '/d/ck'],
      ['training.options.save-hf', '/d/ck/hf/{rollout_id}'],
      ['training.options.save', '/d/ck/megatron'],
      ['training.options.load', '/m/base_torch_dist'],
      ['storage.agent-record-dir', '/d/records/']
    ])
  ).toEqual({
    checkpoint_dir: '/d/ck-attempt-3',
    'save-hf': '/d/ck-attempt-3/hf/{rollout_id}',
    save: '/d/ck-attempt-3/megatron',
    load: '/d/ck-attempt-3/megatron',
    'agent-record-dir': '/d/records-attempt-3'
  })
})

it('finds the root by the export template, and does not pile up the names of later branches', () => {
  expect(
    moved(
      [
        ['training.options.save-hf', '/d/ck-attempt-2/hf/{rollout_id}'],
        ['training.options.save', '/d/ck-attempt-2/megatron']
      ],
      undefined,
      4
    )
  ).toEqual({
    'save-hf': '/d/ck-attempt-4/hf/{rollout_id}',
    save: '/d/ck-attempt-4/megatron'
  })
})

it('stays inside a mount, and lets the folder of a practice run move', () => {
  const mounts = [{ host: '/h', container: '/var/lib/reef', readOnly: false }]
  expect(
    moved([['storage.agent-record-dir', '/var/lib/reef']], { practice: false, mounts })
  ).toEqual({ 'agent-record-dir': '/var/lib/reef/attempt-3' })
  expect(
    moved([['storage.agent-record-dir', 'work/records']], { practice: true, mounts: [] })
  ).toEqual({ 'agent-record-dir': '../stack-3/work/records' })
})
