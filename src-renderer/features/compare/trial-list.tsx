import type { TrialSummary } from '@contract/behaviour'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { formatWhen, useLanguage } from '../../i18n'
import { useNow } from '../../state/clock'
import { Panel } from '../../ui'
import { FailureNote } from '../shared/failure-note'
import { trialsQuery } from './side-feed'
import { openTrial } from './trial-store'

/** Trials that were made, those about this run first. */
export function TrialList(props: { run: string }) {
  const { t } = useTranslation('compare')
  const query = useQuery(trialsQuery)
  if (query.isError) return <FailureNote thrown={query.error} retry={() => void query.refetch()} />
  const { trials = [], unreadable = [] } = query.data ?? {}
  if (trials.length + unreadable.length === 0) return null
  const own = trials.filter(({ runs }) => runs.includes(props.run))
  const others = trials.filter(({ runs }) => !runs.includes(props.run))
  return (
    <Panel className="flex-none" title={t('trial.made')}>
      <table className="compare-table" data-testid="trial-list">
        <tbody>
          {[...own, ...others].map((trial) => (
            <Row key={trial.id} run={props.run} trial={trial} />
          ))}
        </tbody>
      </table>
      {unreadable.map((file) => (
        <p key={file} className="c-warn px-3 py-1 text-xs">
          {t('trial.unreadable', { file })}
        </p>
      ))}
    </Panel>
  )
}

function Row(props: { run: string; trial: TrialSummary }) {
  const { t } = useTranslation('compare')
  const language = useLanguage()
  const now = useNow()
  const { id, name, madeAt, prompts, judged } = props.trial
  return (
    <tr>
      <td>
        <button type="button" onClick={() => openTrial(props.run, id)} data-testid={`trial-${id}`}>
          {name}
        </button>
      </td>
      <td className="t2">{formatWhen(madeAt, now, language)}</td>
      <td className="r t2">{t('trial.judgedOf', { judged, count: prompts })}</td>
    </tr>
  )
}
