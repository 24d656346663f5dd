import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { portIsFree } from '../../src-main/engine/stacks'
import { dockerRuns, kinds } from '../support/docker-runs'
import { comparePractice } from '../support/kill-engine'
import { podmanObstacle, startPodman } from '../support/own-podman'
import { ended, until } from '../support/run-service'

const why = podmanObstacle()
const PATIENCE = 120_000

describe.skipIf(why !== null)(
  `the practice stack under Podman${why === null ? '' : ` (skipped: ${why})`}`,
  () => {
    const runs = dockerRuns(startPodman)
    const { open, launch, containers } = runs

    it('learns, goes back, is out of reach for a moment, and is stopped with nothing left', async () => {
      const service = await open()
      const run = await launch(service)
      const learning = await until(service, run, ({ summary }) => summary.step >= 5, PATIENCE)
      expect(learning.attempts[0]?.image).toMatchObject({ engine: 'Podman' })
      expect(learning.services.map(({ name, state }) => [name, state])).toEqual([
        ['slime-driver', 'ready'],
        ['reef', 'ready']
      ])
      await service.rollback({ run, step: 1, why: 'trying' })
      await until(service, run, (detail) => kinds(detail).includes('rollback'))

      // Its containers are no children of the service, and go on without it.
      await runs.engine.down()
      await until(service, run, ({ summary }) => summary.state.kind === 'unreachable', PATIENCE)
      await runs.engine.up()
      const back = await until(
        service,
        run,
        ({ summary }) => summary.state.kind === 'training',
        PATIENCE
      )
      expect(back.attempts).toHaveLength(1)

      const port = Number(new URL(back.address ?? '').port)
      await service.stop({ run, force: false })
      const { summary, events } = await until(
        service,
        run,
        (detail) => ended(detail.summary.state),
        PATIENCE
      )
      expect(summary.state).toMatchObject({ kind: 'stopped', exit: { kind: 'code', code: 0 } })
      expect(events.flatMap(({ kind, text }) => (kind === 'cleared' ? [text.en] : []))).toEqual([
        `Nothing of it is left: its container is gone; free again: port ${port}.`
      ])
      expect(await portIsFree(port, '127.0.0.1')).toBe(true)
      expect(await containers()).toEqual([])
      const copy = await readFile(join(service.paths(run).attempt(1), 'stdout.log'), 'utf8')
      expect(copy).toContain('stopped')
      await comparePractice(service, run)
    }, 300_000)

    it('says so when someone else removes the container', async () => {
      const service = await open()
      const run = await launch(service)
      await until(service, run, ({ summary }) => summary.step >= 1, PATIENCE)
      for (const id of await containers())
        await runs.engine.docker.getContainer(id).remove({ force: true })
      const { summary } = await until(
        service,
        run,
        (detail) => ended(detail.summary.state),
        PATIENCE
      )
      expect(summary.state.kind).toBe('failed')
      expect(summary.now.en).toBe('Its container was removed by someone else.')
    }, 180_000)
  }
)
