import { Star } from 'lucide-react'
import { memo } from 'react'
import { useTranslation } from 'react-i18next'
import type { RunSummary } from '@contract/run'
import { Sparkline } from '../../charts'
import {
  formatCount,
  formatDuration,
  formatScore,
  formatWhen,
  useLanguage,
  useText
} from '../../i18n'
import { go, runsView, useNow } from '../../state'
import { Checkbox, Icon, Tag } from '../../ui'
import { useTargetName } from '../shared/use-target-name'
import { isActive, runLength } from './attempt-state'
import { RunStateLine, useStateReason } from './run-state'

/** One run of the list. Click or Enter opens it. Drawn again only when that run changed: rows hold charts. */
export const RunRow = memo(function RunRow(props: { run: RunSummary }) {
  const { run } = props
  const { t } = useTranslation('runs')
  const text = useText()
  const targetName = useTargetName()
  const reason = useStateReason()(run.state)
  const selected = runsView((store) => store.selected.includes(run.id))
  const cursor = runsView((store) => store.cursor === run.id)
  const open = (): void => go({ page: 'run', id: run.id, tab: 'curves' })
  return (
    <div
      role="row"
      tabIndex={0}
      className={`runs-row ${cursor ? 'cursor' : ''}`}
      aria-selected={selected}
      data-opens
      onClick={open}
      onFocus={() => runsView.getState().setCursor(run.id)}
      data-testid={`run-row-${run.id}`}
      data-state={run.state.kind}
    >
      <Checkbox
        checked={selected}
        label={t('selectRun', { name: run.name })}
        onChange={() => runsView.getState().toggle(run.id)}
        data-testid={`select-${run.id}`}
      />
      <span>
        <RunStateLine state={run.state} startedAt={run.startedAt} />
        {reason === null ? null : (
          <div className="t2 el pl-[18px]" title={reason}>
            {reason}
          </div>
        )}
      </span>
      <span>
        <div className="flex items-center gap-1">
          <span className="el font-medium" title={run.name}>
            {run.name}
          </span>
          {run.starred ? <Icon of={Star} size="small" fill className="c-warn" /> : null}
        </div>
        <div className="t2 el">
          {isActive(run.state) ? text(run.now) : (run.recipe.model ?? '')}
        </div>
      </span>
      <span className="el" title={run.recipe.name}>
        {run.recipe.name}
      </span>
      <Reward run={run} />
      <span className="num text-right">
        {run.trainStep === null ? '–' : formatCount(run.trainStep)}
      </span>
      <Served run={run} />
      <span className="el" title={run.target.name}>
        {targetName(run.target)}
      </span>
      <Tags tags={run.tags} />
      <Times run={run} />
    </div>
  )
})

function Times(props: { run: RunSummary }) {
  const now = useNow()
  const language = useLanguage()
  const length = runLength(props.run, now)
  return (
    <>
      <span className="t2 num">{formatWhen(props.run.startedAt, now, language)}</span>
      <span className="num text-right">
        {length === null ? '–' : formatDuration(length, language)}
      </span>
    </>
  )
}

function Reward(props: { run: RunSummary }) {
  const { t } = useTranslation('runs')
  const { reward } = props.run
  if (reward === null || reward.spark.length === 0 || reward.last === null) {
    return <span className="t2">{props.run.state.kind === 'imported' ? '–' : t('noSample')}</span>
  }
  const change = reward.first === null ? null : reward.last - reward.first
  const tone = change === null || change === 0 ? 't2' : change > 0 ? 'c-ready' : 'c-fail'
  return (
    <span className="flex items-center gap-2">
      <Sparkline values={reward.spark} label={reward.key} width={84} height={28} />
      <span className="num ml-auto text-right">
        <div className="font-medium">{formatScore(reward.last)}</div>
        {change === null ? null : <div className={tone}>{formatScore(change, true)}</div>}
      </span>
    </span>
  )
}

function Served(props: { run: RunSummary }) {
  const { t } = useTranslation('runs')
  const { run } = props
  if (run.state.kind === 'imported') return <span className="t2">–</span>
  if (run.served === null) return <span className="t2">{t('noRelease')}</span>
  const active = isActive(run.state)
  return (
    <span>
      <div className="rel">{run.served}</div>
      <div className={active ? 'c-ready' : 't2'}>{active ? t('served') : t('lastServed')}</div>
    </span>
  )
}

function Tags(props: { tags: readonly string[] }) {
  const [first, ...rest] = props.tags
  return (
    <span
      className="col-tags flex items-center gap-1 overflow-hidden"
      title={props.tags.join(', ')}
    >
      {first === undefined ? null : <Tag>{first}</Tag>}
      {rest.length === 0 ? null : <span className="t2">+{rest.length}</span>}
    </span>
  )
}
