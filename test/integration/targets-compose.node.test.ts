import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openTarget, type StartSpec } from '../../src-main/engine/targets'
import { describeWithCompose, makeBusybox } from '../support/docker-engine'
import { dockerRuns } from '../support/docker-runs'

describeWithCompose('a container made by compose', () => {
  const runs = dockerRuns()

  it('takes the networks of its project with it, and says in compose’s words why it cannot start', async () => {
    const image = await makeBusybox(runs.engine.docker)
    const file = join(runs.yard.root, 'compose.yaml')
    const target = await openTarget(
      { kind: 'docker', id: 'd', name: 'D', via: { kind: 'socket', path: runs.engine.socket } },
      { installation: 'net', resources: runs.yard.resources, home: runs.yard.home }
    )
    const spec = (service: string): StartSpec => ({
      runId: 'net',
      attempt: 1,
      argv: ['sleep', '60'],
      cwd: '/',
      environment: {},
      secretNames: [],
      attemptFolder: runs.yard.root,
      container: {
        image,
        mounts: [],
        gpus: 'none',
        hostNetwork: false,
        ports: [],
        ipcHost: false,
        shmBytes: null,
        user: null,
        compose: {
          tool: ['docker-compose'],
          file,
          version: null,
          service,
          variables: {},
          override: join(runs.yard.root, 'second.json'),
          handed: [],
          added: []
        }
      }
    })
    await writeFile(
      file,
      `services: { s: { image: ${image}, networks: [n] } }\nnetworks: { n: { driver_opts: {} } }`
    )
    const networks = async (): Promise<string[]> =>
      (await runs.engine.docker.listNetworks())
        .map(({ Name }) => Name)
        .filter((name) => name.startsWith('slipway'))
    try {
      const handle = await target.start(spec('s'))
      expect(await networks()).toEqual(['slipway-net-1_n'])
      await target.kill(handle)
      await target.remove(handle)
      expect(await networks()).toEqual([])
      await expect(target.start(spec('other'))).rejects.toMatchObject({
        failure: {
          code: 'container-not-started',
          detail: expect.stringContaining('other') as string
        }
      })
      expect(await target.findOwn('net')).toEqual([])
    } finally {
      await target.dispose()
    }
  }, 60_000)
})
