import { describe, expect, it } from 'vitest'
import { client, driveAndStop, withoutTraffic } from '../support/companions'
import { dockerRuns } from '../support/docker-runs'
import { podmanObstacle, startPodman } from '../support/own-podman'

const why = podmanObstacle()

describe.skipIf(why !== null)(
  `companions of a stack under Podman${why === null ? '' : ` (skipped: ${why})`}`,
  () => {
    const runs = dockerRuns(startPodman)

    it('drive it from inside and from beside it, are found again, and leave nothing', async () => {
      await withoutTraffic(runs.yard.recipe)
      const service = await runs.open()
      const { image } = await service.plan(runs.request())
      await runs.leave()
      await driveAndStop(runs, runs.request(), [
        await client({ name: 'inside', where: 'stack-container' }),
        await client({ name: 'beside', where: 'own-container', image: image ?? '' })
      ])
      expect.hasAssertions()
    }, 300_000)
  }
)
