import { useRoute, type Route } from '../../state'
import { LaunchPage } from '../launch'
import { RecipesPage } from '../recipes'
import { RunPage } from '../run'
import { RunsPage } from '../runs'
import { SettingsPage } from '../settings'
import { SafePanel } from '../shared/safe-panel'

/** The page the route names. A fault in it leaves the frame alive. */
export function Page() {
  const route = useRoute()
  return <SafePanel key={keyOf(route)}>{pageFor(route)}</SafePanel>
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
      return <RecipesPage />
    case 'settings':
      return <SettingsPage section={route.section} />
  }
}
