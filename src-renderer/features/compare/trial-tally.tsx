import type { Trial } from '@contract/behaviour'
import { useTranslation } from 'react-i18next'

const percent = (share: number): string => `${Math.round(share * 100)} %`

/** Wins, ties and losses with what they prove; while the sides are unnamed only how far one is. */
export function TallyLine(props: { trial: Trial; hidden: boolean }) {
  const { t } = useTranslation('compare')
  const { tally, sides, rows } = props.trial
  const judged = rows.filter(({ verdict }) => verdict !== null).length
  if (props.hidden)
    return (
      <span className="t2" data-testid="trial-tally">
        {t('trial.judgedOf', { judged, count: rows.length })}
      </span>
    )
  const { win, tie, loss, share, interval, proven } = tally
  const name = sides[1].label
  return (
    <span data-testid="trial-tally">
      {t('trial.tally', { name, win, tie, loss })}{' '}
      {share === null || interval === null ? null : (
        <span className={proven === 'no' ? 't2' : proven === 'b' ? 'c-ready' : 'c-fail'}>
          {t('trial.share', {
            share: percent(share),
            low: percent(interval[0]),
            high: percent(interval[1])
          })}{' '}
          {proven === 'no' ? t('notProvenN', { n: win + loss }) : ''}
          {proven === 'b' ? `✓ ${t('better')}` : ''}
          {proven === 'a' ? `✗ ${t('worse')}` : ''}
        </span>
      )}
    </span>
  )
}
