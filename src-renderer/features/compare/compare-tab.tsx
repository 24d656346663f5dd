import type { Release } from '@contract/releases'
import type { Language } from '@contract/text'
import { useQuery } from '@tanstack/react-query'
import { ArrowLeftRight, ChevronDown, RotateCcw } from 'lucide-react'
import { lazy, Suspense, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useCommands, type Command } from '../../commands'
import { formatDuration, useLanguage } from '../../i18n'
import { go } from '../../state/route'
import { Button, EmptyReason, Menu, Segmented, Skeleton } from '../../ui'
import type { MenuEntry } from '../../ui'
import {
  RollbackBanner,
  RollbackDialog,
  choose,
  compareQuery,
  nameOf,
  releaseAt,
  servedOf,
  useChain,
  useChoice,
  useRollbackAsk
} from '../releases'
import type { ComparedSide, SideComparison } from '@contract/compare'
import { runQuery } from '../../api'
import { FailureNote } from '../shared/failure-note'
import { MoreSides } from './add-side'
import { NumberTable, Swatch } from './number-table'
import { PairCurves } from './pair-curves'
import { sidesQuery } from './side-feed'
import { arrange, useArrangement, type CompareView } from './side-store'
import { SettingsView, SidesTable } from './sides-table'
import './compare.css'

/** Two releases of a run side by side: A is the baseline, B is what it is held against. */
export function CompareTab(props: { runId: string }) {
  const chain = useChain(props.runId)
  const choice = useChoice(props.runId)
  const { swapped } = useArrangement(props.runId)
  if (chain.isError) {
    return <FailureNote className="m-3" thrown={chain.error} retry={() => void chain.refetch()} />
  }
  if (chain.data === undefined) return <Skeleton className="m-3 h-64" />
  const { releases } = chain.data
  const pair = pairOf(releases, choice, swapped)
  if (pair === null) return <NoPair run={props.runId} />
  return <Pair run={props.runId} scenario={choice.scenario} releases={releases} {...pair} />
}

/** The chosen pair, with the served release standing in for one not chosen. The earlier is the baseline unless swapped. */
function pairOf(
  releases: readonly Release[],
  choice: { readonly step: number | null; readonly other: number | null },
  swapped: boolean
): { readonly a: Release; readonly b: Release } | null {
  const served = servedOf(releases)?.step ?? null
  const a = choice.step ?? served
  const b = choice.other ?? served
  if (a === null || b === null || a === b) return null
  const [first, second] = [releaseAt(releases, a), releaseAt(releases, b)]
  if (first === null || second === null) return null
  return first.step < second.step === swapped ? { a: second, b: first } : { a: first, b: second }
}

function NoPair(props: { run: string }) {
  const { t } = useTranslation('compare')
  return (
    <EmptyReason
      className="flex-1"
      what={t('emptyWhat')}
      why={t('emptyWhy')}
      action={
        <Button onClick={() => go({ page: 'run', id: props.run, tab: 'releases' })}>
          {t('openReleases')}
        </Button>
      }
      data-testid="compare-empty"
    />
  )
}

type PairProps = {
  readonly run: string
  readonly scenario: string | null
  readonly releases: readonly Release[]
  readonly a: Release
  readonly b: Release
}

function Pair(props: PairProps) {
  const { run, scenario, releases } = props
  const asking = useRollbackAsk({ run, scenario, releases })
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <RollbackBanner run={run} releases={releases} onUndo={asking.undo} />
      <PairHead {...props} onRollback={asking.ask} />
      <Sides {...props} />
      {asking.asked === null ? null : <RollbackDialog {...asking.asked} onClose={asking.close} />}
    </div>
  )
}

/** What is compared, the baseline first. */
function sidesOf(
  { run, scenario, a, b }: PairProps,
  more: readonly ComparedSide[]
): ComparedSide[] {
  const pair = [a, b].map((release): ComparedSide => ({
    kind: 'release',
    run,
    step: release.step,
    ...(scenario === null ? {} : { scenario })
  }))
  return [...pair, ...more]
}

const VIEWS: readonly CompareView[] = ['numbers', 'weights', 'settings', 'results']

function Sides(props: PairProps) {
  const { t } = useTranslation('compare')
  const { run } = props
  const { view, more } = useArrangement(run)
  const sides = useMemo(() => sidesOf(props, more), [props, more])
  const query = useQuery(sidesQuery(sides))
  return (
    <>
      <div className="flex flex-none flex-wrap items-center gap-2 px-3 pt-2 text-xs">
        <Segmented
          label={t('view.label')}
          value={view}
          onChange={(next) => arrange(run, { view: next })}
          segments={VIEWS.map((value) => ({ value, label: t(`view.${value}`) }))}
          data-testid="compare-view"
        />
        <MoreSides {...props} pair={[props.a.step, props.b.step]} />
      </div>
      {query.isError ? (
        <FailureNote className="m-3" thrown={query.error} retry={() => void query.refetch()} />
      ) : null}
      <View {...props} view={view} comparison={query.data ?? null} />
    </>
  )
}

const WeightsView = lazy(() =>
  import('./weights-view').then((module) => ({ default: module.WeightsView }))
)
const ResultsView = lazy(() =>
  import('./results-view').then((module) => ({ default: module.ResultsView }))
)

function View(props: PairProps & { view: CompareView; comparison: SideComparison | null }) {
  const { run, a, b, view, comparison } = props
  switch (view) {
    case 'numbers':
      return (
        <div className="compare-grid">
          {comparison !== null && comparison.sides.length > 2 ? (
            <SidesTable comparison={comparison} />
          ) : (
            <PairNumbers {...props} />
          )}
          <PairCurves run={run} releases={props.releases} a={a.step} b={b.step} />
        </div>
      )
    case 'weights':
      return (
        <Suspense fallback={<Skeleton className="m-3 h-64" />}>
          <PairWeights {...props} />
        </Suspense>
      )
    case 'settings':
      return comparison === null ? (
        <Skeleton className="m-3 h-40" />
      ) : (
        <SettingsView comparison={comparison} />
      )
    case 'results':
      return (
        <Suspense fallback={<Skeleton className="m-3 h-40" />}>
          <ResultsView run={run} comparison={comparison} />
        </Suspense>
      )
  }
}

function PairNumbers(props: PairProps) {
  const { run, scenario, a, b } = props
  const query = useQuery(compareQuery(run, scenario, { a: a.step, b: b.step }))
  if (query.isPending) return <Skeleton className="h-full" />
  if (query.isError) return <FailureNote thrown={query.error} retry={() => void query.refetch()} />
  return <NumberTable rows={query.data} a={`A ${nameOf(a.step)}`} b={`B ${nameOf(b.step)}`} />
}

function PairWeights(props: PairProps) {
  const { t } = useTranslation('compare')
  const { run, a, b } = props
  const target = useQuery(runQuery(run)).data?.summary.target.id ?? null
  const missing = [a, b].filter(({ checkpoint }) => checkpoint === null)
  const names = [nameOf(a.step), nameOf(b.step)] as const
  const sides =
    target === null || a.checkpoint === null || b.checkpoint === null
      ? null
      : { target, a: a.checkpoint, b: b.checkpoint }
  return (
    <WeightsView
      key={`${a.checkpoint ?? ''} ${b.checkpoint ?? ''}`}
      sides={sides}
      names={names}
      missing={t('weights.noneWhy', {
        names: missing.map(({ step }) => nameOf(step)).join(', ')
      })}
    />
  )
}

function PairHead(props: PairProps & { onRollback: (step: number) => void }) {
  const { t } = useTranslation('compare')
  const language = useLanguage()
  const { run, a, b } = props
  const { swapped } = useArrangement(run)
  const commands = useMemo<Command[]>(
    () => [
      {
        id: 'compare-swap',
        title: t('swap'),
        group: 'run',
        keys: ['X'],
        run: () => arrange(run, { swapped: !swapped })
      }
    ],
    [t, run, swapped]
  )
  useCommands(commands)
  return (
    <div className="flex h-12 flex-none items-center gap-2 border-b border-line-1 px-3 text-xs">
      <SidePicker {...props} side="a" />
      <SidePicker {...props} side="b" />
      <Button
        icon={ArrowLeftRight}
        keys="X"
        title={t('swapHint')}
        onClick={() => arrange(run, { swapped: !swapped })}
        data-testid="compare-swap"
      >
        {t('swap')}
      </Button>
      <span className="t2 el">{apartWords({ a, b, language }, t)}</span>
      <span className="ml-auto flex gap-2">
        {[a, b]
          .filter((release) => !release.served && release.restorable)
          .map((release) => (
            <Button
              key={release.step}
              icon={RotateCcw}
              onClick={() => props.onRollback(release.step)}
              data-testid={`compare-rollback-r${release.step}`}
            >
              {t('rollBack', { name: nameOf(release.step) })}
            </Button>
          ))}
      </span>
    </div>
  )
}

function apartWords(
  { a, b, language }: { a: Release; b: Release; language: Language },
  t: ReturnType<typeof useTranslation<'compare'>>['t']
): string {
  const order = b.step > a.step ? t('descends') : t('precedes')
  const steps = t('stepsApart', { count: Math.abs(b.step - a.step) })
  if (a.recordedAt === null || b.recordedAt === null) return `${order} · ${steps}`
  const time = formatDuration(Math.abs(b.recordedAt - a.recordedAt), language)
  return `${order} · ${t('apart', { steps, time })}`
}

/** Most rows a menu offers; the whole chain is chosen from in Releases. */
const OFFERED = 40

/** One side of the pair: which release it is, and a menu to change it. */
function SidePicker(props: PairProps & { side: 'a' | 'b' }) {
  const { t } = useTranslation('compare')
  const { run, releases, side } = props
  const release = props[side]
  const otherStep = side === 'a' ? props.b.step : props.a.step
  const near = releases.filter((row) => row.restorable || row.served || row.step === release.step)
  const offered = (near.length < 2 ? releases : near).slice(0, OFFERED)
  const entries = offered
    .filter((row) => row.step !== otherStep)
    .map((row): MenuEntry => ({
      kind: 'item',
      id: `pick-r${row.step}`,
      label: nameOf(row.step),
      note: row.contentKind === 'saved_artifact' ? row.contentId : '',
      checked: row.step === release.step,
      run: () => choose(run, side === 'a' ? { step: row.step } : { other: row.step })
    }))
  return (
    <Menu
      entries={entries}
      width={280}
      trigger={
        <button
          type="button"
          className="side-picker"
          title={t('change', { side: side.toUpperCase() })}
          data-testid={`compare-side-${side}`}
        >
          <Swatch side={side} />
          <span className="t2">{side === 'a' ? t('baseline') : t('against')}</span>
          <b className="mono font-medium">{nameOf(release.step)}</b>
          <span className="mono t2 el max-w-40">
            {release.contentKind === 'saved_artifact' ? release.contentId : ''}
          </span>
          <ChevronDown aria-hidden className="ic s t2" />
        </button>
      }
    />
  )
}
