import { memo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDifference, formatValue } from '../../charts'
import { Button } from '../../ui'
import type { MetricPair } from './release-model'

const FIRST_SHOWN = 8

/** Metrics of a release with their difference to another; the rest unfolds. `both` also shows the other's value. */
export const MetricTable = memo(function MetricTable(props: {
  pairs: readonly MetricPair[]
  both: boolean
}) {
  const { t } = useTranslation('releases')
  const [all, setAll] = useState(false)
  if (props.pairs.length === 0) return <div className="t2">{t('noMetrics')}</div>
  const folded = props.pairs.length - FIRST_SHOWN
  const shown = all ? props.pairs : props.pairs.slice(0, FIRST_SHOWN)
  return (
    <>
      <table className="release-metrics">
        <tbody>
          {shown.map((pair) => (
            <tr key={pair.key}>
              <td className="mono el max-w-0" title={pair.key}>
                {props.both ? shortKey(pair.key) : pair.key}
              </td>
              <td className="r w-14 font-medium">{formatValue(pair.value)}</td>
              {props.both ? (
                <td className="r t2 w-14">{pair.other === null ? '–' : formatValue(pair.other)}</td>
              ) : null}
              <td className={`r w-16 ${props.both ? 'font-medium' : 't2'}`}>
                {pair.difference === null
                  ? '–'
                  : formatDifference(pair.difference, pair.value, pair.other)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {folded > 0 ? (
        <Button size="small" variant="ghost" className="mt-1" onClick={() => setAll(!all)}>
          {all ? t('fewerMetrics') : t('moreMetrics', { count: folded })}
        </Button>
      ) : null}
    </>
  )
})

/** The key without its namespace: three numbers leave no room for it, and the whole stands in the title. */
function shortKey(key: string): string {
  return key.slice(key.indexOf('/') + 1)
}
