import type { MetricDifference } from '@contract/releases'
import { Minus, TrendingDown, TrendingUp } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { IntervalMark, formatCount, formatDifference, formatValue } from '../../charts'
import { EmptyReason, Icon, Panel, Segmented } from '../../ui'
import { averagedOver, byWeight, lookOf, sampleCount } from './compare-model'

export type NumberTableProps = {
  readonly rows: readonly MetricDifference[]
  readonly a: string
  readonly b: string
}

/** Every metric of both releases, their difference, its interval and what that proves. */
export function NumberTable(props: NumberTableProps) {
  const { t } = useTranslation('compare')
  const meanOf = useMeanWords()
  const [which, setWhich] = useState<'all' | 'proven'>('all')
  const rows = useMemo(() => byWeight(props.rows), [props.rows])
  const [overA, overB] = averagedOver(rows)
  const proven = rows.filter((row) => lookOf(row).proven)
  const shown = which === 'all' ? rows : proven
  return (
    <Panel
      title={t('numbers')}
      sub={overA + overB === 0 ? t('note') : t('noteMean', { count: Math.max(overA, overB) })}
      className="flex min-h-0 flex-col overflow-hidden"
      actions={
        <Segmented
          label={t('which')}
          size="small"
          value={which}
          onChange={setWhich}
          segments={[
            { value: 'all', label: t('all', { count: rows.length }) },
            { value: 'proven', label: t('proven', { count: proven.length }) }
          ]}
          data-testid="compare-which"
        />
      }
      data-testid="compare-numbers"
    >
      {shown.length === 0 ? (
        <EmptyReason
          what={rows.length === 0 ? t('noMetricsWhat') : t('noProvenWhat')}
          why={rows.length === 0 ? t('noMetricsWhy') : t('noProvenWhy')}
        />
      ) : (
        <div className="min-h-0 flex-1 overflow-auto">
          <table className="compare-table">
            <thead>
              <tr>
                <th>{t('metric')}</th>
                <th className="r" title={meanOf(overA, props.a)}>
                  <Swatch side="a" /> {props.a}
                </th>
                <th className="r" title={meanOf(overB, props.b)}>
                  <Swatch side="b" /> {props.b}
                </th>
                <th className="r">{t('difference')}</th>
                <th>{t('interval')}</th>
                <th />
                <th className="r" title={t('nHint')}>
                  {t('n')}
                </th>
              </tr>
            </thead>
            <tbody>
              {shown.map((row) => (
                <NumberRow key={row.key} row={row} names={props} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      <TableLegend />
    </Panel>
  )
}

/** What a value is: no single release's number, but a mean of those up to it. Nothing where that is not known. */
function useMeanWords(): (count: number, side: string) => string | undefined {
  const { t } = useTranslation('compare')
  return (count, side) => (count === 0 ? undefined : t('meanOf', { count, side }))
}

export function Swatch(props: { side: 'a' | 'b' }) {
  return (
    <i
      aria-hidden
      className="inline-block h-2.5 w-2.5 flex-none rounded-sm"
      style={{ background: `var(--cmp-${props.side})` }}
    />
  )
}

function NumberRow(props: { row: MetricDifference; names: NumberTableProps }) {
  const { row, names } = props
  const meanOf = useMeanWords()
  const look = lookOf(row)
  const tone = { ready: 'c-ready', fail: 'c-fail', text: '', muted: 't2' }[look.tone]
  const n = sampleCount(row)
  return (
    <tr data-testid={`compare-${row.key}`} data-verdict={row.verdict}>
      <td className="mono el max-w-48 min-[1500px]:max-w-80" title={row.key}>
        {row.key}
      </td>
      <td className="r" title={meanOf(row.n?.[0] ?? 0, names.a)}>
        {row.a === null ? '–' : formatValue(row.a)}
      </td>
      <td className="r" title={meanOf(row.n?.[1] ?? 0, names.b)}>
        {row.b === null ? '–' : formatValue(row.b)}
      </td>
      <td className={`r font-medium ${tone}`}>
        {row.difference === null ? '–' : formatDifference(row.difference, row.a, row.b)}
      </td>
      <td>
        {row.difference === null || row.interval === null ? null : (
          <IntervalMark difference={row.difference} interval={row.interval} />
        )}
      </td>
      <td className={look.proven ? '' : 't2'}>
        <Verdict {...props} />
      </td>
      <td className="r t2">{n === null ? '–' : formatCount(n)}</td>
    </tr>
  )
}

/** What the interval says, in words; better and worse carry an icon, so that colour is never alone. */
function Verdict(props: { row: MetricDifference; names: NumberTableProps }) {
  const { t } = useTranslation('compare')
  const { row, names } = props
  const interval =
    row.interval === null
      ? null
      : t('to', {
          low: formatDifference(row.interval[0], row.a, row.b),
          high: formatDifference(row.interval[1], row.a, row.b)
        })
  const n = sampleCount(row)
  switch (row.verdict) {
    case 'better':
    case 'worse': {
      const up = (row.difference ?? 0) > 0
      return (
        <span className="flex items-center gap-1">
          <span className={row.verdict === 'better' ? 'c-ready' : 'c-fail'}>
            <Icon of={up ? TrendingUp : TrendingDown} size="small" />
          </span>
          {t(row.verdict)}
          {interval === null ? null : `, ${interval}`}
        </span>
      )
    }
    case 'no-direction':
      return interval === null ? t('noInterval') : interval
    case 'not-proven':
      return (
        <span className="flex items-center gap-1" title={interval ?? undefined}>
          <Icon of={Minus} size="small" />
          {n === null ? t('notProven') : t('notProvenN', { n: formatCount(n) })}
        </span>
      )
    case 'same':
      return t('same')
    case 'counter':
      return t('counter')
    case 'missing':
      return t('missing', { side: row.a === null ? names.b : names.a })
  }
}

function TableLegend() {
  const { t } = useTranslation('compare')
  return (
    <div className="t2 flex h-7 flex-none items-center gap-4 px-3 text-xs whitespace-nowrap">
      <LegendMark colour="var(--text)" word={t('excludesZero')} />
      <LegendMark colour="var(--text-3)" word={t('couldBeChance')} />
      <span className="el ml-auto">{t('scaleNote')}</span>
    </div>
  )
}

function LegendMark(props: { colour: string; word: string }) {
  return (
    <span className="flex items-center gap-1">
      <svg width="24" height="10" aria-hidden>
        <line x1="2" x2="22" y1="5" y2="5" stroke={props.colour} strokeWidth="2" />
        <circle cx="12" cy="5" r="3" fill={props.colour} />
      </svg>
      {props.word}
    </span>
  )
}
