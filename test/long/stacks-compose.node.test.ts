import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { composeCheckout } from '../support/compose-checkout'
import { describeWithCompose } from '../support/docker-engine'
import { dockerRuns, withHost } from '../support/docker-runs'
import { comparePractice, killHost, startHost } from '../support/kill-engine'
import { until } from '../support/run-service'

describeWithCompose('a stack started by the checkout’s own compose file', () => {
  const runs = dockerRuns()

  it('is launched, followed, found again by the next engine, and stopped; nothing is left', async () => {
    const { request: asked } = await composeCheckout(runs)
    let run: string | null = null
    process.env['TEST_LAUNCH'] = JSON.stringify(asked)
    try {
      await withHost(runs, async (host) => {
        const watcher = startHost(host, { ...runs.yard, recipe: asked.recipe }, true)
        run = await watcher.ready
        await killHost(watcher)
      })
    } finally {
      delete process.env['TEST_LAUNCH']
    }
    if (run === null) throw new Error('nothing was launched')
    const service = await runs.open()
    await service.reconcile()
    const { summary } = await until(service, run, ({ summary: { step } }) => step >= 6, 90_000)
    expect(summary.attempt).toBe(1)
    const [id = '', ...others] = await runs.containers()
    expect(others).toEqual([])
    const facts = await runs.engine.docker.getContainer(id).inspect()
    expect(facts.Name).toMatch(/^\/slipway-/)
    expect(facts.HostConfig.RestartPolicy?.Name).toMatch(/^(no)?$/)
    expect(facts.HostConfig.ShmSize).toBe(64 * 1024 ** 2)
    const environment = JSON.parse(
      await readFile(join(runs.yard.root, 'state', 'env.json'), 'utf8')
    ) as object
    expect(environment).toMatchObject({ FROM_FILE: 'serve.yaml', PYTHONUNBUFFERED: '1' })
    await service.stop({ run, force: false })
    await until(service, run, (detail) => detail.summary.state.kind === 'stopped', 60_000)
    await comparePractice(service, run)
    expect(await runs.containers()).toEqual([])
  }, 180_000)
})
