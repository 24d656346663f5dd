import { afterEach, describe, expect, it } from 'vitest'
import { keepRowsUnselected } from '../../../../src-renderer/ui'

keepRowsUnselected()

/** Presses an element for the nth time in a row; whether the browser may select words there. */
function press(element: Element, detail: number): boolean {
  return element.dispatchEvent(
    new MouseEvent('mousedown', { detail, bubbles: true, cancelable: true })
  )
}

const part = (id: string): Element => {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`no ${id}`)
  return found
}

describe('a double click', () => {
  afterEach(() => document.body.replaceChildren())

  it('selects no words of a row that it opens, and those of a text as ever', () => {
    document.body.innerHTML = '<div data-opens><b id="cell">run</b></div><p id="text">words</p>'
    expect([press(part('cell'), 1), press(part('cell'), 2)]).toEqual([true, false])
    expect([press(part('text'), 1), press(part('text'), 2)]).toEqual([true, true])
  })

  it('selects nothing of the page that its first press opened', () => {
    document.body.innerHTML = '<div data-opens><b id="cell">run</b></div>'
    press(part('cell'), 1)
    document.body.innerHTML = '<p id="text">words</p>'
    expect(press(part('text'), 2)).toBe(false)
    expect([press(part('text'), 1), press(part('text'), 2)]).toEqual([true, true])
  })
})
