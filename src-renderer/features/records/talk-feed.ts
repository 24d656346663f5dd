import { infiniteQueryOptions, queryOptions, type QueryKey } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Pulse } from '@contract/talk'
import { engine, follow, hold, queryClient } from '../../api'

/** A long history is read in turns: so much later for the next. */
const READ_ON_MS = 1500

export type RecordKind = 'all' | 'inference' | 'report'

/** Everything asked of a live service about one scenario begins with this, so that one pulse renews all of it. */
const ofScenario = (run: string, scenario: string) => ['talk', run, scenario] as const

export const doorwayQuery = (run: string) =>
  queryOptions({
    queryKey: ['talk-doorway', run],
    queryFn: ({ signal }) => engine.talk.doorway({ run }, { signal }),
    staleTime: 0
  })

/** What an ended run left. Fails with `not-live` where nothing is left or it has not ended. */
export const keptQuery = (run: string) =>
  queryOptions({
    queryKey: ['talk-kept', run],
    queryFn: ({ signal }) => engine.talk.kept({ run }, { signal }),
    retry: false,
    staleTime: 0
  })

export const pulseQuery = (run: string, scenario: string) =>
  queryOptions<Pulse>({ queryKey: ['talk-pulse', run, scenario], enabled: false })

export const conversationQuery = (run: string, scenario: string, id: string) =>
  queryOptions({
    queryKey: [...ofScenario(run, scenario), 'conversation', id],
    queryFn: ({ signal }) => engine.talk.conversation({ run, scenario, id }, { signal }),
    staleTime: 0
  })

/** Milliseconds the words of a row that went out of sight are kept. */
const WORDS_KEPT = 60_000

/** How a record begins. What was said does not change. */
export const firstWordsQuery = (run: string, scenario: string, id: string) =>
  queryOptions({
    queryKey: ['talk-words', run, scenario, id],
    queryFn: ({ signal }) => engine.talk.firstWords({ run, scenario, id }, { signal }),
    staleTime: Infinity,
    gcTime: WORDS_KEPT,
    retry: false
  })

export const feedbackQuery = (run: string, scenario: string) =>
  queryOptions({
    queryKey: [...ofScenario(run, scenario), 'feedback'],
    queryFn: ({ signal }) => engine.talk.feedback({ run, scenario }, { signal }),
    refetchInterval: ({ state }) => (state.data?.complete === false ? READ_ON_MS : false),
    staleTime: 0
  })

export const scenariosQuery = (run: string) =>
  queryOptions({
    queryKey: ['talk-scenarios', run],
    queryFn: ({ signal }) => engine.talk.scenarios({ run }, { signal }),
    staleTime: 0
  })

/** Stands for the newest page; sequence numbers begin at 1. */
const NEWEST = 0

/** Records newest first, page after page; `text` is looked for in contents too, a stretch a page. */
export const recordsQuery = (run: string, scenario: string, kind: RecordKind, text: string) =>
  infiniteQueryOptions({
    queryKey: [...ofScenario(run, scenario), 'records', kind, text],
    queryFn: ({ signal, pageParam }) =>
      engine.talk.records(
        {
          run,
          scenario,
          ...(kind === 'all' ? {} : { type: kind }),
          ...(text === '' ? {} : { text }),
          ...(pageParam === NEWEST ? {} : { before: pageParam })
        },
        { signal }
      ),
    initialPageParam: NEWEST,
    getNextPageParam: ({ next }) => next,
    refetchInterval: ({ state }) => (state.data?.pages[0]?.complete === false ? READ_ON_MS : false),
    staleTime: 0
  })

const renewing = new Map<string, { again: boolean }>()

/**
 * Asks again for what is on screen. While that is under way, being asked for it once more only notes it: a question
 * that takes longer than the time between two pulses would otherwise be begun again for ever.
 */
async function renew(queryKey: QueryKey): Promise<void> {
  const name = JSON.stringify(queryKey)
  const running = renewing.get(name)
  if (running !== undefined) {
    running.again = true
    return
  }
  const turn = { again: true }
  renewing.set(name, turn)
  try {
    while (turn.again) {
      turn.again = false
      await queryClient.invalidateQueries({ queryKey })
    }
  } finally {
    renewing.delete(name)
  }
}

/** Forgets nothing, but asks again for what is on screen about a scenario. */
export function renewScenario(run: string, scenario: string): void {
  void renew(ofScenario(run, scenario))
}

/** The same for the list of scenarios. */
export function renewScenarios(run: string): void {
  void renew(scenariosQuery(run).queryKey)
  void renew(doorwayQuery(run).queryKey)
}

function holdPulse(run: string, scenario: string): () => void {
  return hold(`talk/${run}/${scenario}`, () =>
    follow({
      open: (signal) => engine.talk.watch({ run, scenario }, { signal }),
      onValue: (pulse) => {
        queryClient.setQueryData(pulseQuery(run, scenario).queryKey, pulse)
        renewScenario(run, scenario)
        void renew(scenariosQuery(run).queryKey)
      }
    })
  )
}

/** While mounted, what is shown of the scenario follows it. */
export function useScenarioPulse(run: string, scenario: string | null): void {
  useEffect(() => (scenario === null ? undefined : holdPulse(run, scenario)), [run, scenario])
}

/** While mounted, the list follows the scenarios the run is seen to have: traffic makes one at any time, a mistyped one too. */
export function useScenarioNames(run: string, names: readonly string[]): void {
  const all = names.join('\n')
  useEffect(() => renewScenarios(run), [run, all])
}
