import type { SidecarCheck, TensorDifference, WeightComparison } from '@contract/compare'
import { Check, TriangleAlert } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatValue } from '../../charts'
import { formatDuration, useLanguage, useText } from '../../i18n'
import { Banner, EmptyReason, InlineState, Meter, Panel, Segmented } from '../../ui'
import { FailureNote } from '../shared/failure-note'
import { HeatMapView } from './heat-map'
import { TensorDetail } from './tensor-detail'
import { useWeights, type WeightSides } from './use-weights'
import { heatMapOf, measureOf, mostMoved, type Measure } from './weight-model'

/** Rows of the list of what moved most. */
const LISTED = 40

/** Two checkpoints or adapters, tensor by tensor, and what else differs in their files. */
export function WeightsView(props: {
  sides: WeightSides | null
  /** Why there is nothing to read on a side; used when `sides` is null. */
  missing: string
  names: readonly [string, string]
}) {
  const { t } = useTranslation('compare')
  if (props.sides === null)
    return (
      <EmptyReason
        className="flex-1"
        what={t('weights.noneWhat')}
        why={props.missing}
        data-testid="weights-none"
      />
    )
  return <Reading sides={props.sides} names={props.names} />
}

function Reading(props: { sides: WeightSides; names: readonly [string, string] }) {
  const { t } = useTranslation('compare')
  const [round, setRound] = useState(0)
  const reading = useWeights(props.sides, round)
  switch (reading.kind) {
    case 'failed':
      return (
        <FailureNote
          className="m-3"
          thrown={reading.thrown}
          retry={() => setRound((now) => now + 1)}
        />
      )
    case 'reading':
      return (
        <div className="m-3 flex flex-col gap-2" role="status" data-testid="weights-reading">
          <Meter share={reading.share} label={t('weights.reading')} />
          <span className="t2 mono text-xs">{reading.tensor || t('weights.reading')}</span>
        </div>
      )
    case 'done':
      return <Compared {...props} comparison={reading.comparison} />
  }
}

type ComparedProps = {
  readonly sides: WeightSides
  readonly names: readonly [string, string]
  readonly comparison: WeightComparison
}

function Compared(props: ComparedProps) {
  const { t } = useTranslation('compare')
  const text = useText()
  const language = useLanguage()
  const { comparison } = props
  const [measure, setMeasure] = useState<Measure>('relative')
  const [chosen, setChosen] = useState<string | null>(null)
  const map = useMemo(() => heatMapOf(comparison.tensors, measure), [comparison.tensors, measure])
  const moved = useMemo(
    () => mostMoved(comparison.tensors, measure).slice(0, LISTED),
    [comparison.tensors, measure]
  )
  const tensor = comparison.tensors.find((one) => one.name === chosen) ?? moved[0] ?? null
  return (
    <div className="weights-grid" data-testid="weights">
      <div className="flex min-h-0 flex-col gap-2 overflow-y-auto">
        {comparison.warnings.map((warning) => (
          <Banner key={warning.en} tone="warn" data-testid="weights-warning">
            {text(warning)}
          </Banner>
        ))}
        <Panel
          className="flex-none"
          title={t('weights.title')}
          sub={t('weights.sub', {
            tensors: comparison.tensors.length,
            layers: map.layers.length,
            modules: map.modules.length
          })}
          actions={
            <Segmented
              label={t('weights.measure')}
              size="small"
              value={measure}
              onChange={setMeasure}
              segments={[
                { value: 'relative', label: t('weights.relative') },
                { value: 'cosine', label: t('weights.cosine') },
                { value: 'changed', label: t('weights.changed') }
              ]}
              data-testid="weights-measure"
            />
          }
        >
          <div className="p-3">
            {map.layers.length === 0 ? (
              <p className="t2">{t('weights.noLayers')}</p>
            ) : (
              <HeatMapView
                map={map}
                selected={tensor?.name ?? null}
                onSelect={(cell) => setChosen(cell.tensor.name)}
              />
            )}
            <Totals
              comparison={comparison}
              time={
                comparison.took < 1000
                  ? `${Math.round(comparison.took)} ms`
                  : formatDuration(comparison.took, language)
              }
            />
          </div>
        </Panel>
        <MovedList
          moved={moved}
          measure={measure}
          chosen={tensor?.name ?? null}
          onChoose={setChosen}
        />
        <Differences {...props} />
      </div>
      <aside className="min-h-0 overflow-y-auto">
        {tensor === null ? null : (
          <TensorDetail
            sides={props.sides}
            tensor={tensor}
            all={comparison.tensors}
            onChoose={setChosen}
          />
        )}
      </aside>
    </div>
  )
}

function Totals(props: { comparison: WeightComparison; time: string }) {
  const { t } = useTranslation('compare')
  const { total, onlyA, onlyB, problems } = props.comparison
  const { nan, infinite, deadRows } = total
  const healthy = [...nan, ...infinite, ...deadRows].every((count) => count === 0)
  return (
    <p className="t2 mt-2 text-xs" data-testid="weights-total">
      {t('weights.total', {
        relative: total.relative === null ? '–' : formatValue(total.relative),
        cosine: total.cosine === null ? '–' : total.cosine.toFixed(7),
        changed: total.changed === null ? '–' : `${(total.changed * 100).toFixed(1)} %`
      })}{' '}
      {healthy
        ? t('weights.healthy')
        : t('weights.unhealthy', {
            nanA: nan[0],
            nanB: nan[1],
            infiniteA: infinite[0],
            infiniteB: infinite[1],
            deadA: deadRows[0],
            deadB: deadRows[1]
          })}{' '}
      {onlyA.length + onlyB.length + problems.length === 0
        ? ''
        : t('weights.unpaired', { a: onlyA.length, b: onlyB.length, bad: problems.length })}{' '}
      {t('weights.took', { time: props.time })}
    </p>
  )
}

function MovedList(props: {
  moved: readonly TensorDifference[]
  measure: Measure
  chosen: string | null
  onChoose: (name: string) => void
}) {
  const { t } = useTranslation('compare')
  return (
    <Panel
      className="flex-none"
      title={t('weights.moved')}
      sub={t('weights.movedSub', { count: props.moved.length })}
    >
      <div className="max-h-64 overflow-auto">
        <table className="compare-table">
          <tbody>
            {props.moved.map((tensor) => {
              const value = measureOf(tensor, props.measure)
              return (
                <tr key={tensor.name} aria-selected={tensor.name === props.chosen}>
                  <td className="mono el max-w-96" title={tensor.name}>
                    <button type="button" onClick={() => props.onChoose(tensor.name)}>
                      {tensor.name}
                    </button>
                  </td>
                  <td className="r font-medium">{value === null ? '–' : formatValue(value)}</td>
                  <td className="r t2">{tensor.shape.join(' × ')}</td>
                  <td className="t2">
                    {tensor.dtype[0] === tensor.dtype[1]
                      ? tensor.dtype[0]
                      : tensor.dtype.join(' → ')}
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
    </Panel>
  )
}

/** Everything beside the tensors: settings of model and tokenizer, what could not be compared, digests. */
function Differences(props: ComparedProps) {
  const { t } = useTranslation('compare')
  const text = useText()
  const { comparison, names } = props
  return (
    <Panel
      className="flex-none"
      title={t('weights.files')}
      sub={comparison.files.length === 0 ? t('weights.filesEqual') : undefined}
    >
      <div className="flex flex-col gap-1 px-3 pb-2 text-xs">
        {comparison.sidecar.map((check, index) => (
          <Sidecar key={names[index]} check={check} name={names[index] ?? ''} />
        ))}
        {comparison.problems.map(({ name, why }) => (
          <span key={name} className="c-warn">
            {name}: {text(why)}
          </span>
        ))}
      </div>
      {comparison.files.length === 0 ? null : (
        <table className="compare-table" data-testid="weights-files">
          <tbody>
            {comparison.files.map(({ file, path, a, b }) => (
              <tr key={`${file} ${path}`}>
                <td className="mono t2">{file}</td>
                <td className="mono">{path}</td>
                <td className="mono el max-w-56" title={a ?? ''}>
                  {a ?? '–'}
                </td>
                <td className="mono el max-w-56 font-medium" title={b ?? ''}>
                  {b ?? '–'}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  )
}

function Sidecar(props: { check: SidecarCheck; name: string }) {
  const { t } = useTranslation('compare')
  const text = useText()
  const { check, name } = props
  switch (check.kind) {
    case 'none':
      return null
    case 'match':
      return (
        <InlineState look={{ tone: 'ready', icon: Check }}>
          {t('weights.sidecarMatch', { name, count: check.files })}
        </InlineState>
      )
    case 'mismatch':
      return (
        <InlineState look={{ tone: 'fail', icon: TriangleAlert }}>
          {t('weights.sidecarMismatch', { name, files: check.files.join(', ') })}
        </InlineState>
      )
    case 'unreadable':
      return (
        <InlineState look={{ tone: 'warn', icon: TriangleAlert }}>
          {name}: {text(check.why)}
        </InlineState>
      )
  }
}
