import type { TFunction } from 'i18next'
import { useLayoutEffect, useRef } from 'react'
import type { RefObject } from 'react'
import { useTranslation } from 'react-i18next'
import { formatX } from './axis-ticks'
import type { AxisKind, ChartHandle } from './chart-handle'
import type { ChartGroup } from './chart-group'
import { shownRange } from './chart-group'
import type { Curve } from './columns'
import { useKeyName } from './key-name'
import { formatValue } from './number-format'
import type { SeriesLook } from './palette'
import { tipRows } from './tip-rows'
import { useGroupState } from './use-group-state'

const GAP = 12

/** What the curves say at the crosshair, beside it. Only on the chart under the pointer. */
export function ChartTip(props: {
  id: string
  curves: readonly Curve[]
  looks: ReadonlyMap<string, SeriesLook>
  hidden: ReadonlySet<string>
  group: ChartGroup
  axis: AxisKind
  releaseAt: (x: number) => string | null
  chart: RefObject<ChartHandle | null>
}) {
  const cross = useGroupState(props.group, (state) =>
    state.cross?.chart === props.id ? state.cross.x : null
  )
  if (cross === null) return null
  return <TipCard {...props} x={cross} />
}

function TipCard(props: React.ComponentProps<typeof ChartTip> & { x: number }) {
  const { t } = useTranslation('charts')
  const card = useRef<HTMLDivElement>(null)
  const range = useGroupState(props.group, shownRange)
  const rows = tipRows(
    props.curves.filter((curve) => !props.hidden.has(curve.key)),
    props.x,
    range
  )
  const nameOf = useKeyName()
  const many = new Set(props.curves.map((curve) => curve.key)).size > 1
  useLayoutEffect(() => {
    const element = card.current
    const box = props.chart.current?.plotBox()
    if (element === null || box === undefined) return
    const at = box.left + ((props.x - range[0]) / (range[1] - range[0])) * box.width
    const left = at - element.offsetWidth - GAP
    element.style.left = `${left >= 4 ? left : at + GAP}px`
  })
  const shownX = rows.find((row) => !row.superseded)?.x ?? rows[0]?.x
  if (shownX === undefined) return null
  const label = formatX(props.axis, shownX)
  return (
    <div ref={card} className="chart-tip" style={{ top: 6 }} data-testid="chart-tip">
      <div className="flex items-center gap-3 font-semibold">
        <span>{xWords(props.axis, label, t)}</span>
        <span className="mono t2 ml-auto font-medium">{props.releaseAt(shownX) ?? ''}</span>
      </div>
      {rows.map((row) => (
        <div key={`${row.key}/${row.attempt}/${row.source}/${row.superseded}`}>
          <div className="flex items-center gap-2">
            <i
              aria-hidden
              className="block h-0.5 w-2 flex-none"
              style={{
                background: row.superseded
                  ? 'var(--text-3)'
                  : `var(--${props.looks.get(row.key)?.token ?? 'c1'})`
              }}
            />
            <span className="el">
              {many ? nameOf(row.key) : row.raw === null ? t('value') : t('smoothed')}
              {row.superseded ? <span className="t2"> {t('superseded')}</span> : null}
            </span>
            <span className="ml-auto pl-3 font-semibold">{formatValue(row.value)}</span>
          </div>
          {row.raw === null ? null : (
            <div className="t2 flex">
              <span className="pl-4">{t('raw')}</span>
              <span className="ml-auto">{formatValue(row.raw)}</span>
            </div>
          )}
        </div>
      ))}
    </div>
  )
}

/** What the x of a tooltip is, where its number alone does not say it. */
function xWords(axis: AxisKind, label: string, t: TFunction<'charts'>): string {
  switch (axis) {
    case 'step':
      return t('step', { x: label })
    case 'rollout':
      return t('rollout', { x: label })
    case 'metric':
      return `x = ${label}`
    case 'relative':
    case 'wall':
      return label
  }
}
