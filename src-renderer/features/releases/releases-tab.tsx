import type { Release } from '@contract/releases'
import { useQuery } from '@tanstack/react-query'
import { Filter, GitCompareArrows, Undo2 } from 'lucide-react'
import { memo, useDeferredValue, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Text } from '@contract/text'
import type { LaneBlock } from '../../charts'
import { useText } from '../../i18n'
import { go } from '../../state/route'
import { Button, EmptyReason, Field, Segmented, Skeleton } from '../../ui'
import { FailureNote } from '../shared/failure-note'
import { ChainGraph } from './chain-graph'
import { CheckpointsView } from './checkpoints-view'
import { undoableQuery, useChain } from './chain-feed'
import { filterReleases } from './release-filter'
import { ReleaseInspector } from './release-inspector'
import { baseOf, nameOf, releaseAt, rewardKeyOf, servedOf } from './release-model'
import { choose, toggleOther, useChoice } from './release-selection'
import { releaseSpans, spanOf } from './release-spans'
import { ReleaseTable } from './release-table'
import { RollbackBanner } from './rollback-banner'
import { RollbackDialog } from './rollback-dialog'
import { useReleaseCommands } from './use-release-commands'
import { useRollbackAsk } from './use-rollback-ask'

/** Every release of a run: graph, table, the selected one, comparing and going back. */
export const ReleasesTab = memo(function ReleasesTab(props: { runId: string }) {
  const chain = useChain(props.runId)
  const { t } = useTranslation('releases')
  const text = useText()
  if (chain.isPending) {
    return (
      <div className="flex flex-col gap-3 p-3" aria-busy>
        <Skeleton className="h-40" />
        <Skeleton className="h-7" />
        <Skeleton className="h-64" />
      </div>
    )
  }
  if (chain.isError) {
    return <FailureNote thrown={chain.error} retry={() => void chain.refetch()} className="m-3" />
  }
  if (chain.data.releases.length === 0) {
    return (
      <EmptyReason
        className="flex-1"
        what={t('emptyWhat')}
        why={chain.data.note === undefined ? t('emptyWhy') : text(chain.data.note)}
        data-testid="releases-empty"
      />
    )
  }
  return (
    <Loaded
      run={props.runId}
      note={chain.data.note}
      releases={chain.data.releases}
      scenario={chain.data.scenario}
      scenarios={chain.data.scenarios}
    />
  )
})

type LoadedProps = {
  readonly run: string
  /** What is missing of the chain. */
  readonly note: Text | undefined
  readonly releases: readonly Release[]
  readonly scenario: string
  readonly scenarios: readonly string[]
}

const NONE: readonly Release[] = []
/** More rows than are laid out within a frame. */
const MANY = 1_000

function Loaded(props: LoadedProps) {
  const { run, releases } = props
  const choice = useChoice(run)
  const text = useText()
  const served = servedOf(releases)
  const selectedStep = choice.step ?? served?.step ?? releases[0]?.step ?? null
  const selected = selectedStep === null ? null : releaseAt(releases, selectedStep)
  const [typed, setTyped] = useState('')
  const [list, setList] = useState<'releases' | 'saved'>('releases')
  const listed = useListed(releases, typed)
  const asking = useRollbackAsk({ run, releases, scenario: choice.scenario })
  // Of thousands of rows, what takes a while to lay out comes after the rows in sight.
  const behind = useDeferredValue(releases, releases.length > MANY ? NONE : releases)
  const later = releases.length > MANY ? behind : releases
  const spans = useMemo(() => stepSpans(later), [later])
  const rewardKey = useMemo(() => rewardKeyOf(releases), [releases])
  const filterField = useRef<HTMLInputElement>(null)
  const select = (step: number): void => choose(run, { step })
  const mark = (step: number): void => toggleOther(run, step)
  const other = choice.other ?? served?.step ?? null
  useReleaseCommands({
    run,
    listed,
    selected: selectedStep,
    other,
    focusFilter: () => filterField.current?.focus(),
    ask: asking.ask
  })
  return (
    <div className="flex min-h-0 flex-1">
      <div className="flex min-w-0 flex-1 flex-col">
        {props.note === undefined ? null : (
          <div className="callout c-warn m-3" data-testid="chain-note">
            {text(props.note)}
          </div>
        )}
        <RollbackBanner run={run} releases={releases} onUndo={asking.undo} />
        <ChainGraph
          releases={later}
          selected={selectedStep}
          other={choice.other}
          proposed={asking.asked?.step ?? null}
          onSelect={select}
          onOther={mark}
        />
        <Toolbar
          {...props}
          typed={typed}
          onTyped={setTyped}
          filterField={filterField}
          matching={listed.length}
          pair={{ a: selectedStep, b: other }}
          served={served?.step ?? null}
          asked={choice.scenario}
          onUndo={() => asking.undo(null)}
          list={list}
          onList={setList}
        />
        {list === 'saved' ? (
          <CheckpointsView run={run} releases={releases} />
        ) : listed.length === 0 ? (
          <NoMatch typed={typed} onClear={() => setTyped('')} />
        ) : (
          <ReleaseTable
            releases={listed}
            selected={selectedStep}
            other={choice.other}
            rewardKey={rewardKey}
            baseOf={(release) => baseOf(releases, release)}
            stepOf={(release) => shownStep(spanOf(spans, release.step)?.to)}
            onSelect={select}
            onOther={mark}
            onOpen={(step) => {
              choose(run, { step })
              go({ page: 'run', id: run, tab: 'curves' })
            }}
          />
        )}
      </div>
      <aside className="side right w-80 flex-none overflow-y-auto">
        {selected === null ? null : (
          <ReleaseInspector
            run={run}
            releases={releases}
            release={selected}
            span={spanOf(spans, selected.step)}
            against="served"
            other={choice.other}
            onRollback={asking.ask}
          />
        )}
      </aside>
      {asking.asked === null ? null : <RollbackDialog {...asking.asked} onClose={asking.close} />}
    </div>
  )
}

/** Where each release stands on the step axis. */
function stepSpans(releases: readonly Release[]): readonly LaneBlock[] {
  return releaseSpans({
    releases,
    axis: 'step',
    attemptStarts: new Map(),
    newest: null,
    training: false
  })
}

/** Optimizer steps are counted from 0 by the trainer; before the first there is none. */
function shownStep(to: number | undefined): number | null {
  return to === undefined || to < 0 ? null : to
}

function useListed(releases: readonly Release[], typed: string): readonly Release[] {
  const deferred = useDeferredValue(typed)
  return useMemo(() => filterReleases(releases, deferred), [releases, deferred])
}

/** Offered as long as there is something to take back, also after Slipway was started anew. */
function UndoButton(props: {
  run: string
  asked: string | null
  served: number | null
  onUndo: () => void
}) {
  const { t } = useTranslation('releases')
  const undoable = useQuery(undoableQuery(props.run, props.asked, props.served)).data === true
  if (!undoable) return null
  return (
    <Button icon={Undo2} title={t('act.undoHint')} onClick={props.onUndo} data-testid="undo-last">
      {t('act.undoLast')}
    </Button>
  )
}

function NoMatch(props: { typed: string; onClear: () => void }) {
  const { t } = useTranslation('releases')
  return (
    <EmptyReason
      className="flex-1"
      what={t('noMatchWhat')}
      why={t('noMatchWhy', { filter: props.typed })}
      action={<Button onClick={props.onClear}>{t('clearFilter')}</Button>}
    />
  )
}

function Toolbar(
  props: LoadedProps & {
    typed: string
    onTyped: (typed: string) => void
    filterField: React.RefObject<HTMLInputElement | null>
    matching: number
    pair: { a: number | null; b: number | null }
    served: number | null
    asked: string | null
    onUndo: () => void
    list: 'releases' | 'saved'
    onList: (list: 'releases' | 'saved') => void
  }
) {
  const { t } = useTranslation('releases')
  const { a, b } = props.pair
  const possible = a !== null && b !== null && a !== b
  const compare = (): void => {
    if (!possible) return
    choose(props.run, { step: a, other: b })
    go({ page: 'run', id: props.run, tab: 'compare' })
  }
  const [first, second] = [a ?? 0, b ?? 0].sort((left, right) => left - right)
  return (
    <div className="flex h-11 flex-none items-center gap-2 px-3">
      <Field
        className="w-44"
        icon={Filter}
        keys="/"
        value={props.typed}
        onChange={props.onTyped}
        label={t('filter')}
        placeholder={t('filter')}
        inputRef={props.filterField}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          props.onTyped('')
          event.currentTarget.blur()
        }}
        data-testid="release-filter"
      />
      <span className="t2 el text-xs">
        {props.typed === ''
          ? t('listed', { releases: t('countReleases', { count: props.releases.length }) })
          : t('matching', { count: props.matching, all: props.releases.length })}
      </span>
      <Segmented
        label={t('saved.lists')}
        value={props.list}
        segments={[
          { value: 'releases', label: t('releases') },
          { value: 'saved', label: t('saved.title') }
        ]}
        onChange={props.onList}
        data-testid="release-list"
      />
      {props.scenarios.length < 2 ? null : (
        <Segmented
          label={t('scenario')}
          value={props.scenario}
          segments={props.scenarios.map((name) => ({ value: name, label: name }))}
          onChange={(scenario) => choose(props.run, { scenario, step: null, other: null })}
        />
      )}
      <span className="ml-auto" />
      <UndoButton {...props} />
      <Button
        icon={GitCompareArrows}
        keys="C"
        off={possible ? false : t('compareNone')}
        onClick={compare}
        data-testid="compare-releases"
      >
        {possible
          ? t('compare', { a: nameOf(first ?? 0), b: nameOf(second ?? 0) })
          : t('compare', { a: nameOf(a ?? 0), b: '…' })}
      </Button>
    </div>
  )
}
