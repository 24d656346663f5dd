import type { Route, RunTab, SettingsSection } from './place'

const TABS: Readonly<Record<RunTab, true>> = {
  curves: true,
  releases: true,
  compare: true,
  stack: true,
  log: true,
  recipe: true,
  preflight: true,
  records: true,
  notes: true,
  weaver: true
}

const SECTIONS: Readonly<Record<SettingsSection, true>> = {
  targets: true,
  weaver: true,
  alerts: true,
  appearance: true,
  keyboard: true,
  experimental: true,
  about: true
}

const isOneOf = <T extends string>(all: Readonly<Record<T, true>>, value: unknown): value is T =>
  typeof value === 'string' && Object.hasOwn(all, value)

function textIn(value: object, name: string): string | undefined {
  const found: unknown = Object.entries(value).find(([key]) => key === name)?.[1]
  return typeof found === 'string' ? found : undefined
}

/**
 * A place written down before the page was reloaded.
 * @param kept JSON; anything that is no place of this window leads to the list of runs.
 */
export function readRoute(kept: string | null): Route {
  const start: Route = { page: 'runs' }
  let value: unknown
  try {
    value = JSON.parse(kept ?? 'null')
  } catch (cause) {
    if (cause instanceof SyntaxError) return start
    throw cause
  }
  return typeof value === 'object' && value !== null ? (routeIn(value) ?? start) : start
}

function routeIn(value: object): Route | null {
  const id = textIn(value, 'id')
  const tab = textIn(value, 'tab')
  const section = textIn(value, 'section')
  const path = textIn(value, 'path')
  const recipe = textIn(value, 'recipe')
  switch (textIn(value, 'page')) {
    case 'new':
      return recipe === undefined ? { page: 'new' } : { page: 'new', recipe }
    case 'run':
      return id !== undefined && isOneOf(TABS, tab) ? { page: 'run', id, tab } : null
    case 'recipes':
      return path === undefined ? { page: 'recipes' } : { page: 'recipes', path }
    case 'settings':
      return isOneOf(SECTIONS, section) ? { page: 'settings', section } : null
    default:
      return null
  }
}
