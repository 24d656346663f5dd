import { afterEach, describe, expect, it } from 'vitest'
import { isChord } from '../../../../src-renderer/commands/keys'
import { activeCommands, type Command } from '../../../../src-renderer/commands/registry'
import { keyParts } from '../../../../src-renderer/ui/keys'
import { commandFor } from '../../../../src-renderer/commands/shortcuts'

const press = (key: string, more: KeyboardEventInit = {}): KeyboardEvent =>
  new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more })

const command = (id: string, keys: string[]): Command => ({
  id,
  title: id,
  group: 'app',
  keys,
  run: () => undefined
})

/** The command found for a key pressed on an element with this markup. */
function pressedOn(markup: string, event: KeyboardEvent, commands: Command[]): string | undefined {
  document.body.innerHTML = markup
  let found: string | undefined
  const listener = (heard: Event): void => {
    if (heard instanceof KeyboardEvent) found = commandFor(heard, commands)?.id
  }
  document.addEventListener('keydown', listener, { once: true })
  document.body.querySelector('[data-here]')?.dispatchEvent(event)
  return found
}

afterEach(() => {
  document.body.innerHTML = ''
})

describe('isChord', () => {
  it.each([
    ['Mod+K', press('k', { ctrlKey: true }), true],
    ['Mod+K', press('k', { metaKey: true }), true],
    ['Mod+K', press('k'), false],
    ['N', press('n'), true],
    ['N', press('n', { ctrlKey: true }), false],
    ['N', press('N', { shiftKey: true }), false],
    ['?', press('?', { shiftKey: true }), true],
    ['/', press('/'), true],
    ['Space', press(' '), true],
    ['Alt+1', press('1', { altKey: true }), true],
    ['Alt+1', press('1'), false],
    ['+', press('+', { shiftKey: true }), true],
    ['Mod++', press('+', { ctrlKey: true }), true],
    ['Mod+Enter', press('Enter', { ctrlKey: true }), true]
  ])('%s', (keys, event, expected) => {
    expect(isChord(keys, event)).toBe(expected)
  })
})

it('names the keys of a chord, the plus too', () => {
  expect(keyParts('Mod+Enter', 'Linux')).toEqual(['Ctrl', '↵'])
  expect(keyParts('Mod+Enter', 'MacIntel')).toEqual(['⌘', '↵'])
  expect(keyParts('+', 'Linux')).toEqual(['+'])
  expect(keyParts('Mod++', 'Linux')).toEqual(['Ctrl', '+'])
  expect(keyParts('n', 'Linux')).toEqual(['N'])
})

describe('commandFor', () => {
  const commands = [
    command('new', ['N']),
    command('palette', ['Mod+K']),
    command('open', ['Enter']),
    command('live', ['Space'])
  ]

  it('lets single letters be typed', () => {
    expect(pressedOn('<input data-here />', press('n'), commands)).toBeUndefined()
    expect(pressedOn('<div data-here></div>', press('n'), commands)).toBe('new')
  })

  it('acts on chords while someone types', () => {
    expect(pressedOn('<input data-here />', press('k', { ctrlKey: true }), commands)).toBe(
      'palette'
    )
  })

  it('leaves Enter and Space to a focused button', () => {
    expect(pressedOn('<button data-here></button>', press('Enter'), commands)).toBeUndefined()
    expect(pressedOn('<button data-here></button>', press(' '), commands)).toBeUndefined()
    expect(pressedOn('<div data-here></div>', press('Enter'), commands)).toBe('open')
  })

  it('does nothing under a dialog or a menu', () => {
    const dialog = '<div role="dialog"><p data-here></p></div>'
    expect(pressedOn(dialog, press('n'), commands)).toBeUndefined()
  })

  it('does nothing while a word is composed', () => {
    const event = press('n', { isComposing: true })
    expect(pressedOn('<div data-here></div>', event, commands)).toBeUndefined()
  })

  it('prefers the command registered last', () => {
    const twice = [...commands, command('next-page', ['N'])]
    expect(pressedOn('<div data-here></div>', press('n'), twice)).toBe('next-page')
  })
})

it('of two commands with one id the later one counts', () => {
  const first = { ...command('launch', ['A']), title: 'old' }
  const second = { ...command('launch', ['B']), title: 'new' }
  expect(activeCommands([[first], [second]]).map((each) => each.title)).toEqual(['new'])
})
