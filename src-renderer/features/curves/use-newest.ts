import { useEffect, useState } from 'react'
import { shownRange, type ChartGroup, type Range } from '../../charts'
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

/** Milliseconds between two looks at the shown range while samples alone widen it. */
const WIDEN = 250

/**
 * The shown range of the page's charts, for what is made of elements and not drawn: what a person does to it is told at
 * once, what samples that come in do to it a few times a second.
 */
export function useCalmRange(group: ChartGroup): Range {
  const [told, setTold] = useState(() => ({ group, range: shownRange(group.store.getState()) }))
  useEffect(() => {
    const tell = (): void => {
      const range = shownRange(group.store.getState())
      setTold((before) =>
        before.group === group && same(before.range, range) ? before : { group, range }
      )
    }
    const look = paced(WIDEN, () => Promise.resolve(tell()))
    tell()
    const stop = group.store.subscribe((now, before) => {
      if (now.extent !== before.extent && before.extent !== null && now.extent !== null) look.ask()
      else if (now.range !== before.range || now.extent !== before.extent) tell()
    })
    return () => {
      stop()
      look.end()
    }
  }, [group])
  return told.group === group ? told.range : shownRange(group.store.getState())
}

function same(one: Range, other: Range): boolean {
  return one[0] === other[0] && one[1] === other[1]
}
