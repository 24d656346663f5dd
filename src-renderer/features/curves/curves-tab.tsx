import type { Panel } from '@contract/metrics'
import type { Release } from '@contract/releases'
import type { RunDetail } from '@contract/run'
import { useQuery } from '@tanstack/react-query'
import { memo, useCallback, useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { runQuery } from '../../api'
import { blockAt, createChartGroup, shownRange, useGroupState } from '../../charts'
import { curveFocus } from '../../state'
import type { AxisKind, ChartGroup, LaneBlock, LitPiece, ReleaseLane } from '../../charts'
import { EmptyReason, Skeleton, useLater, type MenuEntry } from '../../ui'
import {
  ReleaseInspector,
  RollbackBanner,
  RollbackDialog,
  choose,
  countsOf,
  nameOf,
  releaseAt,
  releaseSpans,
  servedOf,
  useChain,
  useChoice,
  useReleaseCommands,
  useRollbackAsk
} from '../releases'
import { FailureNote } from '../shared/failure-note'
import { zeros } from './attempt-zeros'
import { axisFor } from './axis-menu'
import { CurvePanel } from './curve-panel'
import { curvePrefs } from './curve-prefs'
import { CurvesToolbar } from './curves-toolbar'
import type { KeyFacts, PlannedPanel } from './panel-plan'
import { groupId, keyFacts, planPanels } from './panel-plan'
import { usePanelLayout, type PanelLayout } from './use-panel-layout'
import { ReleaseStrip } from './release-strip'
import { ResultPanels } from './result-panels'
import { holdMetrics, keysQuery, paceQuery, panelsQuery } from './series-feed'
import { useCurveCommands } from './use-curve-commands'
import { useNewest } from './use-newest'
import { useReleaseLane } from './use-release-lane'
import './curves.css'

/** The live curves of a run with its releases under them and the selected release beside them. */
export const CurvesTab = memo(function CurvesTab(props: { runId: string }) {
  const facts = useQuery({ ...runQuery(props.runId), select: factsOf }).data
  const keys = useQuery({ ...keysQuery(props.runId), select: keyFacts })
  const panels = useQuery(panelsQuery(props.runId))
  const chain = useChain(props.runId)
  useEffect(() => holdMetrics(props.runId), [props.runId])
  if (keys.isError || panels.isError) {
    return (
      <FailureNote
        className="m-3"
        thrown={keys.error ?? panels.error}
        retry={() => void Promise.all([keys.refetch(), panels.refetch()])}
      />
    )
  }
  if (keys.data === undefined || panels.data === undefined || facts === undefined) {
    return <TabSkeleton />
  }
  return (
    <Loaded
      key={props.runId}
      facts={facts}
      {...keys.data}
      panels={panels.data}
      releases={chain.data?.releases ?? NO_RELEASES}
    />
  )
})

const NO_RELEASES: readonly Release[] = []

function TabSkeleton() {
  return (
    <div className="grid flex-1 grid-cols-3 gap-2 p-3" aria-busy>
      {[0, 1, 2, 3, 4, 5].map((index) => (
        <Skeleton key={index} className="h-full min-h-40" />
      ))}
    </div>
  )
}

/** What the curves need to know of a run: little of it changes while it goes on, and nothing is redrawn until it does. */
type RunFacts = {
  readonly run: string
  readonly family: string | null
  readonly running: boolean
  /** First reward of the run, and its key. */
  readonly start: { readonly key: string; readonly value: number } | null
  readonly attempts: readonly { readonly number: number; readonly startedAt: number }[]
}

function factsOf(detail: RunDetail): RunFacts {
  const { id, recipe, reward } = detail.summary
  return {
    run: id,
    family: recipe.family,
    running: goesOn(detail),
    start:
      reward === null || reward.first === null ? null : { key: reward.key, value: reward.first },
    attempts: detail.attempts.map(({ number, startedAt }) => ({ number, startedAt }))
  }
}

type LoadedProps = KeyFacts & {
  readonly facts: RunFacts
  readonly panels: readonly Panel[]
  readonly releases: readonly Release[]
}

function Loaded(props: LoadedProps) {
  const { t } = useTranslation('releases')
  const { facts, keys, releases } = props
  const { run, family, running } = facts
  const prefs = curvePrefs()
  const { panels: mode, inspector } = prefs
  const { axis, axisKey } = axisFor(prefs, keys)
  const [typed, setTyped] = useState('')
  const [smoothingOpen, setSmoothingOpen] = useState(false)
  const [hovered, setHovered] = useState<number | null>(null)
  const choice = useChoice(run)
  const groups = useGroups({ axis, axisKey }, props.axes)
  const planned = useMemo(
    () => planPanels({ mode, panels: props.panels, keys, typed }),
    [mode, props.panels, keys, typed]
  )
  const layout = usePanelLayout(planned, family)
  // A release that comes in is told part by part, each in a task of its own.
  const later = useLater(releases)
  const lane = useLane({ facts, releases: later }, groups.main, axis)
  const sub = useMemo(() => stripCounts(later, t), [later, t])
  const selectedStep = stepInspected(choice.step, releases)
  const asking = useRollbackAsk({ run, releases, scenario: choice.scenario })
  const lit = useLit(lane, choice.step, hovered)
  const drawn = useReleaseLane(lane, lit)
  const select = useCallback((step: number) => choose(run, { step }), [run])
  useFocus(run, groups.main)
  const openSmoothing = useCallback(() => setSmoothingOpen(true), [])
  useCurveCommands({ run, groups: groups.all, openSmoothing })
  useReleaseCommands({
    run,
    listed: releases,
    selected: selectedStep,
    other: choice.other ?? servedOf(releases)?.step ?? null,
    focusFilter: null,
    ask: asking.ask
  })
  return (
    <div className="relative flex min-h-0 flex-1">
      <div className="flex min-w-0 flex-1 flex-col">
        <RollbackBanner run={run} releases={releases} onUndo={asking.undo} />
        <CurvesToolbar
          run={run}
          group={groups.main}
          axis={axis}
          axisKey={axisKey}
          keys={keys}
          typed={typed}
          onTyped={setTyped}
          smoothingOpen={smoothingOpen}
          onSmoothingOpen={setSmoothingOpen}
          running={running}
          family={family}
          releases={later}
          hidden={mode === 'all' ? 0 : layout.hidden}
          onResetLayout={layout.reset}
        />
        <div
          className="curve-scroller mb-2 min-h-0 flex-1 overflow-y-auto px-3"
          onScroll={(event) => {
            // At the top nothing snaps or anchors: panels that come in above would scroll the first ones out of sight.
            const { scrollTop, dataset } = event.currentTarget
            dataset['scrolled'] = String(scrollTop > 0)
          }}
        >
          {planned.length === 0 ? (
            <NoPanels typed={typed} count={keys.length} />
          ) : (
            <PanelGrid
              facts={facts}
              planned={planned}
              groups={groups}
              axis={axis}
              axisKey={axisKey}
              lane={drawn}
              layout={layout}
            />
          )}
        </div>
        {lane.length === 0 ? null : (
          <div className="px-3 pb-2">
            <ReleaseStrip
              lane={lane}
              axis={axis}
              group={groups.main}
              sub={sub}
              selected={stepInspected(choice.step, later)}
              onSelect={select}
              onHover={setHovered}
            />
          </div>
        )}
      </div>
      {inspector ? (
        <InspectorSide run={run} releases={later} lane={lane} onRollback={asking.ask} />
      ) : null}
      {asking.asked === null ? null : <RollbackDialog {...asking.asked} onClose={asking.close} />}
    </div>
  )
}

/** Brings a step another page asked for into view, under the crosshair. */
function useFocus(run: string, group: ChartGroup): void {
  const wanted = curveFocus((store) => store.wanted)
  const known = useGroupState(group, (state) => state.extent !== null)
  useEffect(() => {
    if (wanted === null || wanted.run !== run || !known) return
    curvePrefs.getState().change({ axis: 'step' })
    const [low, high] = shownRange(group.store.getState())
    const half = (high - low) / 2
    if (wanted.step < low || wanted.step > high)
      group.show([wanted.step - half, wanted.step + half])
    group.cross({ x: wanted.step, chart: '' })
    curveFocus.setState({ wanted: null })
  }, [wanted, run, group, known])
}

/** Whether more samples are to be expected. */
function goesOn(detail: RunDetail): boolean {
  switch (detail.summary.state.kind) {
    case 'planned':
    case 'stopped':
    case 'failed':
    case 'imported':
      return false
    case 'checking':
    case 'preparing':
    case 'starting':
    case 'serving':
    case 'training':
    case 'quiet':
    case 'unreachable':
    case 'stopping':
      return true
  }
}

type Groups = {
  readonly main: ChartGroup
  readonly all: readonly ChartGroup[]
  readonly of: (panel: PlannedPanel) => ChartGroup
}

/** The shared x range and crosshair: one for the page, or one for each native axis that counts otherwise. */
function useGroups(
  { axis, axisKey }: { readonly axis: AxisKind; readonly axisKey: string | null },
  joined: string
): Groups {
  const [made] = useState(() => new Map<string, ChartGroup>())
  return useMemo(() => {
    const byAxis = new Map(
      joined.split(' ').map((pair) => [pair.split('=')[0] ?? '', pair.split('=')[1] ?? ''])
    )
    const groupOf = (name: string): ChartGroup => {
      const id = groupId(axis, axisKey, byAxis.get(name) ?? name)
      const known = made.get(id) ?? createChartGroup()
      made.set(id, known)
      return known
    }
    const main = groupOf('step')
    const all = new Set([main, ...[...byAxis.keys()].map(groupOf)])
    return { main, all: [...all], of: (panel) => groupOf(panel.axis) }
  }, [axis, axisKey, joined, made])
}

function useLane(
  props: Pick<LoadedProps, 'facts' | 'releases'>,
  group: ChartGroup,
  axis: AxisKind
): readonly LaneBlock[] {
  const { releases } = props
  const { attempts, running } = props.facts
  const newest = useNewest(group)
  const begun = useQuery({ ...paceQuery(props.facts.run), select: (pace) => pace.starts }).data
  const starts = useMemo(() => zeros(attempts, begun ?? []), [attempts, begun])
  return useMemo(
    () =>
      // Without an x axis to stand on, releases would be drawn on one that the first samples throw away.
      // Releases have no place among rollouts and values.
      newest === null || axis === 'rollout' || axis === 'metric'
        ? []
        : releaseSpans({ releases, axis, attemptStarts: starts, newest, training: running }),
    [releases, axis, starts, newest, running]
  )
}

/** The pieces lit on every chart: the chosen release, and the one under the pointer. */
function useLit(
  lane: readonly LaneBlock[],
  chosen: number | null,
  hovered: number | null
): readonly LitPiece[] {
  return useMemo(
    () =>
      lane
        .filter((block) => block.step === chosen || block.step === hovered)
        .filter((block) => block.kind !== 'running')
        .map((block) => ({ range: [block.from, block.to] as const, tone: 'text' as const })),
    [lane, chosen, hovered]
  )
}

/** The chosen release, else the served one, else the newest. */
function stepInspected(chosen: number | null, releases: readonly Release[]): number | null {
  return chosen ?? servedOf(releases)?.step ?? releases[0]?.step ?? null
}

/** The selected release beside the curves. */
const InspectorSide = memo(function InspectorSide(props: {
  run: string
  releases: readonly Release[]
  lane: readonly LaneBlock[]
  onRollback: (step: number) => void
}) {
  const { run } = props
  const choice = useChoice(run)
  const releases = useLater(props.releases)
  const step = stepInspected(choice.step, releases)
  const release = step === null ? null : releaseAt(releases, step)
  const span = useSpan(props.lane, step)
  if (release === null) return null
  return (
    <aside className="side right curve-inspector w-80 flex-none overflow-y-auto">
      <ReleaseInspector
        run={run}
        releases={releases}
        release={release}
        span={span}
        against="base"
        other={choice.other}
        onRollback={props.onRollback}
      />
    </aside>
  )
})

/** Where a release stands; the same object for as long as that is the same, though the lane is made anew every second. */
function useSpan(
  lane: readonly LaneBlock[],
  step: number | null
): { readonly from: number; readonly to: number } | null {
  const { from = null, to = null } = lane.find((block) => block.step === step) ?? {}
  return useMemo(() => (from === null || to === null ? null : { from, to }), [from, to])
}

function stripCounts(
  releases: readonly Release[],
  t: ReturnType<typeof useTranslation<'releases'>>['t']
): string {
  const counts = countsOf(releases.filter(isPublished))
  const served = servedOf(releases)
  return served === null
    ? t('stripCountsNone', { all: counts.all, restorable: counts.restorable })
    : t('stripCounts', {
        all: counts.all,
        restorable: counts.restorable,
        served: nameOf(served.step)
      })
}

/** What the header counts as released: neither the creation nor what was turned down. */
function isPublished(release: Release): boolean {
  switch (release.result) {
    case 'published':
    case 'promoted':
    case 'selected':
      return release.operation !== 'creation'
    case 'pending':
    case 'rejected':
    case 'skipped':
    case 'failed':
      return false
  }
}

function NoPanels(props: { typed: string; count: number }) {
  const { t } = useTranslation('curves')
  const filtered = props.typed !== ''
  return (
    <EmptyReason
      className="h-full"
      what={filtered ? t('noKeysWhat') : t('emptyWhat')}
      why={filtered ? t('noKeysWhy', { count: props.count, filter: props.typed }) : t('emptyWhy')}
      data-testid="curves-empty"
    />
  )
}

const NO_ENTRIES: readonly MenuEntry[] = []

const PanelGrid = memo(function PanelGrid(props: {
  facts: RunFacts
  planned: readonly PlannedPanel[]
  groups: Groups
  axis: AxisKind
  axisKey: string | null
  lane: ReleaseLane
  layout: PanelLayout
}) {
  const { axis, axisKey, lane } = props
  const { run, family, running, start } = props.facts
  const { smoothing, log, clip, papers, panels } = curvePrefs()
  const shown =
    panels === 'all'
      ? props.planned.map((panel) => ({ panel, wide: false, menu: NO_ENTRIES }))
      : props.layout.shown
  const releaseNameAt = useCallback(
    (x: number) => blockAt(lane.getState().lane, x)?.label ?? null,
    [lane]
  )
  const pick = useCallback(
    (x: number) => {
      const block = blockAt(lane.getState().lane, x)
      if (block !== null && block.kind !== 'running') choose(run, { step: block.step })
    },
    [lane, run]
  )
  return (
    <div className={`curve-grid ${panels === 'all' ? 'all' : ''}`} data-testid="curve-grid">
      {shown.map(({ panel, wide, menu }, index) => (
        <CurvePanel
          key={panel.id}
          run={run}
          panel={panel}
          group={props.groups.of(panel)}
          axis={axis}
          axisKey={axisKey}
          smoothing={smoothing}
          log={log}
          clip={clip}
          papersOf={papers ? family : null}
          lane={lane}
          start={start}
          running={running}
          labelRestarts={index === 0}
          releaseAt={releaseNameAt}
          onPick={pick}
          wide={wide}
          more={menu}
        />
      ))}
      <ResultPanels
        run={run}
        group={props.groups.main}
        axis={axis}
        lane={lane}
        releaseAt={releaseNameAt}
        onPick={pick}
      />
    </div>
  )
})
