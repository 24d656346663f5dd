import { os } from './guard'
import type { Services } from './services'

export function targetHandlers({ targets }: Services) {
  return {
    list: os.targets.list.handler(() => targets.list()),
    probe: os.targets.probe.handler(({ input, signal }) => targets.probe(input.id, signal)),
    add: os.targets.add.handler(({ input }) => targets.add(input)),
    remove: os.targets.remove.handler(async ({ input }) => {
      await targets.remove(input.id)
      return {}
    })
  }
}
