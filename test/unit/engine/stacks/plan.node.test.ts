import { describe, expect, it } from 'vitest'
import { LaunchRequest } from '../../../../src-main/contract/launch'
import { outOfMounts, throughMounts } from '../../../../src-main/engine/stacks/mounts'
import {
  planForAttempt,
  planLaunch,
  type TargetFacts
} from '../../../../src-main/engine/stacks/plan'
import { readRecipeForPlan } from '../../../../src-main/engine/stacks/recipe-for-plan'
import { shellLine } from '../../../../src-main/engine/stacks/shell'
import { onTarget } from '../../../../src-main/engine/stacks/stack-paths'

const reef = `
schema-version: 2
reef: { port: 8900, token: "\${REEF_TOKEN}", run-dir: /var/lib/reef/stack, ready-timeout: 30 }
recipe: { implementation: "recipes.sao.recipe:SAORecipe", config: { batch-size: 128 } }
inference: { model-path: ~/models/Qwen2.5-1.5B, num-gpus: 1 }
training:
  options: { actor-num-gpus-per-node: 1 }
  config: { checkpoint_dir: /var/lib/reef/ckpt }
storage: { agent-record-dir: /var/lib/reef/records }
`
const practice = `
schema-version: 2
reef: { port: 8900 }
recipe: { implementation: "recipes.tttd.recipe:TTTDRecipe", config: { groups-per-step: 2, rollouts-per-group: 4 } }
training: { backend: practice, options: { rollback: api } }
`

const environment = {}
const read = (
  text: string,
  overrides: LaunchRequest['overrides'] = []
): ReturnType<typeof readRecipeForPlan> =>
  readRecipeForPlan(text, { path: '/home/me/Reef/recipes/sao/serve.yaml', overrides, environment })
const request = (more: object = {}): LaunchRequest =>
  LaunchRequest.parse({ recipe: '/home/me/Reef/recipes/sao/serve.yaml', ...more })
const ref = { id: 'local', name: 'This computer', kind: 'docker' } as const
const container: TargetFacts = {
  kind: 'reef-container',
  ref,
  choices: {
    image: 'reef',
    models: '/home/me/models',
    state: '/home/me/reef-run',
    checkout: '/home/me/Reef',
    gpus: null,
    shmBytes: null,
    user: null
  }
}
const here: TargetFacts = {
  kind: 'practice-process',
  ref: { ...ref, kind: 'process' },
  main: '/app/practice-stack/main.mjs',
  insteadOfPort: null
}

describe('the shell line', () => {
  const overrides = [{ path: 'inference.model-path', value: '/root/models/a b' }]
  const cases: [string, string][] = [
    ['Reef in a container', planLaunch(read(reef), request(), container).shell],
    [
      'Reef in a container, with chosen GPUs, an override and a recipe outside the checkout',
      planLaunch(read(reef), request({ recipe: '/srv/recipes/mine.yaml', overrides }), {
        ...container,
        choices: { ...container.choices, gpus: ['0', '2'] }
      }).shell
    ],
    [
      'Reef in a container, as somebody and with another /dev/shm',
      planLaunch(read(reef), request(), {
        ...container,
        choices: { ...container.choices, gpus: [], user: '1000:1000', shmBytes: 1536 * 1024 ** 2 }
      }).shell
    ],
    [
      'Reef as a process',
      planLaunch(read(reef), request(), { kind: 'reef-process', ref, command: '/venv/bin/reef' })
        .shell
    ],
    ['practice', planLaunch(read(practice), request(), here).shell],
    [
      'practice on another port',
      planLaunch(read(practice), request(), { ...here, insteadOfPort: 8903 }).shell
    ]
  ]
  const wanted = [
    'docker run -d --gpus all --network host --ipc host --shm-size 32g -v /home/me/models:/root/models -v /home/me/reef-run:/var/lib/reef -v /home/me/Reef:/workspace/Reef -e REEF_TOKEN -e RAY_DEDUP_LOGS=0 -e RAY_COLOR_PREFIX=0 -e PYTHONUNBUFFERED=1 -w /workspace/Reef reef reef serve -c /workspace/Reef/recipes/sao/serve.yaml',
    `docker run -d --gpus '"device=0,2"' --network host --ipc host --shm-size 32g -v /home/me/models:/root/models -v /home/me/reef-run:/var/lib/reef -v /home/me/Reef:/workspace/Reef -v /srv/recipes:/workspace/recipe:ro -e REEF_TOKEN -e RAY_DEDUP_LOGS=0 -e RAY_COLOR_PREFIX=0 -e PYTHONUNBUFFERED=1 -e PYTHONPATH=/workspace/Reef -w /workspace/Reef reef reef serve -c /workspace/recipe/mine.yaml '--inference.model-path=/root/models/a b'`,
    'docker run -d --network host --user 1000:1000 --ipc host --shm-size 1536m -v /home/me/models:/root/models -v /home/me/reef-run:/var/lib/reef -v /home/me/Reef:/workspace/Reef -e REEF_TOKEN -e RAY_DEDUP_LOGS=0 -e RAY_COLOR_PREFIX=0 -e PYTHONUNBUFFERED=1 -w /workspace/Reef reef reef serve -c /workspace/Reef/recipes/sao/serve.yaml',
    `cd '<run>/stack' && RAY_DEDUP_LOGS=0 RAY_COLOR_PREFIX=0 PYTHONUNBUFFERED=1 /venv/bin/reef serve -c /home/me/Reef/recipes/sao/serve.yaml`,
    `cd '<run>/stack' && node /app/practice-stack/main.mjs serve -c ../recipe.yaml --reef.run-dir=../logs/attempt-1/services`,
    `cd '<run>/stack' && node /app/practice-stack/main.mjs serve -c ../recipe.yaml --reef.port=8903 --reef.run-dir=../logs/attempt-1/services`
  ]
  for (const [index, [name, line]] of cases.entries()) {
    it(name, () => {
      expect(line).toBe(wanted[index])
    })
  }
})

describe('planLaunch', () => {
  it('names secrets and never holds their values', () => {
    const plan = planLaunch(read(reef), request(), container)
    expect(plan.environment.find(({ name }) => name === 'REEF_TOKEN')).toEqual({
      name: 'REEF_TOKEN',
      value: null
    })
  })

  it('gives every service a deadline beyond the launcher’s own', () => {
    const plan = planLaunch(read(reef), request(), container)
    expect(plan.services.map(({ name, deadline }) => [name, deadline])).toEqual([
      ['slime-driver', 3660],
      ['reef', 90]
    ])
  })

  it('counts a grid as one batch and GPUs by role', () => {
    expect(planLaunch(read(practice), request(), here).batch).toBe(8)
    expect(planLaunch(read(reef), request(), container).gpus).toMatchObject({ count: 2 })
  })

  it('holds one port when the one asked for is taken, whatever was asked', () => {
    const asked = [{ path: 'reef.port', value: '19821' }]
    const plan = planLaunch(read(practice, asked), request({ overrides: asked }), {
      ...here,
      insteadOfPort: 19822
    })
    expect(plan.overrides.filter(({ path }) => path === 'reef.port')).toEqual([
      { path: 'reef.port', value: '19822' }
    ])
    const next = planForAttempt(plan, { run: '/runs/1', attempt: 2, stack: 'stack', overrides: [] })
    expect(next.ports).toContainEqual(expect.objectContaining({ what: 'reef', port: 19822 }))
    expect(next.argv.filter((word) => word.includes('reef.port'))).toHaveLength(1)
  })

  it('says that another port is used, and why', () => {
    const plan = planLaunch(read(practice), request(), { ...here, insteadOfPort: 8903 })
    expect(plan.ports).toEqual([{ port: 8903, what: 'reef' }])
    expect(plan.notes[0]?.en).toContain('8900')
  })

  it('plans a way back only where the stack has one', () => {
    expect(planLaunch(read(practice), request(), here).rollback).toBe('api')
    expect(planLaunch(read(reef), request(), container).rollback).toBe('redeploy')
  })
})

describe('planForAttempt', () => {
  const plan = planLaunch(read(practice), request(), here)

  it('gives each attempt its own log folder and leaves a "$&" in a value alone', () => {
    const next = planForAttempt(plan, {
      run: '/runs/a $& b',
      attempt: 3,
      stack: 'stack-3',
      overrides: [{ path: 'inference.model-path', value: '$&' }]
    })
    expect(next.cwd).toBe('/runs/a $& b/stack-3')
    expect(next.argv.slice(2)).toEqual([
      'serve',
      '-c',
      '../recipe.yaml',
      '--reef.run-dir=../logs/attempt-3/services',
      '--inference.model-path=$&'
    ])
  })

  it('replaces an override by a later one of the same field', () => {
    const one = planForAttempt(plan, {
      run: '/r',
      attempt: 2,
      stack: 'stack',
      overrides: [{ path: 'reef.port', value: '1' }]
    })
    const two = planForAttempt(one, {
      run: '/r',
      attempt: 3,
      stack: 'stack',
      overrides: [{ path: 'reef.port', value: '2' }]
    })
    expect(two.argv.filter((word) => word.startsWith('--reef.port'))).toEqual(['--reef.port=2'])
  })
})

describe('paths', () => {
  const mounts = [{ host: '/home/me/reef-run', container: '/var/lib/reef', readOnly: false }]

  it('go through the mounts both ways', () => {
    expect(throughMounts('/home/me/reef-run/ckpt', mounts)).toBe('/var/lib/reef/ckpt')
    expect(throughMounts('/home/me/reef-runner', mounts)).toBeNull()
    expect(outOfMounts('/var/lib/reef/ckpt/hf/3', mounts)).toBe('/home/me/reef-run/ckpt/hf/3')
  })

  it('count from the folder the stack is started in, in a container with its own home', () => {
    const plan = { image: 'reef', mounts }
    expect(onTarget('../reef/x', '/var/lib/work', plan)).toBe('/home/me/reef-run/x')
    expect(onTarget('~/x', '/workspace', plan)).toBe('/root/x')
    expect(onTarget('work/x', '/runs/a/stack', { image: null, mounts: [] })).toBe(
      '/runs/a/stack/work/x'
    )
  })
})

describe('shellLine', () => {
  it('quotes what a shell would read otherwise', () => {
    expect(shellLine(['a', "it's", '$HOME', ''])).toBe(`a 'it'\\''s' '$HOME' ''`)
  })
})
