import type { RunDetail } from '@contract/run'
import type { RunTab } from '../../state'
import { LogTab } from '../log'
import { NotesTab } from '../notes'
import { StackTab } from '../stack'
import { PreflightTab } from './preflight-tab'
import { RecipeTab } from './recipe-tab'

/** What the chosen tab shows. */
export function TabContent(props: { detail: RunDetail; tab: RunTab }) {
  const { detail, tab } = props
  const runId = detail.summary.id
  switch (tab) {
    case 'curves':
    case 'releases':
    case 'compare':
      return null
    case 'stack':
      return <StackTab detail={detail} />
    case 'log':
      return <LogTab runId={runId} />
    case 'recipe':
      return <RecipeTab detail={detail} />
    case 'preflight':
      return <PreflightTab runId={runId} />
    case 'notes':
      return <NotesTab detail={detail} />
  }
}
