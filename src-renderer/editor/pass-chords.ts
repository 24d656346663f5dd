/** Chords of the window that the editor would otherwise take for itself: palette, launch. */
const PASSED = ['k', 'enter']

/**
 * Hands the window's own chords on before the editor sees them.
 * @returns stops doing so
 */
export function passChords(host: HTMLElement): () => void {
  const listener = (event: KeyboardEvent): void => {
    const { key, ctrlKey, metaKey, altKey, shiftKey } = event
    if (!(ctrlKey || metaKey) || altKey || shiftKey || !PASSED.includes(key.toLowerCase())) return
    event.preventDefault()
    event.stopPropagation()
    window.dispatchEvent(new KeyboardEvent('keydown', { key, ctrlKey, metaKey, cancelable: true }))
  }
  host.addEventListener('keydown', listener, { capture: true })
  return () => host.removeEventListener('keydown', listener, { capture: true })
}
