import type { RunDetail } from '@contract/run'
import type { RunTab } from '../../state'
import { CompareTab } from '../compare'
import { CurvesTab } from '../curves'
import { LogDock, LogTab } from '../log'
import { NoReleases } from '../nexrl-run'
import { NotesTab } from '../notes'
import { RecordsTab } from '../records'
import { ReleasesTab } from '../releases'
import { StackTab } from '../stack'
import { WeaverTab } from '../weaver'
import { PreflightTab } from './preflight-tab'
import { RecipeTab } from './recipe-tab'

/** What the chosen tab shows. */
export function TabContent(props: { detail: RunDetail; tab: RunTab }) {
  const { detail, tab } = props
  const runId = detail.summary.id
  const imported = detail.summary.state.kind === 'imported'
  switch (tab) {
    case 'curves':
      return (
        <>
          <CurvesTab runId={runId} />
          <LogDock runId={runId} imported={imported} />
        </>
      )
    case 'releases':
      return detail.nexrl === undefined ? (
        <ReleasesTab runId={runId} />
      ) : (
        <NoReleases run={runId} pipeline={detail.nexrl} />
      )
    case 'compare':
      return <CompareTab runId={runId} />
    case 'stack':
      return <StackTab detail={detail} />
    case 'log':
      return <LogTab runId={runId} imported={imported} />
    case 'recipe':
      return <RecipeTab detail={detail} />
    case 'preflight':
      return <PreflightTab runId={runId} />
    case 'records':
      return <RecordsTab detail={detail} />
    case 'notes':
      return <NotesTab detail={detail} />
    case 'weaver':
      return detail.nexrl === undefined ? null : <WeaverTab run={runId} pipeline={detail.nexrl} />
  }
}
