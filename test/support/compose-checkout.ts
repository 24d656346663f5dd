import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LaunchRequest } from '../../src-main/contract/launch'
import { openTarget } from '../../src-main/engine/targets'
import type { DockerRuns } from './docker-runs'

/** In the shape of the file that comes with Reef. `network`: the lines that say how the service is reached. */
const compose = (image: string, network: string): string => `
services:
  reef:
    image: ${image}
    container_name: reef-of-the-file
    entrypoint: ["node", "/workspace/Reef/stand-in.mjs"]
    command: reef serve -c /workspace/Reef/\${REEF_CONFIG}
    restart: always
    ${network}
    shm_size: 64mb
    volumes:
      - \${MODEL_DIR}:/root/models
      - \${RUN_DIR}:/var/lib/reef
      - \${REEF_ROOT}:/workspace/Reef
    environment:
      FROM_FILE: \${REEF_CONFIG}
`

/** Stands in for `reef`: the practice stack takes the same words, and a recipe that says so. */
const standIn = `
import { readFileSync, writeFileSync } from 'node:fs'
const [, , , serve, flag, config, ...flags] = process.argv
writeFileSync('/var/lib/reef/env.json', JSON.stringify(process.env))
const text = readFileSync(config, 'utf8').replace('backend: slime', 'backend: practice')
writeFileSync('/var/lib/reef/practice.yaml', text)
process.argv = [process.argv[0], '/opt/practice/main.mjs', serve, flag, '/var/lib/reef/practice.yaml', ...flags]
await import('/opt/practice/main.mjs')
`

/**
 * A checkout with a compose file, a recipe for it, and what a launch says of them. `published`: the container has a
 * network of its own and a published port, else it is on the host's.
 */
export async function composeCheckout(
  { yard, engine }: DockerRuns,
  network: 'host' | 'published' = 'host'
): Promise<{ request: LaunchRequest; image: string }> {
  const target = await openTarget(
    { kind: 'docker', id: 'd', name: 'D', via: { kind: 'socket', path: engine.socket } },
    { installation: 'image', resources: yard.resources, home: yard.home }
  )
  const signal = new AbortController().signal
  const made = await target.images?.buildPractice({ log: () => undefined, signal })
  await target.dispose()
  const image = made?.reference ?? ''
  const folder = join(yard.root, 'Reef')
  const [models, state] = [join(yard.root, 'models'), join(yard.root, 'state')]
  for (const one of [folder, models, state]) await mkdir(one)
  const recipe = (await readFile(yard.recipe, 'utf8')).replace(
    /^ {2}backend: practice$/m,
    '  backend: slime'
  )
  const port = /^ *port: (\d+)$/m.exec(recipe)?.[1] ?? ''
  // A port that is exposed and not published has no binding.
  const published = `ports: ["127.0.0.1:${port}:${port}"]\n    expose: ["1"]`
  const way = network === 'host' ? 'network_mode: host' : published
  await writeFile(join(folder, 'docker-compose.yaml'), compose(image, way))
  await writeFile(join(folder, 'stand-in.mjs'), standIn)
  await writeFile(
    join(folder, 'serve.yaml'),
    // Listening on the container's own loopback would be out of reach of a published port.
    network === 'host' ? recipe : recipe.replace(/^( *)host: .*$/m, '$1host: 0.0.0.0')
  )
  const request = LaunchRequest.parse({
    recipe: join(folder, 'serve.yaml'),
    target: 'docker',
    container: { compose: folder, checkout: folder, models, state }
  })
  return { request, image }
}
