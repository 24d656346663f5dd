import { useCallback, useEffect, useState } from 'react'
import type { PreflightReport } from '@contract/preflight'
import { engine } from '../../api/client'
import type { LaunchInput } from '../../api/queries'

interface Seen {
  key: string
  recipe: string | null
  target: string | undefined
  report: PreflightReport | null
  thrown: unknown
}

/** What a launch is judged by; its name and tags are not. */
function keyOf(input: LaunchInput | null, round: number): string {
  if (input === null) return ''
  const { name: _name, tags: _tags, ...judged } = input
  void _name
  void _tags
  return JSON.stringify([judged, round])
}

const NOTHING: Seen = { key: '', recipe: null, target: undefined, report: null, thrown: null }

/** Preflight of a launch as it fills in: anew whenever recipe, target or values change, and when asked. */
export function usePreflight(input: LaunchInput | null) {
  const [round, setRound] = useState(0)
  const [seen, setSeen] = useState<Seen>(NOTHING)
  const key = keyOf(input, round)
  useEffect(() => {
    if (key === '') return
    const controller = new AbortController()
    const look = async (): Promise<void> => {
      const [judged] = JSON.parse(key) as [LaunchInput, number]
      const { recipe, target } = judged
      try {
        const reports = await engine.preflight.run(judged, { signal: controller.signal })
        for await (const report of reports) {
          if (controller.signal.aborted) return
          setSeen({ key, recipe, target, report, thrown: null })
        }
      } catch (thrown) {
        if (!controller.signal.aborted) setSeen({ key, recipe, target, report: null, thrown })
      }
    }
    void look()
    return () => controller.abort()
  }, [key])
  const again = useCallback(() => setRound((was) => was + 1), [])
  const current = seen.key === key && key !== ''
  return {
    /** Null before the first answer for this very launch. */
    report: current ? seen.report : null,
    /** The last report on this recipe and target while the new one is on its way, so that nothing jumps. */
    shown: seen.recipe === input?.recipe && seen.target === input?.target ? seen.report : null,
    thrown: current ? seen.thrown : null,
    again
  }
}

export type PreflightState = ReturnType<typeof usePreflight>
