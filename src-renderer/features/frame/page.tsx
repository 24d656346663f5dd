import { lazy, Suspense, useEffect } from 'react'
import { useRoute, type Route } from '../../state'
import { RunsPage } from '../runs'
import { SafePanel } from '../shared/safe-panel'

// The window opens on Runs; the other pages load in the first quiet moment after it is drawn, so that a cold start
// does not wait for them and a click later does not either.
const load = {
  launch: () => import('../launch'),
  recipes: () => import('../recipes'),
  run: () => import('../run'),
  settings: () => import('../settings')
}
const LaunchPage = lazy(async () => ({ default: (await load.launch()).LaunchPage }))
const RecipesPage = lazy(async () => ({ default: (await load.recipes()).RecipesPage }))
const RunPage = lazy(async () => ({ default: (await load.run()).RunPage }))
const SettingsPage = lazy(async () => ({ default: (await load.settings()).SettingsPage }))

/** The page the route names. A fault in it leaves the frame alive. */
export function Page() {
  const route = useRoute()
  useEffect(loadWhenQuiet, [])
  return (
    <SafePanel key={keyOf(route)}>
      <Suspense fallback={<div className="flex-1" aria-busy="true" />}>{pageFor(route)}</Suspense>
    </SafePanel>
  )
}

function loadWhenQuiet(): () => void {
  const handle = requestIdleCallback(
    () => {
      // A page that cannot be loaded says so when it is opened; here nobody waits for it.
      void Promise.allSettled(Object.values(load).map((page) => page()))
    },
    { timeout: 3000 }
  )
  return () => cancelIdleCallback(handle)
}

/** Pages of one kind share state across their tabs, so a tab is not part of the key. */
function keyOf(route: Route): string {
  switch (route.page) {
    case 'run':
      return `run/${route.id}`
    case 'new':
      return `new/${route.recipe ?? ''}`
    default:
      return route.page
  }
}

function pageFor(route: Route) {
  switch (route.page) {
    case 'runs':
      return <RunsPage />
    case 'new':
      return <LaunchPage recipe={route.recipe} />
    case 'run':
      return <RunPage runId={route.id} tab={route.tab} />
    case 'recipes':
      return <RecipesPage path={route.path ?? null} />
    case 'settings':
      return <SettingsPage section={route.section} />
  }
}
