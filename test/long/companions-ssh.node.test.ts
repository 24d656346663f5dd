import { expect, it } from 'vitest'
import { client, driveAndStop, withoutTraffic } from '../support/companions'
import { describeBehindSsh } from '../support/docker-engine'
import { runsBehindSsh } from '../support/ssh-runs'

describeBehindSsh('companions in containers behind ssh', () => {
  const { runs, cut } = runsBehindSsh()

  it('drive the stack from inside and from beside it, through a cut, are found again, and leave nothing', async () => {
    await withoutTraffic(runs.yard.recipe)
    const service = await runs.open()
    const { image } = await service.plan(runs.request())
    await runs.leave()
    const companions = [
      await client({ name: 'inside', where: 'stack-container' }),
      await client({ name: 'beside', where: 'own-container', image: image ?? '' })
    ]
    await driveAndStop(runs, runs.request(), companions, cut)
    expect.hasAssertions()
  }, 300_000)
})
