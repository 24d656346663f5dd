import { keepPreviousData, skipToken, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { planQuery, recipeCheckQuery, targetsQuery } from '../../api/queries'
import { inputOf, obstacleTo, type LaunchDraft } from './launch-draft'
import { useLaunch } from './use-launch'

/** Milliseconds after the last key until the engine is asked again. */
const QUIET = 250

function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = window.setTimeout(() => setSettled(value), QUIET)
    return () => window.clearTimeout(timer)
  }, [value])
  return settled
}

/** Check, plan and launch of a draft. While one types the last plan stays on screen. */
export function useLaunchState(draft: LaunchDraft) {
  const input = useMemo(() => inputOf(draft), [draft])
  const settled = useSettled(input)
  const checkInput =
    settled === null ? null : { path: settled.recipe, overrides: settled.overrides ?? [] }
  const check = useQuery(
    checkInput === null
      ? { queryKey: ['recipe-check'], queryFn: skipToken }
      : {
          ...recipeCheckQuery(checkInput),
          // A recipe file changes outside of us, so it is read anew each time the page opens.
          staleTime: 0,
          placeholderData: keepPreviousData
        }
  )
  const plan = useQuery(
    settled === null
      ? { queryKey: ['plan'], queryFn: skipToken }
      : { ...planQuery(settled), staleTime: 0, placeholderData: keepPreviousData }
  )
  const target = useQuery(targetsQuery).data?.find((each) => each.spec.id === draft.target)
  const launch = useLaunch()
  const fresh = settled === input && !plan.isPlaceholderData && !check.isPlaceholderData
  const obstacle = obstacleTo({
    draft,
    launching: launch.isPending,
    errors: fresh ? check.data?.summary.errors : undefined,
    plan: plan.isError ? 'failed' : fresh && plan.isSuccess ? 'ready' : 'pending',
    targetDown: target?.reachable === 'no'
  })
  const start = (): void => {
    if (obstacle === null && input !== null) launch.mutate(input)
  }
  return { check, plan, launch, obstacle, start }
}

export type LaunchState = ReturnType<typeof useLaunchState>
