import type { WeightComparison } from '@contract/compare'
import { useEffect, useState } from 'react'
import { engine } from '../../api'

/** How far reading two checkpoints is. */
export type WeightReading =
  | { readonly kind: 'reading'; readonly share: number; readonly tensor: string }
  | { readonly kind: 'done'; readonly comparison: WeightComparison }
  | { readonly kind: 'failed'; readonly thrown: unknown }

export type WeightSides = { readonly target: string; readonly a: string; readonly b: string }

const BEGUN: WeightReading = { kind: 'reading', share: 0, tensor: '' }

/** Reads both sides while it is shown, and stops reading when it is not. `round` reads them again. */
export function useWeights(sides: WeightSides, round: number): WeightReading {
  const { target, a, b } = sides
  const key = JSON.stringify([target, a, b, round])
  const [state, setState] = useState<{ key: string; reading: WeightReading }>({
    key,
    reading: BEGUN
  })
  useEffect(() => {
    const aborter = new AbortController()
    const show = (reading: WeightReading): void => {
      if (!aborter.signal.aborted) setState({ key, reading })
    }
    const read = async (): Promise<void> => {
      const events = await engine.compare.weights({ target, a, b }, { signal: aborter.signal })
      for await (const event of events) {
        if (event.kind === 'done') show(event)
        else
          show({
            kind: 'reading',
            share: event.total === 0 ? 0 : event.done / event.total,
            tensor: event.tensor
          })
      }
    }
    read().catch((thrown: unknown) => {
      show({ kind: 'failed', thrown })
    })
    return () => {
      aborter.abort()
    }
  }, [target, a, b, key])
  return state.key === key ? state.reading : BEGUN
}
