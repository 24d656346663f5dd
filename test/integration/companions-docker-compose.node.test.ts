import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { client, driveAndStop, withoutTraffic } from '../support/companions'
import { composeCheckout } from '../support/compose-checkout'
import { describeWithCompose } from '../support/docker-engine'
import { dockerRuns } from '../support/docker-runs'

describeWithCompose('companions of a stack from a compose file with a published port', () => {
  const runs = dockerRuns()

  it('reach it from inside and from beside it, and write where its services do', async () => {
    await withoutTraffic(runs.yard.recipe)
    const { request, image } = await composeCheckout(runs, 'published')
    const { run } = await driveAndStop(runs, request, [
      await client({ name: 'inside', where: 'stack-container' }, '/workspace/Reef'),
      await client({ name: 'beside', where: 'own-container', image }, '/workspace/Reef')
    ])
    const services = join(runs.yard.root, 'Reef', 'work', 'practice-sao', 'run')
    for (const name of ['inside', 'beside']) {
      const log = join(services, 'companions', run, 'attempt-1', `companion-${name}.log`)
      expect(await readFile(log, 'utf8')).toContain('asking practice, again')
    }
  }, 300_000)
})
