import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pack } from 'tar-stream'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { LaunchRequest } from '../../src-main/contract/launch'
import type { RunService } from '../../src-main/engine/stacks'
import { openTarget } from '../../src-main/engine/targets'
import {
  BUSYBOX,
  describeWithDocker,
  makeBusybox,
  startEngine,
  type TestEngine
} from '../support/docker-engine'
import { makeNexrlYard, type NexrlYard, openNexrlService } from '../support/nexrl-yard'
import { ended, endEverything, until } from '../support/run-service'

const IMAGE = 'slipway-test/nexrl:1'

/** In the place of an image's python: says what a short training says, and where it finds its files. */
const python = `#!/bin/sh
say() { echo "[$(date '+%Y-%m-%d %H:%M:%S'),000][$1][INFO] - $2"; }
say nexrl.main 'Starting NexRL in local mode'
echo "called: $*" > "$EXPERIMENT_PATH/call.txt"
test -r "$TRAIN_CONFIG" && test -r "$NEXRL_DATA_PATH/rows.jsonl" || exit 9
say nexrl.controller 'Starting training loop...'
say nexrl.trainer.remote_api_trainer "rollout metrics: {'rollout/reward_mean': 0.5}, trajectories: 8"
say nexrl.trainer.remote_api_trainer 'Training step 0 completed, updated sampling path: weaver://m-9/checkpoints/step_000001'
say nexrl.controller 'Finish check: steps_reached=True -> stopping'
say nexrl.main 'NexRL training process finished'
`

async function makeImage({ docker }: TestEngine): Promise<void> {
  await makeBusybox(docker)
  const context = pack()
  context.entry({ name: 'Dockerfile' }, `FROM ${BUSYBOX}\nCOPY python /bin/python\n`)
  context.entry({ name: 'python', mode: 0o755 }, python)
  context.finalize()
  const stream = await docker.buildImage(context, { t: IMAGE })
  await new Promise<void>((done, failed) => {
    docker.modem.followProgress(stream, (error: Error | null) => {
      if (error === null) done()
      else failed(error)
    })
  })
}

describeWithDocker('a NexRL driver in a container', () => {
  let engine: TestEngine
  let yard: NexrlYard
  let service: RunService

  beforeAll(async () => {
    engine = await startEngine()
    await makeImage(engine)
  }, 120_000)
  afterAll(async () => {
    await engine.dispose()
  })
  beforeEach(async () => {
    yard = makeNexrlYard()
    vi.stubEnv('NEXRL_DATA_PATH', yard.root)
    vi.stubEnv('WEAVER_API_KEY', 'sk-yard-0123456789abcdef')
    service = await openNexrlService(yard, {
      target: (id, installation) =>
        openTarget(
          { kind: 'docker', id, name: 'Docker', via: { kind: 'socket', path: engine.socket } },
          { installation, resources: yard.resources, home: yard.home }
        )
    })
  })
  afterEach(async () => {
    await endEverything([service])
    vi.unstubAllEnvs()
    await yard.remove()
  }, 60_000)

  it('sees recipe and data where they are outside, and is judged by its log', async () => {
    const container = { image: IMAGE }
    const request = { recipe: yard.recipe, target: 'docker', container }
    const { run, folder } = await service.start(LaunchRequest.parse(request))
    const { summary, nexrl } = await until(
      service,
      run,
      (detail) => ended(detail.summary.state),
      60_000
    )
    expect(summary.state).toMatchObject({ kind: 'stopped', exit: { kind: 'code', code: 0 } })
    expect(nexrl).toMatchObject({ verdict: 'done', trainer: { steps: 1 }, rewards: { mean: 0.5 } })
    const call = await readFile(join(folder, 'experiment-1', 'call.txt'), 'utf8')
    expect(call.trim()).toBe(
      `called: -m nexrl.main --config-path=${join(yard.checkout, 'recipe/yard')} --config-name=weaver`
    )
    expect(await engine.docker.listContainers({ all: true })).toEqual([])
  }, 90_000)
})
