import { keepPreviousData, skipToken, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { planQuery, recipeCheckQuery, targetsQuery, type LaunchInput } from '../../api/queries'
import { gateOf, usePreflight } from '../preflight'
import { inputOf, obstacleTo, samePlace, type LaunchDraft } from './launch-draft'
import { useEnqueue, useLaunch } from './use-launch'

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

/** The input as soon as nobody types in it; another target or recipe is one choice and needs no waiting. */
function useSettledInput(input: LaunchInput | null): LaunchInput | null {
  const settled = useSettled(input)
  return samePlace(settled, input) ? settled : input
}

/** Check, plan and launch of a draft. While one types the last plan of the same target stays on screen. */
export function useLaunchState(draft: LaunchDraft) {
  const input = useMemo(() => inputOf(draft), [draft])
  const settled = useSettledInput(input)
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
      : {
          ...planQuery(settled),
          staleTime: 0,
          placeholderData: (last, query) => {
            const before = query?.queryKey[1]
            return typeof before === 'object' && samePlace(before, settled) ? last : undefined
          }
        }
  )
  const target = useQuery(targetsQuery).data?.find((each) => each.spec.id === draft.target)
  const launch = useLaunch()
  const preflight = usePreflight(plan.isSuccess ? settled : null)
  const [because, setBecause] = useState('')
  const gate = gateOf(preflight.report, because, preflight.thrown !== null)
  const fresh = settled === input && !plan.isPlaceholderData && !check.isPlaceholderData
  const obstacle = obstacleTo({
    draft,
    launching: launch.isPending,
    errors: fresh ? check.data?.summary.errors : undefined,
    plan: plan.isError ? 'failed' : fresh && plan.isSuccess ? 'ready' : 'pending',
    targetDown: target?.reachable === 'no',
    gate
  })
  const start = (): void => {
    const reason = because.trim()
    if (obstacle === null && input !== null)
      launch.mutate({ ...input, ...(reason === '' ? {} : { because: reason }) })
  }
  const enqueue = useEnqueue(draft.recipe)
  // Busy GPUs and ports are what preflight refuses, and what the queue waits for.
  const mayWait = !enqueue.isPending && (obstacle === null || obstacle.kind === 'preflight')
  const waitFor = (): void => {
    const reason = because.trim()
    if (mayWait && input !== null)
      enqueue.mutate({ ...input, ...(reason === '' ? {} : { because: reason }) })
  }
  /** Looks at everything again, e.g. after a fix has changed the recipe's file. */
  const renew = (): void => {
    void check.refetch()
    void plan.refetch()
    preflight.again()
  }
  const place = target?.spec ?? { id: draft.target, name: draft.target }
  const judged = { preflight, gate, because, setBecause, input, place, renew }
  return { check, plan, launch, obstacle, start, judged, enqueue, mayWait, waitFor }
}

export type LaunchState = ReturnType<typeof useLaunchState>
