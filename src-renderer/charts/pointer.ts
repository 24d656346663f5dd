import type { ChartEvents } from './chart-handle'
import type { Range } from './view-range'

/** Movements under this many CSS pixels are a click. */
const CLICK_SLOP = 4
/** One notch of a usual wheel is 100 units; it changes the shown width by about a fifth. */
const ZOOM_PER_UNIT = 1.002

export type PointerGeometry = {
  /** x in axis units of a CSS pixel offset within the plot. */
  readonly toX: (left: number) => number
  readonly range: () => Range
}

type Drag =
  | { readonly kind: 'none' }
  | { readonly kind: 'select'; readonly from: number; readonly box: HTMLElement }
  | { readonly kind: 'pan'; readonly last: number }

/**
 * What the pointer does on a plot: drag selects a range to zoom to, Shift+drag or the middle button pans,
 * Ctrl+wheel (and a pinch) zooms about the pointer, a sideways or Shift wheel pans, double-click resets.
 * A plain wheel is left to the page, which scrolls.
 * @returns stops listening
 */
export function bindPointer(
  over: HTMLElement,
  events: ChartEvents,
  geometry: PointerGeometry
): () => void {
  let drag: Drag = { kind: 'none' }
  const controller = new AbortController()
  const { signal } = controller
  const offset = (event: MouseEvent): number => {
    const box = over.getBoundingClientRect()
    return Math.min(box.width, Math.max(0, event.clientX - box.left))
  }
  const perPixel = (): number => {
    const [low, high] = geometry.range()
    return (high - low) / Math.max(1, over.clientWidth)
  }
  const end = (): void => {
    if (drag.kind === 'select') drag.box.remove()
    drag = { kind: 'none' }
  }

  const onDown = (event: PointerEvent): void => {
    const left = offset(event)
    const pans = event.button === 1 || (event.button === 0 && event.shiftKey)
    if (!pans && event.button !== 0) return
    over.setPointerCapture(event.pointerId)
    if (pans) {
      event.preventDefault()
      drag = { kind: 'pan', last: left }
    } else drag = { kind: 'select', from: left, box: selectionBox(over) }
  }
  const onMove = (event: PointerEvent): void => {
    const left = offset(event)
    events.onCross(geometry.toX(left))
    switch (drag.kind) {
      case 'none':
        return
      case 'select':
        stretch(drag.box, drag.from, left)
        return
      case 'pan':
        events.onPan((drag.last - left) * perPixel())
        drag = { kind: 'pan', last: left }
    }
  }
  const onUp = (event: PointerEvent): void => {
    const left = offset(event)
    const ended = drag
    end()
    if (ended.kind !== 'select') return
    if (Math.abs(left - ended.from) < CLICK_SLOP) events.onPick(geometry.toX(left))
    else {
      const ends = [geometry.toX(ended.from), geometry.toX(left)]
      events.onSelect([Math.min(...ends), Math.max(...ends)])
    }
  }
  const onWheel = (event: WheelEvent): void => {
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault()
      events.onZoom(geometry.toX(offset(event)), ZOOM_PER_UNIT ** event.deltaY)
      return
    }
    const sideways = event.shiftKey ? event.deltaX + event.deltaY : event.deltaX
    if (Math.abs(sideways) <= Math.abs(event.shiftKey ? 0 : event.deltaY)) return
    event.preventDefault()
    events.onPan(sideways * perPixel())
  }

  over.addEventListener('pointerdown', onDown, { signal })
  over.addEventListener('pointermove', onMove, { signal })
  over.addEventListener('pointerup', onUp, { signal })
  over.addEventListener('pointercancel', end, { signal })
  over.addEventListener('pointerleave', () => events.onCross(null), { signal })
  over.addEventListener('dblclick', () => events.onReset(), { signal })
  over.addEventListener('wheel', onWheel, { signal, passive: false })
  return () => controller.abort()
}

function selectionBox(over: HTMLElement): HTMLElement {
  const box = document.createElement('div')
  box.className = 'chart-selection'
  over.append(box)
  return box
}

function stretch(box: HTMLElement, from: number, to: number): void {
  box.style.left = `${Math.min(from, to)}px`
  box.style.width = `${Math.abs(to - from)}px`
}
