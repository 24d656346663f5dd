import type { BestShare, Tally, Trial } from '@contract/behaviour'
import { useTranslation } from 'react-i18next'
import { Panel } from '../../ui'

const percent = (share: number): string => `${Math.round(share * 100)} %`

/** Of two sides what the verdicts prove; of more, and while the sides are unnamed, only how far one is. */
export function TallyLine(props: { trial: Trial; hidden: boolean }) {
  const { t } = useTranslation('compare')
  const { tallies, sides, rows } = props.trial
  const judged = rows.filter(({ verdict }) => verdict !== null).length
  const [tally] = tallies
  if (props.hidden || tally === undefined || sides.length > 2)
    return (
      <span className="t2" data-testid="trial-tally">
        {t('trial.judgedOf', { judged, count: rows.length })}
      </span>
    )
  const { win, tie, loss } = tally
  return (
    <span data-testid="trial-tally">
      {t('trial.tally', { name: sides[1]?.label ?? '', win, tie, loss })}{' '}
      <TallyShare tally={tally} />
    </span>
  )
}

function TallyShare({ tally }: { tally: Tally }) {
  const { t } = useTranslation('compare')
  const { win, loss, share, interval, proven } = tally
  if (share === null || interval === null) return null
  const [low, high] = interval
  return (
    <span className={proven === 'no' ? 't2' : proven === 'better' ? 'c-ready' : 'c-fail'}>
      {t('trial.share', { share: percent(share), low: percent(low), high: percent(high) })}{' '}
      {proven === 'no' ? t('notProvenN', { n: win + loss }) : ''}
      {proven === 'better' ? `✓ ${t('better')}` : ''}
      {proven === 'worse' ? `✗ ${t('worse')}` : ''}
    </span>
  )
}

/** Of more than two sides: how often each was the best, and how it stands against the first. */
export function Outcome({ trial }: { trial: Trial }) {
  const { t } = useTranslation('compare')
  const { sides, bests, tallies } = trial
  const first = sides[0]?.label ?? ''
  return (
    <Panel
      className="flex-none"
      title={t('trial.outcome')}
      sub={t('trial.outcomeSub', { count: sides.length })}
    >
      <table className="compare-table" data-testid="trial-outcome">
        <thead>
          <tr>
            <th>{t('trial.side')}</th>
            <th>{t('trial.bestAlone')}</th>
            <th>{t('trial.bestTogether')}</th>
            <th>{t('trial.against', { name: first })}</th>
          </tr>
        </thead>
        <tbody>
          {sides.map(({ label }, place) => {
            const [best, tally] = [bests[place], place === 0 ? undefined : tallies[place - 1]]
            return (
              <tr key={place}>
                <td>{label}</td>
                <td>{best === undefined ? null : <Best best={best} />}</td>
                <td>{best?.together ?? 0}</td>
                <td>
                  {tally === undefined ? (
                    <span className="t2">{t('trial.isBaseline')}</span>
                  ) : (
                    <>
                      {t('trial.standing', { win: tally.win, tie: tally.tie, loss: tally.loss })}{' '}
                      <TallyShare tally={tally} />
                    </>
                  )}
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </Panel>
  )
}

function Best({ best: { alone, share, interval, proven } }: { best: BestShare }) {
  const { t } = useTranslation('compare')
  if (share === null || interval === null) return <>{alone}</>
  const [low, high] = interval
  return (
    <>
      {alone}{' '}
      <span className={proven === 'no' ? 't2' : proven === 'more' ? 'c-ready' : 'c-fail'}>
        {t('trial.bestShare', { share: percent(share), low: percent(low), high: percent(high) })}{' '}
        {t(`trial.chance.${proven}`)}
      </span>
    </>
  )
}
