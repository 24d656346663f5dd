import { createStore } from 'zustand/vanilla'
import type { StoreApi } from 'zustand/vanilla'
import type { Range } from './view-range'
import { following, panned, roomyExtent, showsNewest, zoomed } from './view-range'

/** What all charts of a page share: x range, crosshair, and whether the right edge follows new samples. */
export type GroupState = {
  /** Shown x range; null shows everything. */
  readonly range: Range | null
  /** Whether new samples move the view. Looking back ends it. */
  readonly live: boolean
  /** Whole x extent over the group's charts, as far as known. */
  readonly extent: Range | null
  /** Crosshair position in x units, and the chart under the pointer. */
  readonly cross: { readonly x: number; readonly chart: string } | null
}

export type ChartGroup = {
  readonly store: StoreApi<GroupState>
  /** Shows a range a person chose; live goes on only while the newest x stays in sight. */
  readonly show: (range: Range) => void
  readonly zoom: (centre: number, factor: number) => void
  readonly pan: (distance: number) => void
  /** Everything again, live. */
  readonly reset: () => void
  readonly toggleLive: () => void
  /** A chart tells what extent its data have. Extents only ever grow together, see `forget`. */
  readonly grow: (extent: Range) => void
  /** Drops range and extent, because the axis changed its meaning. */
  readonly forget: () => void
  readonly cross: (at: { x: number; chart: string } | null) => void
}

/** What the page shows now: the chosen range, else everything with a little room for what comes. */
export function shownRange(state: Pick<GroupState, 'range' | 'extent' | 'live'>): Range {
  if (state.range !== null) return state.range
  if (state.extent === null) return [0, 1]
  return roomyExtent(state.extent)
}

/** Makes the shared state of a page's charts. */
export function createChartGroup(): ChartGroup {
  const store = createStore<GroupState>(() => ({
    range: null,
    live: true,
    extent: null,
    cross: null
  }))
  const bounds = (state: GroupState): Range | null =>
    state.extent === null ? null : roomyExtent(state.extent)
  const show = (range: Range): void => {
    store.setState((state) => {
      const newest = state.extent?.[1]
      return { range, live: state.live && newest !== undefined && showsNewest(range, newest) }
    })
  }
  return {
    store,
    show,
    zoom: (centre, factor) => {
      const state = store.getState()
      show(zoomed(shownRange(state), centre, factor, bounds(state)))
    },
    pan: (distance) => {
      const state = store.getState()
      show(panned(shownRange(state), distance, bounds(state)))
    },
    reset: () => store.setState({ range: null, live: true }),
    toggleLive: () => store.setState((state) => (state.live ? held(state) : resumed(state))),
    grow: (extent) =>
      store.setState((state) => {
        const known = state.extent
        const grown: Range =
          known === null ? extent : [Math.min(known[0], extent[0]), Math.max(known[1], extent[1])]
        if (known !== null && grown[0] === known[0] && grown[1] === known[1]) return state
        const range =
          state.live && state.range !== null ? following(state.range, grown[1]) : state.range
        return { extent: grown, range }
      }),
    forget: () => store.setState({ range: null, live: true, extent: null, cross: null }),
    cross: (at) => store.setState({ cross: at })
  }
}

/** Live off: what is in sight stays in sight. */
function held(state: GroupState): Partial<GroupState> {
  return { live: false, range: state.range ?? (state.extent === null ? null : shownRange(state)) }
}

/** Live on: the newest x comes into sight, at the zoom one had. Having seen all, one sees all again. */
function resumed(state: GroupState): Partial<GroupState> {
  if (state.range === null || state.extent === null) return { live: true }
  const sawStart = state.range[0] <= state.extent[0]
  return { live: true, range: sawStart ? null : following(state.range, state.extent[1]) }
}
