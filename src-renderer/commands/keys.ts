import { chordParts } from '../ui/chord'

/** The part of a keyboard event a match needs. */
export interface KeyPress {
  key: string
  ctrlKey: boolean
  metaKey: boolean
  altKey: boolean
  shiftKey: boolean
}

/**
 * Whether a key press is the chord `keys`, e.g. `Mod+K`, `Alt+1`, `?`, `J`. `Mod` is Ctrl or Command.
 * Shift counts only where a letter or a named key is meant: `?` is typed with Shift on some keyboards and without on others.
 */
export function isChord(keys: string, press: KeyPress): boolean {
  const { modifiers, key: wanted } = chordParts(keys)
  const mod = modifiers.includes('Mod')
  const alt = modifiers.includes('Alt')
  const shift = modifiers.includes('Shift')
  if ((press.ctrlKey || press.metaKey) !== mod || press.altKey !== alt) return false
  const symbol = wanted.length === 1 && !/[a-z]/i.test(wanted)
  if (!symbol && press.shiftKey !== shift) return false
  const pressed = press.key === ' ' ? 'Space' : press.key
  return pressed.toLowerCase() === wanted.toLowerCase()
}

/** True for chords that also act while someone types: those with Ctrl or Alt, Escape and function keys. */
export function actsWhileTyping(keys: string): boolean {
  return /(^|\+)(Mod|Alt)\+/.test(keys) || keys === 'Escape' || /^F\d+$/.test(keys)
}
