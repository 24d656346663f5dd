// @vitest-environment node
import fc from 'fast-check'
import { beforeEach, expect, it } from 'vitest'
import { readRoute } from '../../../../src-renderer/state/kept-route'
import { recipesRoute } from '../../../../src-renderer/state/recipe-place'
import { routes, type Route } from '../../../../src-renderer/state/route'

beforeEach(() => routes.setState({ entries: [{ page: 'runs' }], at: 0 }))

const here = (): Route | undefined => routes.getState().entries[routes.getState().at]

it('goes, comes back and goes forward again', () => {
  const { go, back, forward } = routes.getState()
  go({ page: 'recipes' })
  go({ page: 'new' })
  back()
  expect(here()).toEqual({ page: 'recipes' })
  forward()
  expect(here()).toEqual({ page: 'new' })
  back()
  go({ page: 'settings', section: 'about' })
  forward()
  expect(here()).toEqual({ page: 'settings', section: 'about' })
})

it('does not remember going where one is', () => {
  routes.getState().go({ page: 'runs' })
  expect(routes.getState().entries).toHaveLength(1)
})

it('always stands on an entry, whatever is done', () => {
  const step = fc.constantFrom('go', 'back', 'forward', 'replace')
  fc.assert(
    fc.property(fc.array(fc.tuple(step, fc.nat(300)), { maxLength: 300 }), (steps) => {
      routes.setState({ entries: [{ page: 'runs' }], at: 0 })
      for (const [act, n] of steps) {
        const store = routes.getState()
        if (act === 'go') store.go({ page: 'run', id: `r-${n}`, tab: 'log' })
        else if (act === 'replace') store.replace({ page: 'run', id: `r-${n}`, tab: 'stack' })
        else store[act === 'back' ? 'back' : 'forward']()
      }
      expect(here()).toBeDefined()
      expect(routes.getState().entries.length).toBeLessThanOrEqual(100)
    })
  )
})

it('leads back to the recipe one was at, and to the list after that was looked at', () => {
  const { go } = routes.getState()
  expect(recipesRoute()).toEqual({ page: 'recipes' })
  go({ page: 'recipes', path: '/r/a.yaml' })
  go({ page: 'runs' })
  expect(recipesRoute()).toEqual({ page: 'recipes', path: '/r/a.yaml' })
  go({ page: 'recipes' })
  go({ page: 'runs' })
  expect(recipesRoute()).toEqual({ page: 'recipes' })
})

it('reads every place it has written, and nothing else', () => {
  const places: Route[] = [
    { page: 'runs' },
    { page: 'new' },
    { page: 'new', recipe: '/r/a.yaml' },
    { page: 'run', id: 'r-1', tab: 'stack' },
    { page: 'recipes' },
    { page: 'recipes', path: '/r/a.yaml' },
    { page: 'settings', section: 'keyboard' }
  ]
  for (const place of places) expect(readRoute(JSON.stringify(place))).toEqual(place)
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      expect(readRoute(text)).toEqual({ page: 'runs' })
    })
  )
  expect(readRoute('{"page":"run","id":"r","tab":"toString"}')).toEqual({ page: 'runs' })
})
