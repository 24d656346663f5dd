import { useVirtualizer, type Virtualizer, type VirtualizerOptions } from '@tanstack/react-virtual'
import type { RefObject } from 'react'

/**
 * The visible rows of a long list. One place for the call, because the linter rightly says that its answers must not
 * be memoised: nothing here is compiled by the React compiler.
 */
export function useVirtualRows(
  scroller: RefObject<HTMLDivElement | null>,
  options: Pick<VirtualizerOptions<HTMLDivElement, Element>, 'count' | 'estimateSize'> &
    Partial<Pick<VirtualizerOptions<HTMLDivElement, Element>, 'overscan' | 'getItemKey'>>
): Virtualizer<HTMLDivElement, Element> {
  // eslint-disable-next-line react-hooks/incompatible-library
  return useVirtualizer({ ...options, getScrollElement: () => scroller.current })
}
