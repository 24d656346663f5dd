import type { Release } from '@contract/releases'
import { CircleDot, Eye, LayoutGrid, PanelRight, Pause, RotateCcw, Search } from 'lucide-react'
import { memo } from 'react'
import { useTranslation } from 'react-i18next'
import type { AxisKind, ChartGroup } from '../../charts'
import { useGroupState } from '../../charts'
import { Button, Field, Icon, IconButton, Kbd, Menu, Segmented } from '../../ui'
import { AxisMenu } from './axis-menu'
import { curvePrefs } from './curve-prefs'
import { NextReleaseNote } from './next-release-note'
import type { KeyNote } from './panel-plan'
import { hasPaperValues } from './paper-values'
import { SmoothingMenu } from './smoothing-menu'

export type ToolbarProps = {
  readonly run: string
  readonly group: ChartGroup
  readonly axis: AxisKind
  readonly axisKey: string | null
  readonly keys: readonly Pick<KeyNote, 'key' | 'timed'>[]
  readonly typed: string
  readonly onTyped: (typed: string) => void
  readonly smoothingOpen: boolean
  readonly onSmoothingOpen: (open: boolean) => void
  /** Whether more samples are to be expected. */
  readonly running: boolean
  /** Recipe family of the run. */
  readonly family: string | null
  readonly releases: readonly Release[]
  /** Panels that were hidden. */
  readonly hidden: number
  readonly onResetLayout: () => void
}

/** How the curves are shown: axis, smoothing, log, which panels, live. */
export const CurvesToolbar = memo(function CurvesToolbar(props: ToolbarProps) {
  const { t } = useTranslation('curves')
  const prefs = curvePrefs()
  return (
    // What does not fit beside the inspector goes to a second row, whole, rather than out of sight.
    <div className="@container flex-none" data-testid="curves-toolbar">
      <div className="curve-toolbar flex min-h-11 flex-wrap items-center gap-x-2 gap-y-1 px-3 py-2">
        <AxisMenu axis={props.axis} axisKey={props.axisKey} keys={props.keys} />
        <SmoothingMenu
          smoothing={prefs.smoothing}
          open={props.smoothingOpen}
          onOpen={props.onSmoothingOpen}
          onChange={(smoothing) => prefs.change({ smoothing })}
        />
        <Button
          keys="L"
          on={prefs.log}
          onClick={() => prefs.change({ log: !prefs.log })}
          data-testid="curves-log"
        >
          {t('log')}
        </Button>
        <ViewMenu family={props.family} hidden={props.hidden} onResetLayout={props.onResetLayout} />
        <Segmented
          label={t('panels')}
          value={prefs.panels}
          segments={[
            { value: 'default', label: t('panelsDefault') },
            { value: 'all', label: t('panelsAll', { count: props.keys.length }) }
          ]}
          onChange={(panels) => prefs.change({ panels })}
          data-testid="curves-panels"
        />
        {prefs.panels === 'all' ? (
          <Field
            className="w-44"
            icon={Search}
            value={props.typed}
            onChange={props.onTyped}
            label={t('filterKeys')}
            placeholder={t('filterKeys')}
            data-testid="curves-filter"
          />
        ) : null}
        <span className="ml-auto flex flex-wrap items-center justify-end gap-x-2 gap-y-1">
          {prefs.panels === 'default' ? (
            <span
              className={`t2 hidden text-xs whitespace-nowrap ${props.running ? '@min-[1480px]:inline' : '@min-[1240px]:inline'}`}
            >
              {t('band')}
            </span>
          ) : null}
          {props.running && prefs.panels === 'default' ? (
            <NextReleaseNote run={props.run} releases={props.releases} />
          ) : null}
          <ResetButton group={props.group} />
          {props.running ? <LiveChip group={props.group} /> : null}
          <IconButton
            icon={PanelRight}
            variant="ghost"
            size="small"
            on={prefs.inspector}
            label={prefs.inspector ? t('hideInspector') : t('showInspector')}
            keys="I"
            onClick={() => prefs.change({ inspector: !prefs.inspector })}
          />
        </span>
      </div>
    </div>
  )
})

/** What is drawn besides the curves, and how far the value axes go. */
function ViewMenu(props: { family: string | null; hidden: number; onResetLayout: () => void }) {
  const { t } = useTranslation('curves')
  const { clip, papers, change } = curvePrefs()
  const published = hasPaperValues(props.family)
  return (
    <Menu
      width={300}
      trigger={
        <IconButton
          icon={Eye}
          label={t('view')}
          on={clip || (papers && published)}
          data-testid="curves-view"
        />
      }
      entries={[
        {
          kind: 'item',
          id: 'clip',
          label: t('clip'),
          keys: 'O',
          checked: clip,
          run: () => change({ clip: !clip })
        },
        {
          kind: 'item',
          id: 'papers',
          label: published ? t('papers') : t('papersNone'),
          keys: 'P',
          checked: papers && published,
          off: !published,
          run: () => change({ papers: !papers })
        },
        { kind: 'line', id: 'line' },
        {
          kind: 'item',
          id: 'reset-layout',
          label: t('resetLayout'),
          icon: LayoutGrid,
          ...(props.hidden > 0 ? { note: t('hiddenPanels', { count: props.hidden }) } : {}),
          run: props.onResetLayout
        }
      ]}
    />
  )
}

/** Only while zoomed: back to the whole curves. */
function ResetButton(props: { group: ChartGroup }) {
  const { t } = useTranslation('curves')
  const zoomed = useGroupState(props.group, (state) => state.range !== null && !state.live)
  if (!zoomed) return null
  return (
    <Button
      size="small"
      icon={RotateCcw}
      keys="R"
      onClick={props.group.reset}
      data-testid="curves-reset"
    >
      {t('reset')}
    </Button>
  )
}

function LiveChip(props: { group: ChartGroup }) {
  const { t } = useTranslation('curves')
  const live = useGroupState(props.group, (state) => state.live)
  return (
    <button
      type="button"
      className="live-chip"
      aria-pressed={live}
      title={live ? t('liveHint') : t('notLiveHint')}
      onClick={props.group.toggleLive}
      data-testid="curves-live"
    >
      <Icon of={live ? CircleDot : Pause} size="small" />
      {live ? t('live') : t('notLive')}
      <Kbd keys="Space" />
    </button>
  )
}
