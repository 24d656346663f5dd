import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PanelPlace } from '@contract/settings'
import {
  arrange,
  changed,
  hiddenCount,
  moved
} from '../../../../src-renderer/features/curves/panel-layout'

const panels = ['reward', 'loss', 'entropy', 'time'].map((id) => ({ id }))
const idsOf = (places: readonly PanelPlace[], some = panels): string[] =>
  arrange(some, places).map(({ panel }) => panel.id)

describe('the arrangement of panels', () => {
  it('is the default one until a person changes it', () => {
    expect(idsOf([])).toEqual(['reward', 'loss', 'entropy', 'time'])
  })

  it('moves, widens and hides, and puts everything back', () => {
    const first = moved(panels, [], 'entropy', -1)
    expect(idsOf(first)).toEqual(['reward', 'entropy', 'loss', 'time'])
    const second = changed(panels, first, 'reward', { hidden: true })
    expect(idsOf(second)).toEqual(['entropy', 'loss', 'time'])
    expect(hiddenCount(panels, second)).toBe(1)
    // A hidden panel in between is no place of its own.
    expect(idsOf(moved(panels, second, 'loss', -1))).toEqual(['loss', 'entropy', 'time'])
    const wide = changed(panels, second, 'time', { wide: true })
    expect(arrange(panels, wide).map((each) => each.wide)).toEqual([false, false, true])
    expect(moved(panels, second, 'entropy', -1)).toEqual(second)
  })

  it('keeps the place of a panel that has no data now, and takes a new one in where it stands', () => {
    const places = moved(panels, [], 'time', -3)
    const fewer = panels.filter(({ id }) => id !== 'loss')
    const later = moved(fewer, places, 'entropy', -1)
    expect(later.map(({ id }) => id)).toContain('loss')
    const more = [...panels.slice(0, 2), { id: 'new' }, ...panels.slice(2)]
    expect(idsOf(places, more)).toEqual(['time', 'reward', 'loss', 'new', 'entropy'])
  })

  it('never loses a panel or shows one twice', () => {
    const act = fc.record({
      id: fc.constantFrom(...panels.map(({ id }) => id)),
      by: fc.constantFrom(-1, 1),
      hide: fc.boolean(),
      move: fc.boolean()
    })
    fc.assert(
      fc.property(fc.array(act, { maxLength: 12 }), (acts) => {
        const places = acts.reduce<PanelPlace[]>(
          (now, { id, by, hide, move }) =>
            move ? moved(panels, now, id, by) : changed(panels, now, id, { hidden: hide }),
          []
        )
        const shown = idsOf(places)
        expect(new Set(shown).size).toBe(shown.length)
        expect(shown.length + hiddenCount(panels, places)).toBe(panels.length)
      })
    )
  })
})
