import { useVirtualizer } from '@tanstack/react-virtual'
import { useMemo, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Button, Dialog } from '../ui'
import { formatX } from './axis-ticks'
import type { AxisKind } from './chart-handle'
import type { Curve } from './columns'
import { formatCount, formatValue } from './number-format'
import { pointTable } from './table-rows'

const ROW = 24
const COLUMNS = 'grid grid-cols-[1fr_72px_88px_88px_88px_88px_88px] items-center gap-2 pl-2'

/** The drawn points as a table, for reading exactly and for screen readers. Mounts only the rows in sight. */
export function ChartTable(props: {
  title: string
  axis: AxisKind
  curves: readonly Curve[]
  onClose: () => void
}) {
  const { t } = useTranslation(['charts', 'common'])
  const scroller = useRef<HTMLDivElement>(null)
  const table = useMemo(() => pointTable(props.curves), [props.curves])
  // eslint-disable-next-line react-hooks/incompatible-library -- the virtualizer's functions are used here only
  const rows = useVirtualizer({
    count: table.count,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 8
  })
  const total = props.curves.reduce((sum, curve) => sum + curve.total, 0)
  return (
    <Dialog
      open
      width={760}
      onClose={props.onClose}
      title={t('tableOf', { key: props.title })}
      description={t('tableNote', { shown: formatCount(table.count), total: formatCount(total) })}
      footer={<Button onClick={props.onClose}>{t('common:close')}</Button>}
      data-testid="chart-table"
    >
      <div role="table" aria-rowcount={table.count + 1}>
        <div role="row" className={`${COLUMNS} chart-table-head t2 h-7 font-medium`}>
          <span role="columnheader">{t('key')}</span>
          <span role="columnheader">{t('attempt', { number: '' })}</span>
          {[t('x'), t('min'), t('max'), t('raw'), t('smoothed')].map((name) => (
            <span role="columnheader" key={name} className="text-right">
              {name}
            </span>
          ))}
        </div>
        <div
          ref={scroller}
          className="chart-table-rows overflow-auto"
          style={{ height: 384 }}
          tabIndex={0}
        >
          <div style={{ height: rows.getTotalSize(), position: 'relative' }}>
            {rows.getVirtualItems().map((item) => {
              const row = table.row(item.index)
              if (row === null) return null
              return (
                <div
                  role="row"
                  aria-rowindex={item.index + 2}
                  key={item.key}
                  className={`${COLUMNS} num absolute pr-2 right-0 left-0 border-t border-line-1 ${row.superseded ? 't2' : ''}`}
                  style={{ height: ROW, transform: `translateY(${item.start}px)` }}
                >
                  <span role="cell" className="mono el">
                    {row.key}
                  </span>
                  <span role="cell">{row.attempt}</span>
                  {[
                    formatX(props.axis, row.x),
                    formatValue(row.min),
                    formatValue(row.max),
                    formatValue(row.raw),
                    row.smooth === null ? '–' : formatValue(row.smooth)
                  ].map((text, index) => (
                    <span role="cell" key={index} className="text-right">
                      {text}
                    </span>
                  ))}
                </div>
              )
            })}
          </div>
        </div>
      </div>
    </Dialog>
  )
}
