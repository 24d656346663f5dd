import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { LaunchRequest } from '../../../../src-main/contract/launch'
import type { ComposeFacts } from '../../../../src-main/engine/stacks/compose-facts'
import { readCompose } from '../../../../src-main/engine/stacks/compose-file'
import { planForAttempt, planLaunch } from '../../../../src-main/engine/stacks/plan'
import { readRecipeForPlan } from '../../../../src-main/engine/stacks/recipe-for-plan'
import type { StartSpec } from '../../../../src-main/engine/targets'
import {
  composeArgv,
  composeOverrideText,
  projectOf
} from '../../../../src-main/engine/targets/docker/compose-start'
import { isCompose } from '../../../../src-main/engine/targets/docker/compose-tool'

/** In the shape of the file that comes with Reef's OpenClaw example. */
const text = `
services:
  reef:
    image: \${REEF_IMAGE:-reef}
    container_name: reef-openclawrl
    command: reef serve -c /workspace/Reef/\${REEF_CONFIG}
    network_mode: host
    ipc: host
    shm_size: 32gb
    deploy:
      resources: { reservations: { devices: [{ driver: nvidia, count: all, capabilities: [gpu] }] } }
    volumes:
      - \${MODEL_DIR}:/root/models
      - \${RUN_DIR:?say where}:/var/lib/reef
      - \${REEF_ROOT}:/workspace/Reef
      - named:/cache
    environment:
      REEF_TOKEN: \${REEF_TOKEN:-}
      PYTHONPATH: /workspace/Reef
      WANDB_API_KEY:
`
const file = '/home/me/Reef/docker-compose.yaml'
const places = {
  MODEL_DIR: '/srv/models',
  RUN_DIR: '/srv/state',
  REEF_ROOT: '/home/me/Reef',
  REEF_CONFIG: 'recipes/sao/serve.yaml'
}
const read = (changed = text, service?: string): ReturnType<typeof readCompose> =>
  readCompose(changed, file, { places, values: {}, service })
const what = (act: () => unknown): string => {
  try {
    act()
  } catch (thrown) {
    return JSON.stringify(thrown instanceof Error && 'failure' in thrown ? thrown.failure : thrown)
  }
  throw new Error('not refused')
}

describe('a compose file', () => {
  it('is read for the one service that is the stack, with its variables filled in', () => {
    expect(read()).toEqual({
      name: 'reef',
      version: null,
      image: 'reef',
      mounts: [
        { host: '/srv/models', container: '/root/models', readOnly: false },
        { host: '/srv/state', container: '/var/lib/reef', readOnly: false },
        { host: '/home/me/Reef', container: '/workspace/Reef', readOnly: false }
      ],
      network: 'host',
      shmBytes: 32 * 1024 ** 3,
      gpus: null,
      user: null,
      given: ['REEF_TOKEN', 'PYTHONPATH'],
      variables: ['REEF_IMAGE', 'REEF_TOKEN']
    })
  })

  it('fills in each form of a variable, and relative and read-only mounts', () => {
    const one = (image: string, volume: string): ReturnType<typeof readCompose> =>
      readCompose(`services: { a: { image: "${image}", volumes: ["${volume}"] } }`, file, {
        places: {},
        values: { FULL: 'f', EMPTY: '' }
      })
    expect(
      one('$FULL-$$x-${EMPTY:-e}-${EMPTY-no}-${GONE-g}-${FULL:+yes}', './d:/d:ro,z')
    ).toMatchObject({
      image: 'f-$x-e--g-yes',
      mounts: [{ host: '/home/me/Reef/d', container: '/d', readOnly: true }],
      gpus: [],
      network: 'published'
    })
  })

  it.each([
    ['no YAML', 'services: [', /no YAML/],
    ['nothing in it', 'version: "3"', /names no services/],
    ['a variable without a value', text.replace('RUN_DIR', 'OTHER_DIR'), /OTHER_DIR/],
    ['no image', text.replace(/^ {4}image.*$/m, ''), /names no image/],
    ['another service needed', text.replace('    ipc: host', '    depends_on: [db]'), /depends_on/],
    ['a network of another', text.replace('_mode: host', '_mode: service:db'), /service:db/]
  ])('is refused with its reason: %s', (_, changed, reason) => {
    expect(what(() => read(changed))).toMatch(reason)
  })

  it('with several services needs to be told which, unless one is called reef', () => {
    const two = 'services: { a: { image: x }, b: { image: y } }'
    expect(what(() => read(two))).toMatch(/it has: a, b/)
    expect(read(two, 'b').image).toBe('y')
    expect(read(two.replace('b:', 'reef:')).image).toBe('y')
  })
})

const recipe = `
schema-version: 2
reef: { port: 8900, token: "\${REEF_TOKEN}", run-dir: /var/lib/reef/stack }
recipe: { implementation: "recipes.sao.recipe:SAORecipe", config: { batch-size: 128 } }
inference: { model-path: ~/models/Qwen, num-gpus: 1 }
training: { config: { checkpoint_dir: /var/lib/reef/ckpt } }
storage: { agent-record-dir: /var/lib/reef/records }
`

function planned(path: string) {
  const compose: ComposeFacts = { tool: ['docker-compose'], file, places, service: read() }
  const overrides = [{ path: 'inference.num-gpus', value: '2' }]
  const request = LaunchRequest.parse({ recipe: path, overrides })
  const { MODEL_DIR: models, RUN_DIR: state, REEF_ROOT: checkout } = places
  return planLaunch(readRecipeForPlan(recipe, { path, overrides, environment: {} }), request, {
    kind: 'reef-container',
    compose,
    ref: { id: 'd', name: 'Docker', kind: 'docker' },
    choices: {
      image: 'reef',
      models,
      state,
      checkout,
      gpus: null,
      shmBytes: null,
      user: '1000:1000'
    }
  })
}

describe('a plan with a compose file', () => {
  const path = '/home/me/Reef/recipes/sao/serve.yaml'

  it('is the same by hand, and the second file is that of the attempt', () => {
    const next = planForAttempt(planned(path), {
      run: '/runs/r',
      attempt: 2,
      stack: 'stack',
      overrides: []
    })
    expect(next.shell).toBe(
      'MODEL_DIR=/srv/models RUN_DIR=/srv/state REEF_ROOT=/home/me/Reef REEF_CONFIG=recipes/sao/serve.yaml ' +
        'docker-compose -f /home/me/Reef/docker-compose.yaml -f /runs/r/logs/attempt-2/compose.json ' +
        'up -d --no-build --no-deps reef'
    )
    expect(next.argv).toEqual([
      ...['reef', 'serve', '-c', '/workspace/Reef/recipes/sao/serve.yaml'],
      '--inference.num-gpus=2'
    ])
    expect(next.environment).toContainEqual({ name: 'REEF_TOKEN', value: null })
    expect(next.compose?.handed).toEqual([
      ...['RAY_DEDUP_LOGS', 'RAY_COLOR_PREFIX', 'PYTHONUNBUFFERED']
    ])
  })

  it('mounts a recipe that lies elsewhere', () => {
    const plan = planned('/elsewhere/mine.yaml')
    expect(plan.argv[3]).toBe('/workspace/recipe/mine.yaml')
    expect(plan.compose?.added).toEqual([
      { host: '/elsewhere', container: '/workspace/recipe', readOnly: true }
    ])
  })

  it('has no value of a secret in its second file, and no variable that compose would fill in', () => {
    const { compose, argv, cwd, mounts } = planned(path)
    if (compose === undefined) throw new Error('no compose')
    const container: NonNullable<StartSpec['container']> = {
      image: 'reef',
      mounts,
      gpus: 'all',
      hostNetwork: true,
      ports: [],
      ipcHost: true,
      shmBytes: 1024,
      user: '1000:1000'
    }
    const spec = {
      runId: 'R un',
      attempt: 1,
      argv: [...argv, '--x=$HOME'],
      cwd,
      attemptFolder: '/a',
      environment: { REEF_TOKEN: 'very-secret', PYTHONUNBUFFERED: '1' },
      secretNames: ['REEF_TOKEN']
    }
    const handed = { ...compose, handed: ['REEF_TOKEN', 'PYTHONUNBUFFERED', 'NOT_THERE'] }
    const text = composeOverrideText(spec, container, handed, 'inst')
    expect(text).not.toContain('very-secret')
    expect(JSON.parse(text)).toEqual({
      services: {
        reef: {
          container_name: 'slipway-R-un-1',
          command: [...argv, '--x=$$HOME'],
          working_dir: '/workspace/Reef',
          restart: 'no',
          labels: {
            'slipway.installation': 'inst',
            'slipway.run': 'R un',
            'slipway.attempt': '1'
          },
          environment: { REEF_TOKEN: null, PYTHONUNBUFFERED: '1' },
          user: '1000:1000',
          shm_size: 1024
        }
      }
    })
  })
})

describe('the compose command', () => {
  it('is told the engine where each of the two looks for it', () => {
    const { compose } = planned('/home/me/Reef/r.yaml')
    if (compose === undefined) throw new Error('no compose')
    const socket = { kind: 'socket', path: '/s' } as const
    const plugin = { ...compose, tool: ['docker', 'compose'] }
    expect(composeArgv(plugin, socket, 'p').slice(0, 6)).toEqual([
      ...['docker', '--host', 'unix:///s', 'compose', '-p', 'p']
    ])
    expect(composeArgv(compose, socket, 'p').slice(0, 4)).toEqual([
      ...['docker-compose', '--host', 'unix:///s', '-p']
    ])
    expect(projectOf('slipway-2026.A-1')).toBe('slipway-2026-a-1')
  })

  it.each([
    [
      'the plugin',
      { kind: 'done', code: 0, stdout: 'Docker Compose version v2.29.1', stderr: '' },
      true
    ],
    [
      'the older one',
      { kind: 'done', code: 0, stdout: 'docker-compose version 1.29.2', stderr: '' },
      true
    ],
    [
      'a docker without it',
      { kind: 'done', code: 1, stdout: '', stderr: "'compose' is not a docker command" },
      false
    ],
    ['no docker', { kind: 'missing' }, false]
  ] as const)('is known by its answer: %s', (_, answer, yes) => {
    expect(isCompose(answer)).toBe(yes)
  })
})

it('takes a folder for the file in it', async () => {
  const { composeFacts } = await import('../../../../src-main/engine/stacks/compose-facts')
  const folder = await mkdtemp(join(tmpdir(), 'slipway-compose-'))
  try {
    const container = { compose: folder }
    const request = LaunchRequest.parse({ recipe: join(folder, 'serve.yaml'), container })
    const choices = { models: '/m', state: '/s', checkout: folder }
    await expect(composeFacts(request, choices, {})).rejects.toMatchObject({
      failure: { code: 'compose-file-missing' }
    })
    await writeFile(join(folder, '.env'), 'REEF_IMAGE=from-beside\n')
    await writeFile(join(folder, 'docker-compose.yml'), text)
    const facts = await composeFacts(request, choices, {}).catch((thrown: unknown) => thrown)
    // Where there is no compose at all, that is what it says.
    expect(facts).toMatchObject(
      facts instanceof Error
        ? { failure: { code: 'compose-tool-missing' } }
        : { file: join(folder, 'docker-compose.yml'), service: { image: 'from-beside' } }
    )
  } finally {
    await rm(folder, { recursive: true })
  }
})
