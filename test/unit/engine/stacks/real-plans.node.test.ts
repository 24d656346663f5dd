import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { LaunchRequest } from '../../../../src-main/contract/launch'
import { planLaunch, type TargetFacts } from '../../../../src-main/engine/stacks/plan'
import { readRecipeForPlan } from '../../../../src-main/engine/stacks/recipe-for-plan'

const checkout = '/home/me/Reef'
const target: TargetFacts = {
  kind: 'reef-container',
  ref: { id: 'docker', name: 'Docker', kind: 'docker' },
  choices: {
    image: 'reef',
    models: '/home/me/models',
    state: '/home/me/reef-run',
    checkout,
    gpus: null,
    shmBytes: null,
    user: null
  }
}

function shellOf(text: string, path: string): string {
  const recipe = readRecipeForPlan(text, { path, overrides: [], environment: {} })
  return planLaunch(recipe, LaunchRequest.parse({ recipe: path }), target).shell
}

/** The line `docker/README.md` gives, with the recipe's variables and the three that keep logs whole. */
function wanted(where: string, names: readonly string[], gpus: boolean): string {
  return [
    'docker run -d',
    ...(gpus ? ['--gpus all'] : []),
    '--network host --ipc host --shm-size 32g',
    '-v /home/me/models:/root/models -v /home/me/reef-run:/var/lib/reef',
    '-v /home/me/Reef:/workspace/Reef',
    ...names.map((name) => `-e ${name}`),
    '-e RAY_DEDUP_LOGS=0 -e RAY_COLOR_PREFIX=0 -e PYTHONUNBUFFERED=1',
    `-w /workspace/Reef reef reef serve -c /workspace/Reef/${where}`
  ].join(' ')
}

const token = ['REEF_TOKEN']
const upstream = ['REEF_TOKEN', 'UPSTREAM_URL', 'UPSTREAM_MODEL', 'UPSTREAM_API_KEY']

/** Shipped recipes: the variables their launch hands over, and whether it needs GPUs. */
const shipped: [file: string, names: readonly string[], gpus: boolean][] = [
  ['basic-external.yaml', upstream, false],
  ['basic-local.yaml', token, true],
  ['coral.yaml', token, true],
  ['gepa.yaml', upstream, false],
  ['harness-evolve.yaml', upstream, false],
  ['opd.yaml', token, true],
  ['openclawrl.yaml', token, true],
  ['reefine.yaml', upstream, false],
  ['sao-grpo-control.yaml', token, true],
  ['sao.yaml', token, true],
  ['sdft.yaml', token, true],
  ['sdpo.yaml', token, true],
  ['sft.yaml', token, true],
  ['skillclaw.yaml', upstream, false],
  ['tttd.yaml', token, true]
]

describe('a recipe’s launch as one shell line', () => {
  it.each(shipped)('%s', (file, names, gpus) => {
    const line = shellOf(readFileSync(join('recipes', file), 'utf8'), `${checkout}/recipes/${file}`)
    expect(line).toBe(wanted(`recipes/${file}`, names, gpus))
  })

  it('knows every shipped recipe that a Reef container runs', () => {
    // Practice recipes have a stack of their own; Tinker trains elsewhere; NexRL has folders and a launch of its own.
    const others = /^(practice-|tinker-|nexrl-)/
    const files = readdirSync('recipes').filter((name) => !others.test(name))
    expect(files.sort()).toEqual(shipped.map(([file]) => file))
  })
})

const folder = process.env['SLIPWAY_EXTRA_RECIPES'] ?? ''
const present = folder !== '' && existsSync(folder)

function recipesBelow(root: string): string[] {
  return readdirSync(root).flatMap((name) => {
    const path = join(root, name)
    if (statSync(path).isDirectory()) return recipesBelow(path)
    return /\.ya?ml$/.test(name) &&
      /^(schema-version|recipe|reef):/m.test(readFileSync(path, 'utf8'))
      ? [path]
      : []
  })
}

describe.skipIf(!present)('recipes of the stacks themselves (SLIPWAY_EXTRA_RECIPES)', () => {
  test.each(present ? recipesBelow(folder) : [])('%s', (path) => {
    const text = readFileSync(path, 'utf8')
    const where = relative(folder, path)
    const names = [
      ...new Set([...text.matchAll(/\$\{(\w+)(?::\?)?\}/g)].map(([, name = '']) => name))
    ]
    const line = shellOf(text, `${checkout}/${where}`)
    expect([true, false].map((gpus) => wanted(where, names, gpus))).toContain(line)
  })
})
