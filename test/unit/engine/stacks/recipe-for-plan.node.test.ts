import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FailureError } from '../../../../src-main/engine/lib'
import { readRecipeForPlan } from '../../../../src-main/engine/stacks/recipe-for-plan'
import { nexrlBase, saoRecipe, unversionedRecipe } from '../recipes/recipe-texts'

type Options = Partial<Parameters<typeof readRecipeForPlan>[1]>
const read = (text: string, more: Options = {}): ReturnType<typeof readRecipeForPlan> =>
  readRecipeForPlan(text, {
    path: '/srv/recipes/mine.yaml',
    overrides: [],
    environment: {},
    ...more
  })

describe('what a launch reads of a recipe', () => {
  it('follows references to other fields', () => {
    const text = saoRecipe()
      .replace('  run-dir: /srv/run/stack', '  run-dir: ${training.config.checkpoint_dir}/../stack')
      .replace('    batch-size: 128 ', '    batch-size: "${training.config.global_batch_size}" ')
    expect(read(text)).toMatchObject({ runDir: '/srv/run/checkpoints/../stack', batch: 128 })
  })

  it('reads an unversioned stack in its own terms, with its own defaults', () => {
    const text = unversionedRecipe()
      .replace('run_dir: /srv/run/stack\n', '')
      .replace('  host: 127.0.0.1 # this machine only\n', '')
    expect(read(text)).toMatchObject({
      dialect: 'reef-unversioned',
      family: 'openclawrl',
      model: '/models/Qwen3-4B-Thinking-2507',
      host: '0.0.0.0',
      port: 28900,
      runDir: '/tmp/reef-stack',
      checkpointDir: '/srv/run/checkpoints',
      recordDir: '/srv/run/agent-record',
      batch: 16,
      trains: true,
      readyTimeout: { driver: 3600, http: 3600 },
      token: { kind: 'environment', name: 'REEF_TOKEN' }
    })
  })

  it('names a state folder as the file itself does, so that an override reaches it', () => {
    const named = (text: string): string | undefined =>
      read(text).storage.find(({ value }) => value === '/srv/run/artifacts.git')?.path
    expect(named(unversionedRecipe())).toBe('reef.artifact_repository')
    expect(named(saoRecipe())).toBe('storage.artifact-repository')
  })

  it('composes a NexRL recipe with the files beside it', () => {
    const { text, siblings } = nexrlBase()
    expect(read(text, { siblings, environment: { DATA: '/data' } })).toMatchObject({
      dialect: 'nexrl',
      family: 'remote_api_grpo',
      model: 'Qwen/Qwen3-8B',
      batch: 256,
      trains: false,
      rollback: 'none',
      environment: ['DATA', 'WEAVER_API_KEY']
    })
  })

  it.each([
    ['a variable, set or not', '${REEF_TOKEN}', { kind: 'environment', name: 'REEF_TOKEN' }],
    ['a required variable', '${REEF_TOKEN:?}', { kind: 'environment', name: 'REEF_TOKEN' }],
    [
      'a field that is a variable',
      '${training.config.key}',
      { kind: 'environment', name: 'MY_KEY' }
    ],
    ['text', 'abc', { kind: 'literal', value: 'abc' }],
    ['nothing', '""', { kind: 'none' }]
  ])('knows where the token comes from: %s', (_, written, token) => {
    const text = saoRecipe()
      .replace('token: ${REEF_TOKEN}', `token: ${written}`)
      .replace('    global_batch_size', '    key: ${MY_KEY}\n    global_batch_size')
    expect(read(text).token).toEqual(token)
    expect(read(text, { environment: { MY_KEY: 'a', REEF_TOKEN: 'b' } }).token).toEqual(token)
  })

  it('an override wins, in either spelling', () => {
    const overrides = [
      { path: 'reef.port', value: '8901' },
      { path: 'reef.run_dir', value: '/srv/other' }
    ]
    expect(read(saoRecipe(), { overrides })).toMatchObject({ port: 8901, runDir: '/srv/other' })
  })

  it.each(['', '- a\n', 'reef: [', `reef: ${'['.repeat(20_000)}`, 'reef: &a {x: *a}\n'])(
    'refuses what is no readable recipe: %.20s',
    (text) => {
      expect(() => read(text)).toThrow(FailureError)
    }
  )

  it('either reads or refuses, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), fc.nat(3_000), (junk, at) => {
        const text = saoRecipe()
        try {
          read(text.slice(0, at) + junk + text.slice(at))
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(FailureError)
        }
      }),
      { numRuns: 60 }
    )
  })
})
