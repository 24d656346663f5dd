import type { TargetStatus } from '../../contract/targets'
import { os } from './guard'
import type { Services } from './services'

/** On this machine and quick to answer: asked once without being told to. A remote one is asked only when a person says so. */
function isNear({ spec, found, reachable }: TargetStatus): boolean {
  const near = spec.kind === 'process' || (spec.kind === 'docker' && spec.via.kind === 'socket')
  return near && found && reachable === 'unknown'
}

export function targetHandlers({ targets }: Services) {
  return {
    list: os.targets.list.handler(async ({ signal }) => {
      const near = (await targets.list()).filter(isNear)
      await Promise.all(near.map(({ spec }) => targets.probe(spec.id, signal)))
      return targets.list()
    }),
    probe: os.targets.probe.handler(({ input, signal }) => targets.probe(input.id, signal)),
    images: os.targets.images.handler(async ({ input }) => {
      const list = (await (await targets.get(input.id)).images?.list()) ?? []
      return list.sort((a, b) => b.created - a.created)
    }),
    add: os.targets.add.handler(({ input }) => targets.add(input)),
    remove: os.targets.remove.handler(async ({ input }) => {
      await targets.remove(input.id)
      return {}
    })
  }
}
