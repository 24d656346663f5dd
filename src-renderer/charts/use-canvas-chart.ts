import { useEffect, useRef, useState } from 'react'
import type { RefObject } from 'react'
import type { createCanvasChart } from './canvas-chart'
import type { AxisKind, ChartHandle, ChartSettings } from './chart-handle'
import type { ChartGroup } from './chart-group'
import { shownRange } from './chart-group'
import type { ChartData } from './columns'
import type { ChartMarks } from './marks'
import type { SeriesLook } from './palette'
import { currentPalette, onPaletteChange } from './palette'
import type { ReleaseLane } from './release-lane'

type Drawn = {
  readonly id: string
  readonly data: ChartData
  readonly group: ChartGroup
  readonly axis: AxisKind
  readonly log: boolean
  readonly clip?: boolean
  readonly looks: ReadonlyMap<string, SeriesLook>
  readonly hidden: ReadonlySet<string>
  readonly marks: ChartMarks
  /** Where lane and lit pieces come from; without it they are those of `marks`. */
  readonly releases?: ReleaseLane | undefined
  readonly lane: boolean
  readonly stalledFor: number | null
  readonly onPick: (x: number) => void
  readonly onColumns: (columns: number) => void
}

/**
 * Keeps a canvas chart in an element for as long as the element is there. React only mounts it; range, crosshair,
 * size and theme reach the chart straight from their stores, so that moving the pointer renders nothing.
 */
export function useCanvasChart(
  host: RefObject<HTMLDivElement | null>,
  drawn: Drawn
): RefObject<ChartHandle | null> {
  const chart = useRef<ChartHandle | null>(null)
  const latest = useRef(drawn)
  const [failure, setFailure] = useState<Error | null>(null)
  if (failure !== null) throw failure
  const { id, group, data, releases } = drawn
  const { axis, scale, clip, looks, hidden, lane, stalledAt } = settingsOf(drawn)
  const { marks } = drawn

  useEffect(() => {
    latest.current = drawn
  })
  useEffect(() => {
    const element = host.current
    if (element === null) return
    let made: ReturnType<typeof mount> | null = null
    let left = false
    // The drawing library is loaded with the first chart, not with the window.
    import('./canvas-chart').then(
      (module) => {
        if (left) return
        made = mount(element, latest, module.createCanvasChart)
        chart.current = made.handle
      },
      (thrown: unknown) => setFailure(thrown instanceof Error ? thrown : new Error(String(thrown)))
    )
    return () => {
      left = true
      chart.current = null
      made?.dispose()
    }
  }, [host, group, id, releases])
  useEffect(() => {
    const all = marksOf({ marks, releases })
    chart.current?.setSettings({ axis, scale, clip, looks, hidden, marks: all, lane, stalledAt })
  }, [axis, scale, clip, looks, hidden, marks, releases, lane, stalledAt])
  useEffect(() => {
    if (data.extent !== null) group.grow(data.extent)
    chart.current?.setData(data)
  }, [data, group])
  return chart
}

/** How a chart is set up from the first: one made while its curves stand still shows that too. */
export function settingsOf(drawn: Omit<Drawn, 'group' | 'onPick' | 'onColumns'>): ChartSettings {
  const { axis, log, clip = false, looks, hidden, lane, stalledFor, data } = drawn
  const marks = marksOf(drawn)
  const stalledAt = stalledFor === null ? null : (data.extent?.[1] ?? null)
  return { axis, scale: log ? 'log' : 'linear', clip, looks, hidden, marks, lane, stalledAt }
}

function marksOf({ marks, releases }: Pick<Drawn, 'marks' | 'releases'>): ChartMarks {
  return releases === undefined ? marks : { ...marks, ...releases.getState() }
}

function mount(
  element: HTMLDivElement,
  latest: RefObject<Drawn>,
  create: typeof createCanvasChart
): { handle: ChartHandle; dispose: () => void } {
  const { group, id } = latest.current
  const handle = create({
    host: element,
    width: Math.max(120, element.clientWidth),
    height: Math.max(80, element.clientHeight),
    palette: currentPalette(),
    settings: settingsOf(latest.current),
    events: {
      onCross: (x) => group.cross(x === null ? null : { x, chart: id }),
      onSelect: group.show,
      onZoom: group.zoom,
      onPan: group.pan,
      onReset: group.reset,
      onPick: (x) => latest.current.onPick(x)
    }
  })
  handle.setRange(shownRange(group.store.getState()))
  handle.setData(latest.current.data)
  const unsubscribe = group.store.subscribe((now, before) => {
    handle.setRange(shownRange(now))
    if (now.cross !== before.cross) handle.setCross(now.cross?.x ?? null)
  })
  const unfollow = latest.current.releases?.subscribe(() =>
    handle.setSettings({ marks: marksOf(latest.current) })
  )
  const unwatch = onPaletteChange(handle.setPalette)
  const sizes = new ResizeObserver(() => {
    if (element.clientWidth === 0 || element.clientHeight === 0) return
    handle.setSize(element.clientWidth, element.clientHeight)
    latest.current.onColumns(Math.round(handle.plotBox().width))
  })
  sizes.observe(element)
  return {
    handle,
    dispose: () => {
      sizes.disconnect()
      unwatch()
      unfollow?.()
      unsubscribe()
      handle.dispose()
    }
  }
}
