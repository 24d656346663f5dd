import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LaunchRequest } from '../../../../src-main/contract/launch'
import { readNexrlRecipe, type NexrlRecipeFacts } from '../../../../src-main/engine/nexrl'
import {
  type NexrlPlace,
  nexrlAttempt,
  planNexrl,
  planNexrlOn
} from '../../../../src-main/engine/stacks/nexrl-plan'
import { createProcessTarget } from '../../../../src-main/engine/targets'
import { makeNexrlYard, type NexrlYard } from '../../../support/nexrl-yard'

let yard: NexrlYard
let recipe: NexrlRecipeFacts

async function read(path: string): Promise<NexrlRecipeFacts> {
  const text = readFileSync(path, 'utf8')
  const facts = await readNexrlRecipe({ path, text, overrides: [], environment: {} })
  if (facts === null) throw new Error(`${path} is not a NexRL recipe`)
  return facts
}

const place = (more: Partial<NexrlPlace> = {}): NexrlPlace => ({
  ref: { id: 'local', name: 'This machine', kind: 'process' },
  python: '/env/bin/python',
  image: null,
  checkout: '/src/NexRL',
  launcher: { nexrl: null, cliRun: true, scriptsRun: false },
  follower: '/app/nexrl-launcher/main.mjs',
  environment: { NEXRL_DATA_PATH: '/data', WEAVER_API_KEY: 'sk-never-in-a-plan', WANDB_HOST: 'w' },
  ...more
})

const asked = (more: object = {}): LaunchRequest =>
  LaunchRequest.parse({ recipe: '/src/NexRL/recipe/yard/weaver.yaml', ...more })

beforeAll(async () => {
  yard = makeNexrlYard()
  recipe = await read(yard.recipe)
})

afterAll(() => yard.remove())

describe('the launcher that is there', () => {
  const shellOf = async (python: string | null, path: string): Promise<string> => {
    const target = createProcessTarget({
      spec: { kind: 'process', id: 'local', name: 'This machine', python },
      installation: 'i',
      resources: yard.resources,
      home: yard.home
    })
    const request = LaunchRequest.parse({ recipe: yard.recipe, nexrl: { way: 'kubernetes' } })
    const text = readFileSync(yard.recipe, 'utf8')
    const environment = { PATH: path }
    const planned = await planNexrlOn(target, request, {
      text,
      environment,
      resources: yard.resources
    })
    return planned?.plan.shell ?? ''
  }

  it('is the console script of the PATH where no Python is named, else a file of the checkout', async () => {
    const bin = join(yard.root, 'on-path')
    mkdirSync(bin)
    expect(await shellOf(null, bin)).toContain('python3 cli/run.py -m training-service')
    writeFileSync(join(bin, 'nexrl'), '#!/bin/sh\n')
    expect(await shellOf(null, `/nowhere:${bin}`)).toContain(`${bin}/nexrl -m training-service`)
    // A Python that was named has its own scripts; one of the PATH belongs to another.
    expect(await shellOf(yard.python, bin)).toContain(`${yard.python}/bin/python cli/run.py`)
  })
})

describe('the driver started directly', () => {
  it('is one call of python with the recipe by folder and name, secrets by name only', () => {
    const plan = planNexrl(recipe, asked(), place())
    expect(plan.argv).toEqual([
      '/env/bin/python',
      '-m',
      'nexrl.main',
      '--config-path=/src/NexRL/recipe/yard',
      '--config-name=weaver'
    ])
    expect(plan.environment).toEqual([
      { name: 'WEAVER_API_KEY', value: null },
      { name: 'NEXRL_DATA_PATH', value: '/data' },
      { name: 'TRAIN_CONFIG', value: '/src/NexRL/recipe/yard/weaver.yaml' },
      { name: 'EXPERIMENT_PATH', value: '<run>/experiment-1' },
      { name: 'NEXRL_PATH', value: '/src/NexRL' },
      { name: 'PYTHONPATH', value: '/src/NexRL' },
      { name: 'PYTHONUNBUFFERED', value: '1' }
    ])
    expect(JSON.stringify(plan)).not.toContain('sk-never')
    expect(plan.nexrl).toMatchObject({
      way: 'driver',
      mode: 'training-service',
      service: 'weaver',
      totalSteps: 3,
      prompts: 2,
      repeats: 4,
      workers: 4,
      heartbeat: 1
    })
    expect(plan.batch).toBe(8)
    expect(plan.gpus.count).toBe(0)
  })

  it('adds a field the recipe has not, and quotes what Hydra would read otherwise', () => {
    const overrides = [
      { path: 'trainer.total_train_steps', value: '5' },
      { path: 'trainer.extra', value: 'a b' }
    ]
    const plan = planNexrl(recipe, asked({ overrides }), place())
    expect(plan.argv.slice(-2)).toEqual(['trainer.total_train_steps=5', "++trainer.extra='a b'"])
    const next = nexrlAttempt(plan, { run: '/runs/r1', attempt: 2, overrides: [] })
    expect(next.argv).toEqual(plan.argv)
    expect(next.cwd).toBe('/runs/r1/experiment-2')
    expect(next.environment).toContainEqual({
      name: 'EXPERIMENT_PATH',
      value: '/runs/r1/experiment-2'
    })
  })

  it('in a container sees recipe and data at the same paths as outside', () => {
    const ref = { id: 'docker', name: 'Docker', kind: 'docker' } as const
    const plan = planNexrl(
      recipe,
      asked(),
      place({ ref, image: 'nexagi/nexrl:v1.4.0', python: 'python' })
    )
    expect(plan.mounts).toEqual([
      { host: '<run>', container: '/run/slipway', readOnly: false },
      { host: '/src/NexRL', container: '/src/NexRL', readOnly: true },
      { host: '/data', container: '/data', readOnly: true }
    ])
    expect(plan.shell).toMatch(
      /^docker run -d --network host -v .* -w \/run\/slipway\/experiment-1 /
    )
  })
})

describe('the launcher of a cluster', () => {
  const launch = (nexrl: object, launcher: NexrlPlace['launcher']): string =>
    planNexrl(recipe, asked({ nexrl: { way: 'kubernetes', ...nexrl } }), place({ launcher })).shell
  const file = '/src/NexRL/recipe/yard/weaver.yaml'

  it.each([
    [{ nexrl: '/env/bin/nexrl', cliRun: true, scriptsRun: true }, '/env/bin/nexrl'],
    [{ nexrl: null, cliRun: true, scriptsRun: true }, '/env/bin/python cli/run.py'],
    [{ nexrl: null, cliRun: false, scriptsRun: true }, '/env/bin/python scripts/run.py']
  ])('%o is called %s', (found, command) => {
    expect(launch({ tag: 't1' }, found)).toContain(
      `${command} -m training-service -c ${file} --run-nexrl --tag t1`
    )
  })

  it('says when the mode is not the one the recipe’s services ask for', async () => {
    const said = (facts: NexrlRecipeFacts, mode: string): string[] =>
      planNexrl(facts, asked({ nexrl: { way: 'kubernetes', mode } }), place()).notes.map(
        ({ en }) => en
      )
    const own = await read(yard.selfHosted)
    expect(said(recipe, 'self-hosted').join()).toContain('trains in a training service')
    expect(said(own, 'training-service').join()).toContain('will find no services')
    expect(said(own, 'self-hosted').join()).not.toContain('this mode')
    expect(said(recipe, 'training-service').join()).not.toContain('self-hosted mode')
  })

  it('without --run-nexrl says that nothing will train', () => {
    const request = asked({ nexrl: { way: 'kubernetes', runNexrl: false } })
    const plan = planNexrl(recipe, request, place())
    expect(plan.shell).not.toContain('--run-nexrl')
    expect(plan.notes[0]?.en).toContain('idle pod')
    // The checkout holds the recipe: one folder says it.
    expect(plan.notes[1]?.en).toContain('at the same paths, on storage it shares')
    expect(plan.notes[1]?.en).toContain(': /src/NexRL, /data.')
  })

  it.each([
    ['nexrl-launcher-missing', {}, { nexrl: null, cliRun: false, scriptsRun: false }, {}],
    ['nexrl-inference-url', { inferenceUrl: 'a:1' }, undefined, {}],
    ['nexrl-inference-url', { mode: 'self-hosted', inferenceUrl: 'http://a:1' }, undefined, {}],
    ['nexrl-launcher-overrides', {}, undefined, { overrides: [{ path: 'a.b', value: '1' }] }],
    ['nexrl-launcher-target', {}, undefined, { target: 'gpu-box' }]
  ])('refuses %s', (code, nexrl, launcher, more) => {
    const request = asked({ nexrl: { way: 'kubernetes', ...nexrl }, ...more })
    const where = place(launcher === undefined ? {} : { launcher })
    expect(() => planNexrl(recipe, request, where)).toThrow(
      expect.objectContaining({ failure: expect.objectContaining({ code }) as unknown })
    )
  })
})

/** Our own templates: those with a file of base values beside them, or whole ones. */
const templates = readdirSync('recipes')
  .filter((name) => name.startsWith('nexrl-') && statSync(join('recipes', name)).isDirectory())
  .flatMap((name) => leaves(join('recipes', name)))

describe('shipped templates', () => {
  it.each(templates)('%s', async (file) => {
    const path = resolve(file)
    const plan = planNexrl(await read(path), asked({ recipe: path }), place())
    expect(plan.argv.slice(1, 5)).toEqual([
      '-m',
      'nexrl.main',
      `--config-path=${dirname(path)}`,
      `--config-name=${basename(path, '.yaml')}`
    ])
    expect(plan.batch).toBeGreaterThan(0)
    expect(plan.nexrl).toMatchObject({ service: 'weaver', mode: 'training-service' })
    const names = plan.nexrl?.variables.map(({ name }) => name)
    expect(names).toContain('WEAVER_API_KEY')
    expect(plan.shell).not.toContain('${')
  })
})

/** Recipes of the stack itself, where a folder with them is named. They are not part of this project. */
const folder = join(process.env['SLIPWAY_EXTRA_RECIPES'] ?? '', 'nexrl')
const present = process.env['SLIPWAY_EXTRA_RECIPES'] !== undefined && existsSync(folder)

function leaves(root: string): string[] {
  return readdirSync(root).flatMap((name) => {
    const path = join(root, name)
    if (statSync(path).isDirectory()) return leaves(path)
    return name.endsWith('.yaml') && name !== 'common.yaml' ? [path] : []
  })
}

/** Batch, steps, workers and what must be in the environment, by folder and file. */
const wanted: Readonly<Record<string, object>> = {
  'math/weaver.yaml': { batch: 256, totalSteps: 100, workers: 256, data: true },
  'math/weaver_full_ft.yaml': { batch: 256, totalSteps: 100, workers: 256, data: true },
  'pig_latin/weaver.yaml': { batch: 4, totalSteps: 6, workers: 4, data: true }
}

describe.skipIf(!present)('recipes of the stack itself (SLIPWAY_EXTRA_RECIPES)', () => {
  it.each(present ? leaves(folder) : [])('%s', async (path) => {
    const plan = planNexrl(await read(path), asked({ recipe: path }), place())
    expect(plan.argv).toEqual([
      '/env/bin/python',
      '-m',
      'nexrl.main',
      `--config-path=${dirname(path)}`,
      `--config-name=${basename(path, '.yaml')}`
    ])
    const required = plan.nexrl?.variables.flatMap(({ name, need, from }) =>
      need === 'required' && from === 'person' ? [name] : []
    )
    const known = wanted[`${basename(dirname(path))}/${basename(path)}`]
    if (known !== undefined) {
      expect({
        batch: plan.batch,
        totalSteps: plan.nexrl?.totalSteps,
        workers: plan.nexrl?.workers,
        data: required?.includes('NEXRL_DATA_PATH')
      }).toEqual(known)
    }
    expect(required).toEqual(expect.arrayContaining(['WEAVER_API_KEY', 'WANDB_KEY', 'WANDB_HOST']))
    expect(plan.nexrl).toMatchObject({ service: 'weaver', mode: 'training-service', heartbeat: 10 })
    const kubernetes = asked({ recipe: path, nexrl: { way: 'kubernetes', tag: 't1' } })
    expect(planNexrl(await read(path), kubernetes, place()).shell).toMatch(
      / -m training-service -c \S+ --run-nexrl --tag t1$/
    )
  })
})
