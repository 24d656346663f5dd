/** Text that ends in an ellipsis (class `el`) says itself whole in a tooltip of the system while the pointer is on it. */
function say(element: HTMLElement): void {
  const ours = element.dataset['whole'] !== undefined
  if (!ours && element.title !== '') return
  if (element.scrollWidth > element.clientWidth) {
    element.title = element.textContent
    element.dataset['whole'] = ''
  } else if (ours) {
    element.removeAttribute('title')
    delete element.dataset['whole']
  }
}

/**
 * Watches for the pointer over cut text anywhere, so that no place can forget it.
 * @returns stops watching
 */
export function sayCutTextWhole(): () => void {
  const onOver = (event: PointerEvent): void => {
    const element = event.target instanceof Element ? event.target.closest('.el') : null
    if (element instanceof HTMLElement) say(element)
  }
  window.addEventListener('pointerover', onOver, true)
  return () => window.removeEventListener('pointerover', onOver, true)
}
