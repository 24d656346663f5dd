import { useStore } from 'zustand'
import { useShallow } from 'zustand/react/shallow'
import type { ChartGroup, GroupState } from './chart-group'

/** Reads a part of the shared state; the component redraws only when that part changes. */
export function useGroupState<T>(group: ChartGroup, select: (state: GroupState) => T): T {
  return useStore(group.store, useShallow(select))
}
