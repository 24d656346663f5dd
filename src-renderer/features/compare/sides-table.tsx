import type { SideComparison, SideFacts, SideSetting } from '@contract/compare'
import type { MetricDifference } from '@contract/releases'
import { useTranslation } from 'react-i18next'
import { formatDifference, formatValue } from '../../charts'
import { EmptyReason, Panel } from '../../ui'
import { lookOf } from './compare-model'

/** Numbers of three and more sides: each one's value, and under it what its difference from the baseline proves. */
export function SidesTable(props: { comparison: SideComparison }) {
  const { t } = useTranslation('compare')
  const { comparison } = props
  const plain = comparison.sides.some(({ run, step }) => run !== null && step === null)
  return (
    <Panel
      title={t('numbers')}
      sub={`${t('sides.note', { count: comparison.window })}${plain ? t('sides.notePlain', { count: comparison.window }) : ''}`}
      className="flex min-h-0 flex-col overflow-hidden"
      data-testid="compare-sides"
    >
      {comparison.metrics.length === 0 ? (
        <EmptyReason what={t('noMetricsWhat')} why={t('noMetricsWhy')} />
      ) : (
        <div className="min-h-0 flex-1 overflow-auto">
          <table className="compare-table">
            <Heads first={t('metric')} comparison={comparison} />
            <tbody>
              {comparison.metrics.map(({ key, cells, against }) => (
                <tr key={key}>
                  <td className="mono el max-w-48" title={key}>
                    {key}
                  </td>
                  {cells.map(({ value }, index) => (
                    <td key={comparison.sides[index]?.label} className="r">
                      {value === null ? '–' : formatValue(value)}{' '}
                      <Against difference={against[index] ?? null} />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  )
}

/** Column heads that name the sides; the baseline says that it is one. */
export function Heads(props: {
  first: string
  comparison: Pick<SideComparison, 'sides' | 'baseline'>
}) {
  const { t } = useTranslation('compare')
  return (
    <thead>
      <tr>
        <th>{props.first}</th>
        {props.comparison.sides.map((side, index) => (
          <th key={JSON.stringify(side.side)} className="r">
            <span className="mono">{side.label}</span>
            {index === props.comparison.baseline ? (
              <span className="t2"> {t('sides.baseline')}</span>
            ) : null}
          </th>
        ))}
      </tr>
    </thead>
  )
}

/** A difference with what it proves; a word or sign goes with every colour. */
export function Against(props: { difference: MetricDifference | null }) {
  const { t } = useTranslation('compare')
  const { difference: row } = props
  if (row === null || row.difference === null) return null
  if (row.verdict === 'same') return <span className="t2">{t('same')}</span>
  const look = lookOf(row)
  const tone = { ready: 'c-ready', fail: 'c-fail', text: '', muted: 't2' }[look.tone]
  const interval =
    row.interval === null
      ? t('noInterval')
      : t('to', { low: formatDifference(row.interval[0]), high: formatDifference(row.interval[1]) })
  const n = row.n === null ? 0 : Math.min(...row.n)
  return (
    <span className={tone} title={`${interval}, n = ${n}`}>
      {formatDifference(row.difference, row.a, row.b)}
      {row.verdict === 'not-proven' ? ' ?' : ''}
      {row.verdict === 'better' ? ' ✓' : ''}
      {row.verdict === 'worse' ? ' ✗' : ''}
    </span>
  )
}

/** Settings that differ by meaning; what follows by itself comes last. */
export function SettingsView(props: { comparison: SideComparison }) {
  const { t } = useTranslation('compare')
  const { comparison } = props
  const withRecipe = comparison.sides.filter(({ hasRecipe }) => hasRecipe)
  if (withRecipe.length < 2)
    return (
      <EmptyReason className="flex-1" what={t('settings.oneWhat')} why={t('settings.oneWhy')} />
    )
  if (comparison.settings.length === 0)
    return (
      <EmptyReason
        className="flex-1"
        what={t('settings.equalWhat')}
        why={t('settings.equalWhy')}
        data-testid="settings-equal"
      />
    )
  return (
    <Panel
      title={t('settings.title')}
      sub={t('settings.sub', { count: comparison.settings.length })}
      className="m-3 flex min-h-0 flex-col overflow-hidden"
      data-testid="compare-settings"
    >
      <div className="min-h-0 flex-1 overflow-auto">
        <table className="compare-table">
          <Heads first={t('settings.setting')} comparison={comparison} />
          <tbody>
            {comparison.settings.map((setting) => (
              <SettingRow key={setting.path} setting={setting} sides={comparison.sides} />
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  )
}

function SettingRow(props: { setting: SideSetting; sides: readonly SideFacts[] }) {
  const { t } = useTranslation('compare')
  const { setting, sides } = props
  return (
    <tr>
      <td className={`mono ${setting.derived ? 't2' : ''}`}>
        {setting.path}
        {setting.derived ? ` ${t('settings.derived')}` : ''}
      </td>
      {setting.values.map((value, index) => (
        <td
          key={sides[index]?.label}
          className={`mono r el max-w-64 ${value === setting.values[0] ? 't2' : 'font-medium'}`}
          title={value ?? ''}
        >
          {value ?? '–'}
        </td>
      ))}
    </tr>
  )
}
