import { useEffect, useState } from 'react'
import { flushSync } from 'react-dom'

/**
 * A value one task after it came, rendered in a task of its own. Parts of a page that change together take it where all
 * of them at once would hold the page up: between two of them a click or a key is answered.
 */
export function useLater<T>(value: T): T {
  const [told, setTold] = useState({ value })
  useEffect(() => {
    if (told.value === value) return
    // Rendered here and now: left to React, all that came by then would be rendered at once after all.
    const timer = setTimeout(() => flushSync(() => setTold({ value })))
    return () => clearTimeout(timer)
  }, [told, value])
  return told.value
}
