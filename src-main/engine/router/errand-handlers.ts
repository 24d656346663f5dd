import { os } from './guard'
import type { Services } from './services'

export function errandHandlers({ errands }: Services) {
  return {
    checkout: os.errands.checkout.handler(({ input }) => errands.checkout(input.folder)),
    start: os.errands.start.handler(async ({ input }) => ({ id: await errands.start(input) })),
    watch: os.errands.watch.handler(({ signal }) => errands.watch(signal)),
    follow: os.errands.follow.handler(({ input, signal }) => errands.follow(input.id, signal)),
    cancel: os.errands.cancel.handler(async ({ input }) => {
      await errands.cancel(input.id)
      return {}
    })
  }
}
