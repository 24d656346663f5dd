import { expect, it } from 'vitest'
import { describeWithDocker } from '../support/docker-engine'
import { dockerRuns, killOverDocker } from '../support/docker-runs'

describeWithDocker('a container and the engine that watches it', () => {
  const runs = dockerRuns()

  it('loses and doubles nothing when the engine is killed at two hundred random moments', async () => {
    await killOverDocker(runs, 200)
    expect.hasAssertions()
  })
})
