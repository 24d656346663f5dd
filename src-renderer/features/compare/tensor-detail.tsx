import type { TensorDifference } from '@contract/compare'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { engine } from '../../api'
import { formatCount, formatValue, Histogram } from '../../charts'
import { KeyValues, Panel, Skeleton } from '../../ui'
import { FailureNote } from '../shared/failure-note'
import type { WeightSides } from './use-weights'

const BUCKETS = 64

const rowsQuery = (sides: WeightSides, tensor: string) =>
  queryOptions({
    queryKey: ['weight-rows', sides.target, sides.a, sides.b, tensor],
    queryFn: ({ signal }) => engine.compare.rows({ ...sides, tensor, buckets: BUCKETS }, { signal })
  })

/** One tensor: its numbers, the change along its rows, and its layer's other tensors. */
export function TensorDetail(props: {
  sides: WeightSides
  tensor: TensorDifference
  all: readonly TensorDifference[]
  onChoose: (name: string) => void
}) {
  const { t } = useTranslation('compare')
  const { tensor } = props
  const pair = ([a, b]: readonly [number, number], show = formatValue): string =>
    `${show(a)}, ${show(b)}`
  return (
    <Panel title={tensor.module} sub={layerName(tensor, t)} data-testid="tensor-detail">
      <div className="flex flex-col gap-3 px-3 pb-3">
        <span className="mono t2 text-xs break-all">{tensor.name}</span>
        <KeyValues
          rows={[
            [t('weights.relative'), tensor.relative === null ? null : formatValue(tensor.relative)],
            [t('weights.cosine'), tensor.cosine === null ? null : tensor.cosine.toFixed(7)],
            [t('weights.norm'), pair(tensor.norm)],
            [
              t('weights.changed'),
              tensor.changed === null ? null : `${(tensor.changed * 100).toFixed(1)} %`
            ],
            [t('weights.largest'), tensor.largest === null ? null : formatValue(tensor.largest)],
            [t('weights.nan'), pair(tensor.nan, formatCount)],
            [t('weights.infinite'), pair(tensor.infinite, formatCount)],
            [
              t('weights.dead'),
              tensor.deadRows === null ? null : pair(tensor.deadRows, formatCount)
            ],
            [t('weights.shape'), tensor.shape.join(' × ')]
          ]}
        />
        {/* An adapter's update is never formed row by row. */}
        {tensor.largest === null ? null : <Rows sides={props.sides} tensor={tensor} />}
        <Siblings {...props} />
      </div>
    </Panel>
  )
}

function layerName(
  tensor: TensorDifference,
  t: ReturnType<typeof useTranslation<'compare'>>['t']
): string {
  return tensor.layer === null ? t('weights.outside') : t('weights.layer', { layer: tensor.layer })
}

function Rows(props: { sides: WeightSides; tensor: TensorDifference }) {
  const { t } = useTranslation('compare')
  const query = useQuery(rowsQuery(props.sides, props.tensor.name))
  if (query.isError) return <FailureNote thrown={query.error} retry={() => void query.refetch()} />
  if (query.data === undefined) return <Skeleton className="h-20" />
  const { relative, perBucket, rows } = query.data
  if (relative.length < 2) return null
  return (
    <div>
      <div className="t2 text-xs">{t('weights.rows', { count: rows })}</div>
      <Histogram
        label={t('weights.rows', { count: rows })}
        lit={null}
        width={256}
        bars={relative.map((value, index) => ({
          label: String(index * perBucket),
          count: value ?? 0
        }))}
      />
    </div>
  )
}

function Siblings(props: {
  tensor: TensorDifference
  all: readonly TensorDifference[]
  onChoose: (name: string) => void
}) {
  const { t } = useTranslation('compare')
  const { tensor } = props
  const near = props.all.filter(
    (one) => one.layer === tensor.layer && one.name !== tensor.name && one.layer !== null
  )
  if (near.length === 0) return null
  return (
    <div>
      <div className="t2 mb-1 text-xs">{t('weights.siblings')}</div>
      {near.map((one) => (
        <button
          key={one.name}
          type="button"
          className="flex h-6 w-full items-center gap-2 text-xs"
          onClick={() => props.onChoose(one.name)}
        >
          <span className="mono el">{one.module}</span>
          <span className="num ml-auto">
            {one.relative === null ? '–' : formatValue(one.relative)}
          </span>
        </button>
      ))}
    </div>
  )
}
