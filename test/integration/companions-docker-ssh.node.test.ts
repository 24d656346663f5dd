import { afterAll, beforeAll, expect, it } from 'vitest'
import { client, driveAndStop, withoutTraffic } from '../support/companions'
import { describeWithDocker, startEngine } from '../support/docker-engine'
import { dockerRuns } from '../support/docker-runs'
import {
  makeSshUser,
  sshObstacle,
  startSshd,
  type TestSshd,
  type TestSshUser
} from '../support/sshd'

const why = sshObstacle()
if (why !== null && process.env['CI'] === 'true') throw new Error(`${why}, and CI requires it`)

describeWithDocker('companions of a stack behind ssh', () => {
  let user: TestSshUser
  let sshd: TestSshd
  const runs = dockerRuns(startEngine, ({ socket }) => ({
    via: { kind: 'ssh', destination: `ssh://direct${socket}` },
    sshConfig: user.configFile
  }))
  beforeAll(async () => {
    if (why !== null) return
    user = makeSshUser()
    sshd = await startSshd(user.publicKey)
    user.configure(sshd)
  })
  afterAll(async () => {
    if (why !== null) return
    await sshd.dispose()
    await user.dispose()
  })

  it.skipIf(why !== null)(
    'drive it there, inside and beside it, are found again, and leave nothing',
    async () => {
      await withoutTraffic(runs.yard.recipe)
      const service = await runs.open()
      const { image } = await service.plan(runs.request())
      await runs.leave()
      await driveAndStop(runs, runs.request(), [
        await client({ name: 'inside', where: 'stack-container' }),
        await client({ name: 'beside', where: 'own-container', image: image ?? '' })
      ])
      expect.hasAssertions()
    },
    300_000
  )

  it.skipIf(why !== null)(
    'drive it from here, through a way that is opened again at the same place, by another service and after a cut',
    async () => {
      await withoutTraffic(runs.yard.recipe)
      const here = await client({ name: 'here', where: 'process' }, runs.yard.root)
      await driveAndStop(runs, runs.request(), [here], () => sshd.cut())
      expect.hasAssertions()
    },
    300_000
  )
})
