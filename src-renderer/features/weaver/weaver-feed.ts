import { queryOptions } from '@tanstack/react-query'
import { engine, queryClient } from '../../api'

/** What the service says changes by itself; it is asked again when looked at, not on a timer. */
const FRESH = 30_000

export const weaverStatusQuery = queryOptions({
  queryKey: ['weaver', 'status'],
  queryFn: ({ signal }) => engine.weaver.status(undefined, { signal })
})

export const catalogueQuery = queryOptions({
  queryKey: ['weaver', 'catalogue'],
  queryFn: async ({ signal }) => (await engine.weaver.catalogue(undefined, { signal })).models,
  staleTime: FRESH,
  retry: false
})

export const modelsQuery = queryOptions({
  queryKey: ['weaver', 'models'],
  queryFn: async ({ signal }) => (await engine.weaver.models({}, { signal })).models,
  staleTime: FRESH,
  retry: false
})

export const checkpointsQuery = (model: string) =>
  queryOptions({
    queryKey: ['weaver', 'checkpoints', model],
    queryFn: async ({ signal }) =>
      (await engine.weaver.checkpoints({ model }, { signal })).checkpoints,
    staleTime: FRESH,
    retry: false
  })

/** After an act or another key: everything of the service is asked anew. */
export function renewWeaver(): void {
  void queryClient.invalidateQueries({ queryKey: ['weaver'] })
}

/** Asks for a model's checkpoints anew where they were asked for a while ago. */
export function renewStale(model: string): void {
  const { queryKey } = checkpointsQuery(model)
  void queryClient.refetchQueries({ queryKey, type: 'active', stale: true })
}
