import type { ComparedSide } from '@contract/compare'
import { COMPARED_WINDOW } from '@contract/comparing'
import type { Release } from '@contract/releases'
import { useEffect, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { comparisonFocus } from '../../state'
import { go } from '../../state/route'
import { Button, EmptyReason, Skeleton } from '../../ui'
import {
  RollbackBanner,
  RollbackDialog,
  releaseAt,
  servedOf,
  useChain,
  useChoice,
  useRollbackAsk
} from '../releases'
import { FailureNote } from '../shared/failure-note'
import { MoreSides } from './add-side'
import { SavedMenu } from './comparison-actions'
import { ComparisonViews } from './comparison-views'
import { PairHead, type PairProps } from './pair-head'
import { SavedView } from './saved-view'
import type { Asked } from './side-feed'
import { arrange, useArrangement } from './side-store'
import './compare.css'

/** Two releases of a run side by side: A is the baseline, B is what it is held against. */
export function CompareTab(props: { runId: string }) {
  const chain = useChain(props.runId)
  const choice = useChoice(props.runId)
  const { swapped, opened } = useArrangement(props.runId)
  useWanted(props.runId)
  if (opened !== null) return <SavedView run={props.runId} id={opened} />
  if (chain.isError) {
    return <FailureNote className="m-3" thrown={chain.error} retry={() => void chain.refetch()} />
  }
  if (chain.data === undefined) return <Skeleton className="m-3 h-64" />
  const { releases } = chain.data
  if (releases.length === 0) return <PlainRun run={props.runId} />
  const pair = pairOf(releases, choice, swapped)
  if (pair === null) return <NoPair run={props.runId} />
  return <Pair run={props.runId} scenario={choice.scenario} releases={releases} {...pair} />
}

/** Opens the saved comparison another page asked for. */
function useWanted(run: string): void {
  const wanted = comparisonFocus((store) => store.wanted)
  useEffect(() => {
    if (wanted === null || wanted.run !== run) return
    arrange(run, { opened: wanted.id })
    comparisonFocus.setState({ wanted: null })
  }, [wanted, run])
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
        <span className="flex gap-2">
          <Button onClick={() => go({ page: 'run', id: props.run, tab: 'releases' })}>
            {t('openReleases')}
          </Button>
          <SavedMenu run={props.run} />
        </span>
      }
      data-testid="compare-empty"
    />
  )
}

/** A run without releases, by its newest values, beside whatever is added. */
function PlainRun(props: { run: string }) {
  const { t } = useTranslation('compare')
  const { run } = props
  const { more } = useArrangement(run)
  const asked = useMemo(
    (): Asked => ({ sides: [{ kind: 'run', run }, ...more], baseline: 0, window: COMPARED_WINDOW }),
    [run, more]
  )
  const add = <MoreSides run={run} scenario={null} releases={[]} pair={[]} />
  if (more.length > 0)
    return (
      <div className="flex min-h-0 flex-1 flex-col">
        <ComparisonViews run={run} asked={asked} pair={null} beside={add} />
      </div>
    )
  return (
    <EmptyReason
      className="flex-1"
      what={t('plainWhat')}
      why={t('plainWhy')}
      action={
        <span className="flex gap-2">
          {add}
          <SavedMenu run={run} />
        </span>
      }
      data-testid="compare-plain"
    />
  )
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
function askedOf({ run, scenario, a, b }: PairProps, more: readonly ComparedSide[]): Asked {
  const pair = [a, b].map((release): ComparedSide => ({
    kind: 'release',
    run,
    step: release.step,
    ...(scenario === null ? {} : { scenario })
  }))
  return { sides: [...pair, ...more], baseline: 0, window: COMPARED_WINDOW }
}

function Sides(props: PairProps) {
  const { run } = props
  const { more } = useArrangement(run)
  const asked = useMemo(() => askedOf(props, more), [props, more])
  return (
    <ComparisonViews
      run={run}
      asked={asked}
      pair={props}
      beside={<MoreSides {...props} pair={[props.a.step, props.b.step]} />}
    />
  )
}
