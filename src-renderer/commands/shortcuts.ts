import { actsWhileTyping, isChord } from './keys'
import { activeCommands, registry, type Command } from './registry'

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return target.isContentEditable || target.matches('input, textarea, select')
}

/** Inside dialogs and menus the keys belong to them. */
function isInLayer(target: EventTarget | null): boolean {
  return (
    target instanceof Element &&
    target.closest('[role=dialog], [role=alertdialog], [role=menu], [role=listbox]') !== null
  )
}

/** Enter and Space press the focused button; no command may take them from it. */
function pressesFocused(event: KeyboardEvent): boolean {
  const plain = event.key === 'Enter' || event.key === ' '
  const modified = event.ctrlKey || event.metaKey || event.altKey
  return (
    plain &&
    !modified &&
    event.target instanceof Element &&
    event.target.closest('button, a, [role=tab], [role=radio], [role=checkbox]') !== null
  )
}

/** The command a key press means here, or undefined. The last registered one wins. */
export function commandFor(
  event: KeyboardEvent,
  commands: readonly Command[]
): Command | undefined {
  if (event.isComposing || event.defaultPrevented) return undefined
  if (isInLayer(event.target) || pressesFocused(event)) return undefined
  const typing = isTyping(event.target)
  return [...commands]
    .reverse()
    .find((command) =>
      (command.keys ?? []).some(
        (keys) => (!typing || actsWhileTyping(keys)) && isChord(keys, event)
      )
    )
}

/**
 * Runs commands by their keys.
 * @returns stops listening
 */
export function listenForShortcuts(): () => void {
  const listener = (event: KeyboardEvent): void => {
    const command = commandFor(event, activeCommands(registry.getState().sets))
    if (command === undefined) return
    event.preventDefault()
    if (command.off === undefined) command.run()
  }
  window.addEventListener('keydown', listener)
  return () => window.removeEventListener('keydown', listener)
}
