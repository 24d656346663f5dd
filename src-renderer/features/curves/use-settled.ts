import { useEffect, useRef, useState } from 'react'

/**
 * A value that has not changed for a while: what is asked of the engine while a person drags. One that `keepsMoving`
 * by itself never rests: of it the newest is given as often as it would have been given resting.
 */
export function useSettled<T>(value: T, milliseconds: number, keepsMoving = false): T {
  const [settled, setSettled] = useState(value)
  const latest = useRef(value)
  const moved = !Object.is(settled, value)
  const restarts = keepsMoving ? null : value
  useEffect(() => {
    latest.current = value
  })
  useEffect(() => {
    if (!moved) return
    const timer = setTimeout(() => setSettled(latest.current), milliseconds)
    return () => clearTimeout(timer)
  }, [moved, milliseconds, restarts])
  return settled
}
