/**
 * An engine in a process of its own, for tests that kill it.
 *
 *   node engine-host.cjs HOME RESOURCES [launch RECIPE]
 *
 * Prints one JSON line `{"ready":true,"run"?}` and then watches until it is killed or its input ends.
 */
import Docker from 'dockerode'
import { LaunchRequest } from '../../src-main/contract/launch'
import { RunService } from '../../src-main/engine/stacks'
import { createProcessTarget, openTarget, type Target } from '../../src-main/engine/targets'
import { containerOptions } from '../../src-main/engine/targets/docker/container-options'
import { TargetCache } from './target-cache'

/** With a socket in the environment, every target is the Docker engine behind it. */
function targetOf(
  id: string,
  installation: string,
  resources: string,
  home: string
): Promise<Target> | null {
  const path = process.env['TEST_DOCKER_SOCKET']
  if (path === undefined) return null
  const target = openTarget(
    { kind: 'docker', id, name: 'Docker', via: { kind: 'socket', path } },
    { installation, resources, home }
  )
  return process.env['TEST_DIE'] === undefined ? target : target.then(dying(path, installation))
}

/** Dies where a stack is to be started: before anything is made, or when its container is made and does not run yet. */
function dying(socketPath: string, installation: string): (target: Target) => Target {
  return (target) => {
    target.start = async (spec) => {
      if (process.env['TEST_DIE'] === 'made')
        await new Docker({ socketPath }).createContainer(containerOptions(spec, installation))
      process.kill(process.pid, 'SIGKILL')
      return new Promise(() => undefined)
    }
    return target
  }
}

/** What a launch says beside the recipe: the target, where that is no process, and what the environment has as JSON. */
function launchMore(): object {
  const told = process.env['TEST_LAUNCH']
  const target = process.env['TEST_DOCKER_SOCKET'] === undefined ? {} : { target: 'docker' }
  return { ...target, ...(told === undefined ? {} : (JSON.parse(told) as object)) }
}

async function main(): Promise<void> {
  const [home = '', resources = '', act, recipe = ''] = process.argv.slice(2)
  const targets = new TargetCache(
    (id, installation) =>
      targetOf(id, installation, resources, home) ??
      Promise.resolve(
        createProcessTarget({
          spec: { kind: 'process', id, name: 'This machine', python: null },
          installation,
          resources,
          home
        })
      )
  )
  const service = await RunService.open({
    home,
    resources,
    appVersion: '0.0.0-test',
    watch: 'all',
    secret: () => Promise.resolve(null),
    target: targets.get
  })
  const started =
    act === 'launch'
      ? await service.start(LaunchRequest.parse({ recipe, ...launchMore() }))
      : { run: null }
  process.stdout.write(`${JSON.stringify({ ready: true, run: started.run })}\n`)
  process.stdin.resume()
  process.stdin.on('end', () => {
    void service
      .dispose()
      .then(() => targets.dispose())
      .then(() => {
        process.exit(0)
      })
  })
}

main().catch((cause: unknown) => {
  console.error(cause)
  process.exit(1)
})
