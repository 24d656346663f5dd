import { Ban, Check, LoaderCircle, X } from 'lucide-react'
import { useLayoutEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { ErrandView } from '@contract/errands'
import { formatCount, useText } from '../../i18n'
import { InlineError, InlineState, type StateLook } from '../../ui'

const looks: Record<ErrandView['state']['kind'], StateLook> = {
  running: { tone: 'running', icon: LoaderCircle, pulse: true },
  done: { tone: 'ready', icon: Check },
  failed: { tone: 'fail', icon: X },
  cancelled: { tone: 'idle', icon: Ban }
}

/** How far an errand is, what it says, and how it ended. */
export function ErrandLog(props: { view: ErrandView }) {
  const { view } = props
  const { state, step } = view
  const { t } = useTranslation('errands')
  const text = useText()
  return (
    <div className="flex flex-col gap-2" data-testid="errand" data-state={state.kind}>
      <InlineState look={looks[state.kind]}>
        {state.kind === 'running' && step !== null
          ? t('runningStep', { n: step.done + 1, total: step.total })
          : t(state.kind)}
      </InlineState>
      <Tail view={view} />
      {state.kind === 'done' ? <p>{text(state.note)}</p> : null}
      {state.kind === 'running' ? <p className="t2">{t('goesOn')}</p> : null}
      {state.kind === 'failed' ? (
        <InlineError
          what={text(state.failure.what)}
          where={state.failure.where}
          remedy={state.failure.remedy === undefined ? undefined : text(state.failure.remedy)}
        />
      ) : null}
    </div>
  )
}

/** The end of the log. It keeps to its end unless somebody has scrolled up to read. */
function Tail(props: { view: ErrandView }) {
  const { lines, earlier, log } = props.view
  const { t } = useTranslation('errands')
  const box = useRef<HTMLDivElement>(null)
  const atEnd = useRef(true)
  useLayoutEffect(() => {
    if (box.current !== null && atEnd.current) box.current.scrollTop = box.current.scrollHeight
  }, [lines])
  return (
    <div
      ref={box}
      className="code h-64 overflow-auto"
      tabIndex={0}
      role="log"
      aria-label={t('logLabel')}
      onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
        atEnd.current = scrollHeight - scrollTop - clientHeight < 24
      }}
      data-testid="errand-log"
    >
      {earlier === 0 ? null : (
        <div className="t2">
          {t('earlier', { count: earlier, n: formatCount(earlier), file: log })}
        </div>
      )}
      {lines.join('\n')}
    </div>
  )
}
