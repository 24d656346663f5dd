import { useLayoutEffect, useRef } from 'react'
import type { RefObject } from 'react'

/** The value of the last render, for callbacks that must stay the same object. */
export function useLatest<T>(value: T): RefObject<T> {
  const box = useRef(value)
  useLayoutEffect(() => {
    box.current = value
  })
  return box
}
