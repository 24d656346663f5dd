import { os } from './guard'
import type { Services } from './services'

export function clusterHandlers({ cluster }: Services) {
  return {
    look: os.cluster.look.handler(({ input, signal }) => cluster.look(input.run, signal)),
    watch: os.cluster.watch.handler(({ input, signal }) => cluster.watch(input.run, signal))
  }
}
