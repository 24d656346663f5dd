import type { OpenRequest } from '@contract/host'
import { useEffect } from 'react'
import { engine } from './client'
import { follow, hold } from './follow'
import { runQuery, runsQuery, settingsQuery, type LogState } from './queries'
import { queryClient } from './query-client'

/** Keeps the list of runs fresh. All functions here return what ends them. */
export function holdRuns(): () => void {
  return hold('runs', () =>
    follow({
      open: (signal) => engine.runs.watch(undefined, { signal }),
      onValue: (list) => queryClient.setQueryData(runsQuery.queryKey, list)
    })
  )
}

/** Keeps one run's detail fresh. */
export function holdRun(run: string): () => void {
  return hold(`run/${run}`, () =>
    follow({
      open: (signal) => engine.runs.follow({ run }, { signal }),
      onValue: (detail) => queryClient.setQueryData(runQuery(run).queryKey, detail)
    })
  )
}

/** Keeps the lengths of a run's log sources and its progress bars fresh. */
export function holdLogs(run: string): () => void {
  return hold(`logs/${run}`, () =>
    follow({
      open: (signal) => engine.logs.watch({ run }, { signal }),
      onValue: (state: LogState) => queryClient.setQueryData(['log-state', run], state)
    })
  )
}

/** Keeps settings fresh: another window, the tray or the CLI may change them. */
export function holdSettings(): () => void {
  return hold('settings', () =>
    follow({
      open: (signal) => engine.settings.watch(undefined, { signal }),
      onValue: (settings) => queryClient.setQueryData(settingsQuery.queryKey, settings)
    })
  )
}

/** Hands on what a person asked for outside the page, each once. */
export function holdRequests(open: (request: OpenRequest) => void): () => void {
  return follow({
    open: (signal) => engine.host.requests(undefined, { signal }),
    onValue: open
  })
}

export function useRunsStream(): void {
  useEffect(holdRuns, [])
}

export function useRunStream(run: string): void {
  useEffect(() => holdRun(run), [run])
}

export function useLogsStream(run: string): void {
  useEffect(() => holdLogs(run), [run])
}
