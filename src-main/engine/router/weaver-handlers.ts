import { os } from './guard'
import type { Services } from './services'

/** Weaver's views and its four acts. Each call opens a client of its own, so that a changed key counts at once. */
export function weaverHandlers({ weaver, clock }: Services) {
  return {
    status: os.weaver.status.handler(() => weaver.status()),
    setKey: os.weaver.setKey.handler(({ input }) => weaver.setKey(input.key)),
    catalogue: os.weaver.catalogue.handler(async ({ signal }) => ({
      models: await (await weaver.client(signal)).catalogue()
    })),
    models: os.weaver.models.handler(async ({ input, signal }) => ({
      models: await (await weaver.client(signal)).models(input.session)
    })),
    checkpoints: os.weaver.checkpoints.handler(async ({ input, signal }) => ({
      checkpoints: await (await weaver.client(signal)).checkpoints(input.model),
      now: clock.now()
    })),
    extend: os.weaver.extend.handler(async ({ input, signal }) => {
      const { model, path, seconds, shorten } = input
      await (await weaver.client(signal)).extend(model, path, seconds, shorten)
      return {}
    }),
    save: os.weaver.save.handler(async ({ input, signal }) => ({
      path: await (await weaver.client(signal)).save(input.model, input.type, input.name)
    })),
    export: os.weaver.export.handler(async ({ input, signal }) => ({
      artifact: await (await weaver.client(signal)).export(input.model, input.path, input.merge)
    })),
    download: os.weaver.download.handler(async ({ input, signal }) =>
      (await weaver.client(signal)).download(input.model, input.path, input.folder, input.kind)
    )
  }
}
