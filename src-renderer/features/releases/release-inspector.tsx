import type { Release } from '@contract/releases'
import { useMutation } from '@tanstack/react-query'
import { Check, FolderOpen, GitCompareArrows, RotateCcw, X } from 'lucide-react'
import { memo, useMemo } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { engine } from '../../api'
import { Histogram, formatCount, formatValue } from '../../charts'
import { formatWhen, useLanguage, useText } from '../../i18n'
import { useNow } from '../../state/clock'
import { go } from '../../state/route'
import { Button, IconButton, InlineState, Kbd, KeyValues, Tag, useLater } from '../../ui'
import { MetricTable } from './metric-table'
import { ReleaseDetailParts } from './release-detail'
import { releaseState } from './release-look'
import {
  baseOf,
  historyOf,
  metricOf,
  metricPairs,
  nameOf,
  rewardKeyOf,
  servedOf
} from './release-model'
import { choose } from './release-selection'
import './releases.css'

export type InspectorProps = {
  readonly run: string
  readonly releases: readonly Release[]
  readonly release: Release
  /** Its place on the curves; null when it has none. */
  readonly span: { readonly from: number; readonly to: number } | null
  /** Compare with the release it was made from, or with the served one. */
  readonly against: 'base' | 'served'
  /** Second release chosen for a comparison. */
  readonly other: number | null
  readonly onRollback: (step: number) => void
}

/** The selected release: what it is, how it differs, what it learnt from, and what can be done with it. */
export const ReleaseInspector = memo(function ReleaseInspector(props: InspectorProps) {
  const { t } = useTranslation('releases')
  const { release, releases } = props
  const served = servedOf(releases)
  const other =
    props.against === 'served' && served !== null && served.step !== release.step
      ? served
      : baseOf(releases, release)
  const pairs = useMemo(() => metricPairs(release, other), [release, other])
  return (
    <div className="release-inspector" data-testid="release-inspector" data-step={release.step}>
      <Head release={release} span={props.span} />
      <Section
        title={t('metrics')}
        note={
          other === null
            ? null
            : other === served
              ? t('againstServed', { name: nameOf(other.step) })
              : t('against', { name: nameOf(other.step) })
        }
      >
        <MetricTable pairs={pairs} both={props.against === 'served'} />
      </Section>
      <Neighbours releases={releases} release={release} />
      <ReleaseDetailParts key={release.step} run={props.run} release={release} />
      <Section title={t('content')} note={null}>
        <ContentFacts release={release} />
      </Section>
      <History releases={releases} release={release} />
      <Actions
        run={props.run}
        release={release}
        other={props.other}
        onRollback={props.onRollback}
        served={served}
      />
    </div>
  )
})

function Section(props: { title: string; note: string | null; children: ReactNode }) {
  return (
    <section>
      <h2>
        {props.title}{' '}
        {props.note === null ? null : <span className="t2 font-normal">{props.note}</span>}
      </h2>
      {props.children}
    </section>
  )
}

const Head = memo(function Head(props: Pick<InspectorProps, 'release' | 'span'>) {
  const { t } = useTranslation('releases')
  const text = useText()
  const language = useLanguage()
  const now = useNow()
  const { release } = props
  const state = releaseState(release, t)
  const steps = stepWords(props.span, t)
  const facts = [
    steps,
    t('attempt', { number: release.attempt }),
    release.recordedAt === null
      ? null
      : t('recordedAt', { time: formatWhen(release.recordedAt, now, language) })
  ].filter((fact) => fact !== null)
  return (
    <>
      <div className="flex h-11 items-center gap-2">
        <span className="mono text-base font-semibold" data-testid="inspector-name">
          {nameOf(release.step)}
        </span>
        <Tag>{t(`operation.${release.operation}`)}</Tag>
        {state === null ? null : <InlineState look={state.look}>{state.word}</InlineState>}
        <span className="ml-auto flex items-center gap-1">
          <Kbd keys="J" />
          <Kbd keys="K" />
        </span>
      </div>
      <div className="t2 -mt-1">{facts.join(language === 'zh' ? '，' : ', ')}</div>
      <div className="mt-1">
        {release.restorable ? (
          <InlineState look={{ tone: 'ready', icon: Check }}>{t('restorable')}</InlineState>
        ) : (
          <span className="t2">
            <InlineState look={{ tone: 'idle', icon: X }}>{t('notRestorable')}</InlineState>
            {release.notRestorable === null ? null : `: ${text(release.notRestorable)}`}
          </span>
        )}
      </div>
    </>
  )
})

/** `Steps 673–688` of a place counted from 0, as people count: from the one after the release before it. */
function stepWords(
  span: InspectorProps['span'],
  t: ReturnType<typeof useTranslation<'releases'>>['t']
): string | null {
  if (span === null || span.to <= span.from) return null
  const first = formatCount(span.from + 1)
  const last = formatCount(span.to)
  return first === last ? t('oneStep', { first }) : t('steps', { first, last })
}

const NEIGHBOURS = 12

/** The reward of the releases around this one, so that its value has a context. */
function Neighbours(props: { releases: readonly Release[]; release: Release }) {
  const { release } = props
  const key = useMemo(() => rewardKeyOf(props.releases), [props.releases])
  const near = useLater(useNear(props.releases, release, key))
  if (near === null) return null
  return (
    <section>
      <h2 className="mono">{near.key}</h2>
      <Histogram label={near.label} bars={near.bars} lit={near.lit} height={64} />
    </section>
  )
}

/** What is drawn of the releases around one; null where there is too little of it. */
type Near = {
  readonly key: string
  readonly label: string
  readonly bars: readonly { readonly label: string; readonly count: number }[]
  readonly lit: number
}

function useNear(releases: readonly Release[], release: Release, key: string | null): Near | null {
  return useMemo(() => {
    const value = key === null ? null : metricOf(release, key)
    if (key === null || value === null) return null
    const at = releases.findIndex(({ step }) => step === release.step)
    const first = Math.max(0, Math.min(at - NEIGHBOURS / 2, releases.length - NEIGHBOURS))
    const near = releases
      .slice(first, first + NEIGHBOURS)
      .flatMap((row) => {
        const count = metricOf(row, key)
        return count === null ? [] : { step: row.step, count }
      })
      .reverse()
    if (near.length < 3) return null
    return {
      key,
      label: `${key} ${nameOf(release.step)} ${formatValue(value)}`,
      bars: near.map(({ step, count }) => ({ label: nameOf(step), count })),
      lit: near.findIndex(({ step }) => step === release.step)
    }
  }, [releases, release, key])
}

const ContentFacts = memo(function ContentFacts(props: { release: Release }) {
  const { t } = useTranslation('releases')
  const { release } = props
  const reveal = useMutation({ mutationFn: (path: string) => engine.host.reveal({ path }) })
  const path = release.checkpoint
  return (
    <>
      <KeyValues
        rows={[
          [
            t('weights'),
            release.contentKind === 'live_weights' ? t('liveWeights') : t('savedArtifact')
          ],
          [t('contentId'), <Mono key="content" value={release.contentId} />],
          [t('releaseId'), <Mono key="release" value={release.releaseId} />],
          [
            t('parentId'),
            release.parentReleaseId === null ? null : (
              <Mono key="parent" value={release.parentReleaseId} />
            )
          ]
        ]}
      />
      {path === null ? null : (
        <div className="flex items-center gap-2">
          <span className="t2">{t('checkpoint')}</span>
          <span className="mono el ml-auto" title={path} dir="rtl">
            {path}
          </span>
          <IconButton
            icon={FolderOpen}
            size="small"
            variant="ghost"
            label={t('reveal')}
            onClick={() => reveal.mutate(path)}
          />
        </div>
      )}
    </>
  )
})

function Mono(props: { value: string }) {
  return (
    <span className="mono el max-w-44" title={props.value}>
      {props.value}
    </span>
  )
}

function History(props: { releases: readonly Release[]; release: Release }) {
  const { t } = useTranslation('releases')
  const language = useLanguage()
  const now = useNow()
  const rows = useMemo(
    () => historyOf(props.releases, props.release),
    [props.releases, props.release]
  )
  if (rows.length < 2) return null
  const words = (release: Release): string => {
    switch (release.operation) {
      case 'rollback':
        return t('historyRollback')
      case 'promote':
        return t('historyPromote')
      case 'creation':
      case 'recovery':
        return t('historyCreation')
      case 'training':
        return t('historyTrained')
    }
  }
  return (
    <Section title={t('history')} note={null}>
      {rows.slice(0, 6).map((release) => (
        <div key={release.step} className="flex h-6 items-center gap-2">
          <span className="mono font-medium">{nameOf(release.step)}</span>
          <span className="t2 el">{words(release)}</span>
          <span className="t2 num ml-auto">
            {release.recordedAt === null ? '' : formatWhen(release.recordedAt, now, language)}
          </span>
        </div>
      ))}
    </Section>
  )
}

const Actions = memo(function Actions(
  props: Pick<InspectorProps, 'run' | 'release' | 'other' | 'onRollback'> & {
    served: Release | null
  }
) {
  const { t } = useTranslation('releases')
  const { release, served } = props
  const other = props.other ?? served?.step ?? null
  const comparable = other !== null && other !== release.step
  const compare = (): void => {
    if (!comparable) return
    choose(props.run, { step: release.step, other })
    go({ page: 'run', id: props.run, tab: 'compare' })
  }
  return (
    <div className="mt-4 flex flex-wrap gap-2 pb-4">
      <Button
        variant="primary"
        className="flex-1"
        icon={GitCompareArrows}
        keys="C"
        off={comparable ? false : t('compareSame')}
        onClick={compare}
        data-testid="compare-with"
      >
        {comparable ? t('compareWith', { name: nameOf(other) }) : t('compareWith', { name: '…' })}
      </Button>
      <Button
        icon={RotateCcw}
        off={release.served ? t('rollBackServed') : false}
        onClick={() => props.onRollback(release.step)}
        data-testid="rollback-open"
      >
        {release.result === 'pending' ? t('promote') : t('rollBack')}
      </Button>
    </div>
  )
})
