import { queryOptions } from '@tanstack/react-query'
import type { LaunchRequest } from '@contract/launch'
import type { LogSource, Progress } from '@contract/logs'
import type { CheckRequest } from '@contract/recipes'
import { engine } from './client'

/** Input of the engine's launch calls: fields with a default may be left out. */
export type LaunchInput = Pick<LaunchRequest, 'recipe'> & Partial<LaunchRequest>
/** What the log streams say about a run: how long each source is and which progress bars are being drawn. */
export interface LogState {
  sources: LogSource[]
  progress: Progress[]
}

export type CheckInput = Pick<CheckRequest, 'path'> & Partial<CheckRequest>

export const hostQuery = queryOptions({
  queryKey: ['host'],
  queryFn: ({ signal }) => engine.host.info(undefined, { signal })
})

export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: ({ signal }) => engine.settings.get(undefined, { signal })
})

export const runsQuery = queryOptions({
  queryKey: ['runs'],
  queryFn: ({ signal }) => engine.runs.list(undefined, { signal })
})

export const runQuery = (run: string) =>
  queryOptions({
    queryKey: ['run', run],
    queryFn: ({ signal }) => engine.runs.get({ run }, { signal })
  })

export const targetsQuery = queryOptions({
  queryKey: ['targets'],
  queryFn: ({ signal }) => engine.targets.list(undefined, { signal })
})

export const imagesQuery = (target: string) =>
  queryOptions({
    queryKey: ['images', target],
    queryFn: ({ signal }) => engine.targets.images({ id: target }, { signal })
  })

export const recipesQuery = queryOptions({
  queryKey: ['recipes'],
  queryFn: ({ signal }) => engine.recipes.list(undefined, { signal })
})

/** Tables of results attached to a run. */
export const resultsQuery = (run: string) =>
  queryOptions({
    queryKey: ['results', run],
    queryFn: ({ signal }) => engine.compare.results({ run }, { signal })
  })

/** Comparisons that were given a name, newest first. */
export const savedComparisonsQuery = queryOptions({
  queryKey: ['saved-comparisons'],
  queryFn: ({ signal }) => engine.compare.saved(undefined, { signal }),
  // The command line keeps comparisons too, and nobody tells the page of it.
  staleTime: 0
})

export const recipeTextQuery = (path: string) =>
  queryOptions({
    queryKey: ['recipe-text', path],
    queryFn: ({ signal }) => engine.recipes.read({ path }, { signal })
  })

export const recipeCheckQuery = (input: CheckInput) =>
  queryOptions({
    queryKey: ['recipe-check', input],
    queryFn: ({ signal }) => engine.recipes.check(input, { signal })
  })

export const planQuery = (input: LaunchInput) =>
  queryOptions({
    queryKey: ['plan', input],
    queryFn: ({ signal }) => engine.launch.plan(input, { signal })
  })

export const savedPreflightQuery = (run: string) =>
  queryOptions({
    queryKey: ['saved-preflight', run],
    queryFn: ({ signal }) => engine.preflight.saved({ run }, { signal })
  })

export const logSourcesQuery = (run: string) =>
  queryOptions({
    queryKey: ['log-state', run],
    queryFn: async ({ signal, client, queryKey }): Promise<LogState> => {
      const sources = await engine.logs.sources({ run }, { signal })
      // The stream may have answered first; its progress bars are the newer ones.
      return { sources, progress: client.getQueryData<LogState>(queryKey)?.progress ?? [] }
    }
  })
