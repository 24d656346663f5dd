import { useEffect, useState } from 'react'
import { createReleaseLane, type LaneBlock, type LitPiece, type ReleaseLane } from '../../charts'

/** The lane of a page's charts, the same for as long as the page is there, whatever comes in. */
export function useReleaseLane(lane: readonly LaneBlock[], lit: readonly LitPiece[]): ReleaseLane {
  const [store] = useState(() => createReleaseLane({ lane, lit }))
  useEffect(() => {
    const now = store.getState()
    if (now.lane !== lane || now.lit !== lit) store.setState({ lane, lit })
  }, [store, lane, lit])
  return store
}
