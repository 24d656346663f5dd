import { ScrollText, TriangleAlert } from 'lucide-react'
import { useDeferredValue, useMemo, useRef, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { LogSource } from '@contract/logs'
import { formatCount, useText } from '../../i18n'
import { EmptyReason, InlineState } from '../../ui'
import { FailureNote } from '../shared/failure-note'
import { AllLines, FoundLines } from './log-lines'
import { logView } from './log-store'
import { LogToolbar } from './log-toolbar'
import { ProgressBars } from './progress-bars'
import { useLogSources, useSearch } from './use-log'

/** Toolbar, lines and progress bars of a run's log; an imported one does not grow. `head` stands before the toolbar. */
export function LogView(props: {
  runId: string
  imported: boolean
  small?: boolean
  head?: ReactNode
}) {
  const { runId, imported } = props
  const small = props.small === true
  const { t } = useTranslation('log')
  const { sources, progress, source, failure } = useLogSources(runId)
  const level = logView((store) => store.level)
  const text = useDeferredValue(logView((store) => store.search))
  const regex = logView((store) => store.regex)
  const caseSensitive = logView((store) => store.caseSensitive)
  const sought = useMemo(() => ({ text, regex, caseSensitive }), [text, regex, caseSensitive])
  const found = useSearch(runId, source, sought, level)
  const input = useRef<HTMLInputElement>(null)
  const headClass = `flex flex-none items-center gap-2 px-3 ${small ? 'h-8' : 'h-11'} border-b border-line-1 text-xs`
  if (source === undefined) {
    return (
      <>
        {props.head === undefined ? null : <div className={headClass}>{props.head}</div>}
        {failure === null ? (
          <EmptyReason
            className="flex-1"
            {...(small ? {} : { icon: ScrollText })}
            what={t(imported ? 'noImportedWhat' : 'noSourceWhat')}
            why={t(imported ? 'noImportedWhy' : 'noSourceWhy')}
          />
        ) : (
          <FailureNote className="m-3" thrown={failure} />
        )}
      </>
    )
  }
  return (
    <>
      <div className={headClass}>
        {props.head}
        <LogToolbar
          run={runId}
          sources={sources}
          source={source}
          found={found}
          input={input}
          imported={imported}
          small={small}
        />
      </div>
      <Faults source={source} />
      {found === null ? (
        source.lines === 0 ? (
          <EmptyReason className="flex-1" what={t('emptyWhat')} why={t('emptyWhy')} />
        ) : (
          <AllLines key={source.id} run={runId} source={source} />
        )
      ) : found.complete && found.lines.length === 0 && found.failure === undefined ? (
        <EmptyReason
          className="flex-1"
          what={t('noMatchWhat')}
          why={t('noMatchWhy', { n: formatCount(source.lines) })}
        />
      ) : (
        <>
          {found.failure === undefined ? null : (
            <FailureNote className="m-2" thrown={found.failure} />
          )}
          <FoundLines run={runId} lines={found.lines} highlight={sought} />
        </>
      )}
      <ProgressBars progress={progress} />
    </>
  )
}

/** What of the log is missing: parts of it that were packed and cannot be read to their end. */
function Faults(props: { source: LogSource }) {
  const text = useText()
  const { faults = [] } = props.source
  return faults.map((fault) => (
    <div
      key={fault.en}
      className="flex-none border-b border-line-1 px-3 py-1 text-xs"
      data-testid="log-fault"
    >
      <InlineState look={{ tone: 'warn', icon: TriangleAlert }}>{text(fault)}</InlineState>
    </div>
  ))
}
