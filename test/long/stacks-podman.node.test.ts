import { readFile, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { dockerRuns, killOverDocker } from '../support/docker-runs'
import { podmanObstacle, startPodman } from '../support/own-podman'
import { until } from '../support/run-service'

const why = podmanObstacle()
const PATIENCE = 120_000

describe.skipIf(why !== null)(
  `the practice stack under Podman, longer${why === null ? '' : ` (skipped: ${why})`}`,
  () => {
    const runs = dockerRuns(startPodman)

    it('starts a branch from an export when going back needs a redeploy', async () => {
      const recipe = await readFile(runs.yard.recipe, 'utf8')
      await writeFile(
        runs.yard.recipe,
        recipe.replace(/^( *)rollback: .*$/m, '$1rollback: redeploy')
      )
      const service = await runs.open()
      const run = await runs.launch(service)
      await until(service, run, ({ summary }) => summary.step >= 4, PATIENCE)
      const { releases } = await service.chain({ run })
      const target = releases.find(
        ({ checkpoint, restorable, served }) => checkpoint !== null && restorable && !served
      )
      if (target === undefined) throw new Error('nothing was saved')
      await service.rollback({ run, step: target.step, why: '' })
      await until(
        service,
        run,
        ({ summary }) => summary.attempt === 2 && summary.state.kind === 'training',
        PATIENCE
      )
      expect(await runs.containers()).toHaveLength(1)
    }, 300_000)

    it('loses and doubles nothing when the watching engine is killed at twenty random moments', async () => {
      await killOverDocker(runs, 20)
      expect.hasAssertions()
    }, 900_000)
  }
)
