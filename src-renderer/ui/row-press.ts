/**
 * Keeps the second press of a double click from selecting words where the click is for something else: on a row (in
 * what has `data-opens`), and on a page that the first press has opened. Words elsewhere are selected as ever.
 */
export function keepRowsUnselected(): void {
  let first: EventTarget | null = null
  document.addEventListener(
    'mousedown',
    (event) => {
      if (event.detail <= 1) first = event.target
      else if (isOfRow(event.target) || isGone(first)) event.preventDefault()
    },
    true
  )
}

const isOfRow = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('[data-opens]') !== null

const isGone = (target: EventTarget | null): boolean =>
  target instanceof Node && !target.isConnected
