/** Keys that write or act as a one-letter shortcut do not move the focus; the others may. */
function movesFocus(event: KeyboardEvent): boolean {
  const modifier = ['Shift', 'Control', 'Alt', 'Meta'].includes(event.key)
  const letter = event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey
  return !modifier && !letter
}

/**
 * Keeps `data-keys` on the document while the keyboard leads: the focus ring shows only then. The browser's own rule
 * draws a ring around what the mouse pressed as soon as any key follows, also a shortcut that has nothing to do with it.
 * @returns stops listening
 */
export function followFocusRing(): () => void {
  const root = document.documentElement
  const onKey = (event: KeyboardEvent): void => {
    if (movesFocus(event)) root.dataset['keys'] = ''
  }
  const onPointer = (): void => {
    delete root.dataset['keys']
  }
  window.addEventListener('keydown', onKey, true)
  window.addEventListener('pointerdown', onPointer, true)
  return () => {
    window.removeEventListener('keydown', onKey, true)
    window.removeEventListener('pointerdown', onPointer, true)
  }
}
