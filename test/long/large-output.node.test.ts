import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openTarget } from '../../src-main/engine/targets'
import { describeWithDocker, makeBusybox, startEngine } from '../support/docker-engine'
import { followLargeOutput } from '../support/large-output'

describeWithDocker('output of a container', () => {
  it('is followed over 200 MB of a service’s file and 200 MB of its own', async () => {
    const engine = await startEngine()
    const folder = await mkdtemp(join(tmpdir(), 'slipway-large-'))
    const target = await openTarget(
      {
        kind: 'docker',
        id: 'docker',
        name: 'Docker',
        via: { kind: 'socket', path: engine.socket }
      },
      { installation: 'large', resources: 'resources', home: folder }
    )
    try {
      await makeBusybox(engine.docker)
      await followLargeOutput(engine, target, folder, 200_000_000)
      expect.hasAssertions()
    } finally {
      await target.dispose()
      await engine.dispose()
      await rm(folder, { recursive: true, force: true })
    }
  })
})
