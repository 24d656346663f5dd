import { expect, it } from 'vitest'
import { client, driveAndStop, withoutTraffic } from '../support/companions'
import { describeBehindSsh } from '../support/docker-engine'
import { runsBehindSsh } from '../support/ssh-runs'

describeBehindSsh('a companion of this machine, with its stack behind ssh', () => {
  const { runs, cut } = runsBehindSsh()

  it('drives it through a way that is opened again at the same place, by another service and after a cut', async () => {
    await withoutTraffic(runs.yard.recipe)
    const here = await client({ name: 'here', where: 'process' }, runs.yard.root)
    await driveAndStop(runs, runs.request(), [here], cut)
    expect.hasAssertions()
  }, 300_000)
})
