import { useEffect, useRef, useState } from 'react'
import type { RefObject } from 'react'

/** How far outside the window a panel is made ready, in CSS pixels. */
const AHEAD = '160px'

/** Whether an element is in or near sight. */
export function useInView(): { ref: RefObject<HTMLDivElement | null>; inView: boolean } {
  const ref = useRef<HTMLDivElement>(null)
  const [inView, setInView] = useState(false)
  useEffect(() => {
    const element = ref.current
    if (element === null) return
    const observer = new IntersectionObserver(
      (entries) => {
        const latest = entries.at(-1)
        if (latest !== undefined) setInView(latest.isIntersecting)
      },
      { rootMargin: AHEAD }
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return { ref, inView }
}
