import type { QueuedLaunch } from '../../contract/queue'
import { refusedAlert } from '../alerts'
import { systemClock } from '../lib'
import { LaunchQueue } from '../queue'
import { isFinal } from '../stacks'
import { portsTaken } from '../targets'
import { os } from './guard'
import type { Services } from './services'

export function queueHandlers({ queue }: Services) {
  return {
    add: os.queue.add.handler(({ input }) => queue.add(input)),
    watch: os.queue.watch.handler(({ signal }) => queue.watch(signal)),
    remove: os.queue.remove.handler(async ({ input: { id } }) => ({
      done: await queue.wish({ kind: 'remove', id })
    })),
    first: os.queue.first.handler(async ({ input: { id } }) => ({
      done: await queue.wish({ kind: 'first', id })
    })),
    again: os.queue.again.handler(async ({ input: { id } }) => ({
      done: await queue.wish({ kind: 'again', id })
    }))
  }
}

/** The queue of a home: what runs is told by the run folders, GPUs by the target. */
export function queueOf(
  around: Pick<Services, 'home' | 'runs' | 'targets' | 'alerts'> & { active: boolean },
  start: (request: QueuedLaunch['request']) => Promise<unknown>
): Promise<LaunchQueue> {
  const { home, runs, targets, alerts, active } = around
  return LaunchQueue.open({
    home,
    active,
    clock: systemClock,
    plan: (request) => runs.plan(request),
    own: async (target) =>
      (await runs.store.list()).records.flatMap((record) => {
        const last = record.attempts.at(-1)
        if (record.target.id !== target || last === undefined || isFinal(last.state)) return []
        const { gpus, ports } = last.plan
        const count = gpus.devices?.length === 0 ? 0 : gpus.count
        return [{ name: record.name, gpus: count, ports: ports.map(({ port }) => port) }]
      }),
    taken: async (target, ports) => portsTaken(await targets.get(target), ports),
    gpus: async (target) => (await targets.probe(target)).gpus,
    refused: (item) => alerts.raise(refusedAlert(item)),
    start: async (request) => {
      await start(request)
    }
  })
}
