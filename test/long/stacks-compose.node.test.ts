import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { LaunchRequest } from '../../src-main/contract/launch'
import { openTarget } from '../../src-main/engine/targets'
import { describeWithCompose } from '../support/docker-engine'
import { dockerRuns, type DockerRuns, withHost } from '../support/docker-runs'
import { comparePractice, killHost, startHost } from '../support/kill-engine'
import { until } from '../support/run-service'

const compose = (image: string): string => `
services:
  reef:
    image: ${image}
    container_name: reef-of-the-file
    entrypoint: ["node", "/workspace/Reef/stand-in.mjs"]
    command: reef serve -c /workspace/Reef/\${REEF_CONFIG}
    restart: always
    network_mode: host
    shm_size: 64mb
    volumes:
      - \${MODEL_DIR}:/root/models
      - \${RUN_DIR}:/var/lib/reef
      - \${REEF_ROOT}:/workspace/Reef
    environment:
      FROM_FILE: \${REEF_CONFIG}
`

/** Stands in for \`reef\`: the practice stack takes the same words, and a recipe that says so. */
const standIn = `
import { readFileSync, writeFileSync } from 'node:fs'
const [, , , serve, flag, config, ...flags] = process.argv
writeFileSync('/var/lib/reef/env.json', JSON.stringify(process.env))
const text = readFileSync(config, 'utf8').replace('backend: slime', 'backend: practice')
writeFileSync('/var/lib/reef/practice.yaml', text)
process.argv = [process.argv[0], '/opt/practice/main.mjs', serve, flag, '/var/lib/reef/practice.yaml', ...flags]
await import('/opt/practice/main.mjs')
`

/** A checkout with a compose file, a recipe for it, and what a launch says of them. */
async function checkout({ yard, engine }: DockerRuns): Promise<LaunchRequest> {
  const target = await openTarget(
    { kind: 'docker', id: 'd', name: 'D', via: { kind: 'socket', path: engine.socket } },
    { installation: 'image', resources: yard.resources, home: yard.home }
  )
  const signal = new AbortController().signal
  const made = await target.images?.buildPractice({ log: () => undefined, signal })
  await target.dispose()
  const folder = join(yard.root, 'Reef')
  const [models, state] = [join(yard.root, 'models'), join(yard.root, 'state')]
  for (const one of [folder, models, state]) await mkdir(one)
  await writeFile(join(folder, 'docker-compose.yaml'), compose(made?.reference ?? ''))
  await writeFile(join(folder, 'stand-in.mjs'), standIn)
  const recipe = await readFile(yard.recipe, 'utf8')
  await writeFile(
    join(folder, 'serve.yaml'),
    recipe.replace(/^ {2}backend: practice$/m, '  backend: slime')
  )
  return LaunchRequest.parse({
    recipe: join(folder, 'serve.yaml'),
    target: 'docker',
    container: { compose: folder, checkout: folder, models, state }
  })
}

describeWithCompose('a stack started by the checkout’s own compose file', () => {
  const runs = dockerRuns()

  it('is launched, followed, found again by the next engine, and stopped; nothing is left', async () => {
    const asked = await checkout(runs)
    let run: string | null = null
    process.env['TEST_LAUNCH'] = JSON.stringify(asked)
    try {
      await withHost(runs, async (host) => {
        const watcher = startHost(host, { ...runs.yard, recipe: asked.recipe }, true)
        run = await watcher.ready
        await killHost(watcher)
      })
    } finally {
      delete process.env['TEST_LAUNCH']
    }
    if (run === null) throw new Error('nothing was launched')
    const service = await runs.open()
    await service.reconcile()
    const { summary } = await until(service, run, ({ summary: { step } }) => step >= 6, 90_000)
    expect(summary.attempt).toBe(1)
    const [id = '', ...others] = await runs.containers()
    expect(others).toEqual([])
    const facts = await runs.engine.docker.getContainer(id).inspect()
    expect(facts.Name).toMatch(/^\/slipway-/)
    expect(facts.HostConfig.RestartPolicy?.Name).toMatch(/^(no)?$/)
    expect(facts.HostConfig.ShmSize).toBe(64 * 1024 ** 2)
    const environment = JSON.parse(
      await readFile(join(runs.yard.root, 'state', 'env.json'), 'utf8')
    ) as object
    expect(environment).toMatchObject({ FROM_FILE: 'serve.yaml', PYTHONUNBUFFERED: '1' })
    await service.stop({ run, force: false })
    await until(service, run, (detail) => detail.summary.state.kind === 'stopped', 60_000)
    await comparePractice(service, run)
    expect(await runs.containers()).toEqual([])
  }, 180_000)
})
