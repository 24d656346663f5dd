import { ChevronDown, ChevronRight, FolderX } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { DamagedRun } from '@contract/run'
import { engine } from '../../api/client'
import { formatCount, useText } from '../../i18n'
import { runsView } from '../../state'
import { Button, Icon, InlineState, useVirtualRows } from '../../ui'
import { RunRow } from './run-row'
import type { GroupName, Row } from './rows'
import './runs-table.css'

const ROW = 44
const HEAD = 28

/** The list of runs, of which only the visible rows exist. */
export function RunsTable(props: { rows: readonly Row[] }) {
  const { rows } = props
  const scroller = useRef<HTMLDivElement>(null)
  const cursor = runsView((store) => store.cursor)
  const selected = runsView((store) => store.selected)
  const virtual = useVirtualRows(scroller, {
    count: rows.length,
    estimateSize: (i) => (rows[i]?.kind === 'group' ? HEAD : ROW),
    getItemKey: (i) => keyOf(rows[i]),
    overscan: 12
  })
  useEffect(() => {
    const at = rows.findIndex((row) => row.kind === 'run' && row.run.id === cursor)
    if (at >= 0) virtual.scrollToIndex(at, { align: 'auto' })
    // Only a moved cursor scrolls; new rows must not.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [cursor])
  return (
    <div className="runs-table flex min-h-0 flex-1 flex-col" role="table" data-testid="runs-table">
      <Head />
      <div
        ref={scroller}
        className={`runs-rows min-h-0 flex-1 overflow-auto ${selected.length > 0 ? 'pb-20' : ''}`}
        role="rowgroup"
      >
        <div className="relative" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map((item) => {
            const row = rows[item.index]
            return row === undefined ? null : (
              <div
                key={item.key}
                className="absolute inset-x-0 top-0"
                style={{ height: item.size, transform: `translateY(${item.start}px)` }}
              >
                <RowOf row={row} />
              </div>
            )
          })}
        </div>
      </div>
    </div>
  )
}

function keyOf(row: Row | undefined): string {
  switch (row?.kind) {
    case undefined:
      return 'none'
    case 'group':
      return `group/${row.group}`
    case 'run':
      return `run/${row.run.id}`
    case 'damaged':
      return `damaged/${row.damaged.folder}`
  }
}

function RowOf(props: { row: Row }) {
  const { row } = props
  switch (row.kind) {
    case 'group':
      return <GroupRow group={row.group} count={row.count} folded={row.folded} />
    case 'run':
      return <RunRow run={row.run} />
    case 'damaged':
      return <DamagedRow damaged={row.damaged} />
  }
}

function Head() {
  const { t } = useTranslation('runs')
  return (
    <div className="runs-row head" role="row">
      <span />
      <span role="columnheader">{t('columns.state')}</span>
      <span role="columnheader">{t('columns.name')}</span>
      <span role="columnheader">{t('columns.recipe')}</span>
      <span role="columnheader">{t('columns.reward')}</span>
      <span role="columnheader" className="text-right">
        {t('columns.step')}
      </span>
      <span role="columnheader">{t('columns.release')}</span>
      <span role="columnheader">{t('columns.target')}</span>
      <span role="columnheader" className="col-tags">
        {t('columns.tags')}
      </span>
      <span role="columnheader">{t('columns.started')}</span>
      <span role="columnheader" className="text-right">
        {t('columns.duration')}
      </span>
    </div>
  )
}

const groupTitles = {
  attention: 'groupAttention',
  running: 'groupRunning',
  finished: 'groupFinished',
  damaged: 'groupDamaged'
} as const satisfies Record<GroupName, string>

function GroupRow(props: { group: GroupName; count: number; folded: boolean }) {
  const { t } = useTranslation('runs')
  return (
    <button
      type="button"
      className="runs-group"
      aria-expanded={!props.folded}
      onClick={() => runsView.getState().toggleFold(props.group)}
    >
      <Icon of={props.folded ? ChevronRight : ChevronDown} size="medium" />
      <span className="font-semibold">{t(groupTitles[props.group])}</span>
      <span className="cnt">{formatCount(props.count)}</span>
    </button>
  )
}

/** A folder that could not be read: shown with the reason, and left alone. */
function DamagedRow(props: { damaged: DamagedRun }) {
  const { damaged } = props
  const { t } = useTranslation(['runs', 'states'])
  const text = useText()
  return (
    <div className="runs-damaged" role="row" data-testid={`damaged-${damaged.id}`}>
      <span />
      <InlineState look={{ tone: 'warn', icon: FolderX }}>{t('states:damaged')}</InlineState>
      <span className="min-w-0">
        <div className="el font-medium">{damaged.id}</div>
        <div className="t2 el" title={`${text(damaged.why)} ${text(damaged.remedy)}`}>
          {text(damaged.why)} {text(damaged.remedy)}
        </div>
      </span>
      <span className="mono t2 el" title={damaged.folder}>
        {damaged.folder}
      </span>
      <Button size="small" onClick={() => void engine.host.reveal({ path: damaged.folder })}>
        {t('runs:showFolder')}
      </Button>
    </div>
  )
}
