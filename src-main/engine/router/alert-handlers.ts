import { os } from './guard'
import type { Services } from './services'

export function alertHandlers({ alerts }: Services) {
  return { watch: os.alerts.watch.handler(({ signal }) => alerts.watch(signal)) }
}
