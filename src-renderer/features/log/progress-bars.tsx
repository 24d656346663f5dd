import { useTranslation } from 'react-i18next'
import type { Progress } from '@contract/logs'
import { formatCount, formatDuration, useLanguage } from '../../i18n'
import { Meter } from '../../ui'

/** Progress bars the stack draws now, as bars and never as lines of text. */
export function ProgressBars(props: { progress: readonly Progress[] }) {
  if (props.progress.length === 0) return null
  return (
    <div className="flex-none border-t border-line-1 px-3 py-1" data-testid="progress">
      {props.progress.map((bar) => (
        <Bar key={`${bar.source}/${bar.label}`} bar={bar} />
      ))}
    </div>
  )
}

function Bar(props: { bar: Progress }) {
  const { bar } = props
  const { t } = useTranslation('log')
  const language = useLanguage()
  return (
    <div className="flex h-[18px] items-center gap-3 text-xs">
      <span className="mono font-medium">{bar.label}</span>
      <Meter
        className="w-[260px]"
        share={bar.total === null || bar.total === 0 ? null : bar.done / bar.total}
        label={bar.label}
      />
      <span className="num">
        {bar.total === null
          ? formatCount(bar.done)
          : t('progress', { done: formatCount(bar.done), total: formatCount(bar.total) })}
      </span>
      {bar.left === null ? null : (
        <span className="t2 num">
          {t('left', { time: formatDuration(bar.left * 1000, language) })}
        </span>
      )}
    </div>
  )
}
