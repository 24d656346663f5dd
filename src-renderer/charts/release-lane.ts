import { createStore, type StoreApi } from 'zustand/vanilla'
import type { LaneBlock, LitPiece } from './marks'

type LaneState = {
  readonly lane: readonly LaneBlock[]
  readonly lit: readonly LitPiece[]
}

/**
 * The releases under the charts of a page and the pieces lit on them. They reach the charts straight from here: a
 * release that comes in, or one under the pointer, is drawn and renders no panel.
 */
export type ReleaseLane = StoreApi<LaneState>

export function createReleaseLane(first: LaneState = { lane: [], lit: [] }): ReleaseLane {
  return createStore<LaneState>(() => first)
}
