import { LogView } from './log-view'

/** The whole log. */
export function LogTab(props: { runId: string; imported: boolean }) {
  return (
    <div className="flex min-h-0 flex-1 flex-col bg-panel">
      <LogView runId={props.runId} imported={props.imported} />
    </div>
  )
}
