import { ChevronDown, ChevronUp, Maximize2 } from 'lucide-react'
import { memo } from 'react'
import { useTranslation } from 'react-i18next'
import { go, layout } from '../../state'
import { Icon, IconButton } from '../../ui'
import { LogView } from './log-view'
import { useLogSources } from './use-log'

/** The log under the curves. A record that was made of files without a log will never have one. */
export const LogDock = memo(function LogDock(props: { runId: string; imported: boolean }) {
  return props.imported ? <ImportedDock runId={props.runId} /> : <Dock {...props} />
})

function ImportedDock(props: { runId: string }) {
  const { source } = useLogSources(props.runId)
  return source === undefined ? null : <Dock runId={props.runId} imported />
}

/** The last lines, and a way to all of them. */
function Dock(props: { runId: string; imported: boolean }) {
  const { t } = useTranslation('log')
  const open = layout((store) => store.logDock)
  const toggle = layout((store) => store.toggleLogDock)
  const head = (
    <>
      <button
        type="button"
        className="flex flex-none items-center gap-1 font-semibold"
        aria-expanded={open}
        title={open ? t('hide') : t('show')}
        onClick={toggle}
        data-testid="log-dock-toggle"
      >
        <Icon of={open ? ChevronDown : ChevronUp} size="medium" />
        {t('title')}
      </button>
      <IconButton
        size="small"
        variant="ghost"
        icon={Maximize2}
        label={t('full')}
        keys="Alt+5"
        onClick={() => go({ page: 'run', id: props.runId, tab: 'log' })}
      />
    </>
  )
  if (!open) {
    return (
      <section className="flex h-8 flex-none items-center gap-2 border-t border-line-1 bg-panel px-3 text-xs">
        {head}
      </section>
    )
  }
  return (
    <section
      className="flex h-[136px] flex-none flex-col border-t border-line-1 bg-panel"
      data-testid="log-dock"
    >
      <LogView runId={props.runId} imported={props.imported} small head={head} />
    </section>
  )
}
