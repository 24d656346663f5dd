import { useVirtualizer, type Virtualizer, type VirtualizerOptions } from '@tanstack/react-virtual'
import type { RefObject } from 'react'

/**
 * The visible rows of a long list. One place for the call, because its answers must not be memoised: the React
 * compiler's rules warn of it in every component that calls it directly, and no code here is compiled by it.
 */
export function useVirtualRows(
  scroller: RefObject<HTMLDivElement | null>,
  options: Pick<VirtualizerOptions<HTMLDivElement, Element>, 'count' | 'estimateSize'> &
    Partial<Pick<VirtualizerOptions<HTMLDivElement, Element>, 'overscan' | 'getItemKey'>>
): Virtualizer<HTMLDivElement, Element> {
  return useVirtualizer({ ...options, getScrollElement: () => scroller.current })
}
