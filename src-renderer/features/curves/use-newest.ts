import { useEffect, useState } from 'react'
import type { ChartGroup } from '../../charts'
import { paced } from './paced'

/** Milliseconds between two looks at how far the samples go: the strip's open end need not grow with each of them. */
const GROW = 1000

/**
 * The newest x of the page's charts, told at most once a second: every chart is drawn anew when it is. That there is
 * one, and that the charts went over to another axis, is told at once: what stands on the old one is wrong there.
 */
export function useNewest(group: ChartGroup): number | null {
  const [told, setTold] = useState({ group, x: newestOf(group) })
  useEffect(() => {
    const tell = (): void => {
      const x = newestOf(group)
      setTold((before) => (before.group === group && before.x === x ? before : { group, x }))
    }
    const look = paced(GROW, () => Promise.resolve(tell()))
    tell()
    const stop = group.store.subscribe((now, before) => {
      if ((now.extent === null) !== (before.extent === null)) tell()
      else if (now.extent !== before.extent) look.ask()
    })
    return () => {
      stop()
      look.end()
    }
  }, [group])
  return told.group === group ? told.x : newestOf(group)
}

function newestOf(group: ChartGroup): number | null {
  return group.store.getState().extent?.[1] ?? null
}
