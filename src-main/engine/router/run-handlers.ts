import type { LaunchRequest } from '../../contract/launch'
import { refuseLongReason, restartDoubt } from '../stacks'
import { os } from './guard'
import { requirePreflight } from './preflight-handlers'
import type { Services } from './services'

export function runHandlers({ runs }: Services) {
  return {
    list: os.runs.list.handler(() => runs.list()),
    get: os.runs.get.handler(({ input }) => runs.get(input.run)),
    look: os.runs.look.handler(async ({ input }) => ({ unseen: await runs.look(input.run) })),
    watch: os.runs.watch.handler(({ signal }) => runs.watch(signal)),
    follow: os.runs.follow.handler(({ input, signal }) => runs.follow(input.run, signal)),
    update: os.runs.update.handler(async ({ input }) => {
      await runs.update(input)
      return {}
    }),
    import: os.runs.import.handler(({ input }) => runs.import(input)),
    stop: os.runs.stop.handler(async ({ input }) => {
      const note = await runs.stop(input)
      return note === null ? {} : { note }
    }),
    restartDoubt: os.runs.restartDoubt.handler(async ({ input: { run } }) => ({
      doubt: await restartDoubt({ run, store: runs.store, target: await runs.targetOf(run) })
    })),
    restart: os.runs.restart.handler(async ({ input }) => {
      await runs.restart(input)
      return {}
    })
  }
}

/** Judges and starts a launch, as a person would from the launch page. */
export async function launchNow(
  services: Services,
  { because, ...request }: LaunchRequest & { because?: string | undefined }
): ReturnType<Services['runs']['start']> {
  if (because !== undefined) refuseLongReason(because)
  const { report, resolved } = await requirePreflight(services, request, because)
  return services.runs.start(request, {
    preflight: report,
    resolved,
    ...(because === undefined ? {} : { because })
  })
}

export function launchHandlers(services: Services) {
  const { runs } = services
  return {
    plan: os.launch.plan.handler(({ input }) => runs.plan(input)),
    start: os.launch.start.handler(({ input }) => launchNow(services, input))
  }
}

export function settingsHandlers({ settings }: Services) {
  return {
    get: os.settings.get.handler(() => settings.get()),
    set: os.settings.set.handler(({ input }) => settings.set(input)),
    watch: os.settings.watch.handler(({ signal }) => settings.watch(signal))
  }
}
