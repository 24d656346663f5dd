import { chordParts } from './chord'

/** Names of keys as they stand on a keyboard. Input is the registry's form, e.g. `Mod+Enter`. */
export function keyParts(keys: string, platform: string): string[] {
  const mac = /mac|darwin/i.test(platform)
  const { modifiers, key } = chordParts(keys)
  return [...modifiers, key].map((part) => {
    switch (part) {
      case 'Mod':
        return mac ? '⌘' : 'Ctrl'
      case 'Alt':
        return mac ? '⌥' : 'Alt'
      case 'Shift':
        return mac ? '⇧' : 'Shift'
      case 'Enter':
        return '↵'
      case 'Escape':
        return 'Esc'
      case 'ArrowUp':
        return '↑'
      case 'ArrowDown':
        return '↓'
      case 'ArrowLeft':
        return '←'
      case 'ArrowRight':
        return '→'
      default:
        return part.length === 1 ? part.toUpperCase() : part
    }
  })
}
