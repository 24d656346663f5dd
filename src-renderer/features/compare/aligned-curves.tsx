import type { SideComparison } from '@contract/compare'
import {
  sampleAxis,
  tracksOf,
  type Alignment,
  type Track,
  type TrackSide
} from '@contract/comparing'
import type { Release } from '@contract/releases'
import { useQueries, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ChartPanel, createChartGroup, EMPTY_DATA, NO_MARKS, type ChartData } from '../../charts'
import type { SeriesLook } from '../../charts'
import { EmptyReason, Skeleton } from '../../ui'
import { keyFacts, keysQuery, panelsQuery, planPanels, seriesQuery } from '../curves'
import { chainQuery } from '../releases'
import { alignCurve, extentOf } from './curve-alignment'

/** Charts shown: the first of the family, where the reward and the loss are. */
const SHOWN = 2
/** Samples asked for of each run: more than the plot has pixels. */
const COLUMNS = 1024

/** The pair's own colours first; sides beyond the last colour begin again with a dash. */
const TOKENS: readonly SeriesLook['token'][] = ['cmp-a', 'cmp-b', 'c4', 'c5', 'c6', 'c3']
const DASH = [6, 3] as const
const NO_RELEASES: readonly Release[] = []

/** The curves of every side that is a release or a run, laid over each other by what the person asks for. */
export function AlignedCurves(props: { comparison: SideComparison; alignment: Alignment }) {
  const { t } = useTranslation('compare')
  const { comparison, alignment } = props
  const placed = useMemo(
    () =>
      comparison.sides.flatMap(({ side, label, run, step }) =>
        run === null
          ? []
          : [
              {
                label,
                run: run.id,
                step,
                scenario: 'scenario' in side ? (side.scenario ?? null) : null
              }
            ]
      ),
    [comparison.sides]
  )
  const chains = useQueries({
    queries: placed.map(({ run, scenario }) => chainQuery(run, scenario))
  })
  const releases = chains.map(({ data }) => data?.releases ?? NO_RELEASES)
  const tracks = tracksOf(
    placed.map((side, index): TrackSide => ({ ...side, releases: releases[index] ?? NO_RELEASES })),
    alignment
  )
  const first = placed[0]?.run ?? null
  const keys = useQuery({
    ...keysQuery(first ?? ''),
    select: keyFacts,
    enabled: first !== null
  }).data?.keys
  const panels = useQuery({ ...panelsQuery(first ?? ''), enabled: first !== null }).data
  const shown = useMemo(
    () =>
      planPanels({ mode: 'default', panels: panels ?? [], keys: keys ?? [], typed: '' })
        .slice(0, SHOWN)
        .flatMap((panel) => panel.keys.slice(0, 1)),
    [panels, keys]
  )
  if (placed.length === 0)
    return <EmptyReason what={t('align.noneWhat')} why={t('align.noneWhy')} />
  if (chains.some(({ isPending }) => isPending)) return <Skeleton className="m-3 h-40" />
  if (tracks === null)
    return (
      <EmptyReason
        what={t('align.noTokensWhat')}
        why={t('align.noTokensWhy')}
        data-testid="align-no-tokens"
      />
    )
  return (
    <div className="grid min-h-0 flex-1 grid-rows-2 gap-2 p-2 pt-0" data-testid="aligned-curves">
      {shown.map((key) => (
        <OverlayChart
          key={`${key} ${alignment}`}
          name={key}
          tracks={tracks}
          alignment={alignment}
        />
      ))}
    </div>
  )
}

function OverlayChart(props: {
  name: string
  tracks: NonNullable<ReturnType<typeof tracksOf>>
  alignment: Alignment
}) {
  const { t } = useTranslation('compare')
  const { name, tracks, alignment } = props
  const [group] = useState(createChartGroup)
  const placeOf = (track: Track): string => `${sampleAxis(track, alignment)} ${track.run}`
  const places = new Map(tracks.map((track) => [placeOf(track), track]))
  const names = [...places.keys()]
  const answers = useQueries({
    queries: [...places.values()].map((track) =>
      seriesQuery({
        run: track.run,
        keys: [name],
        axis: sampleAxis(track, alignment),
        columns: COLUMNS,
        smoothing: { kind: 'none' }
      })
    )
  })
  const curves = tracks.flatMap((track) => {
    const data = answers[names.indexOf(placeOf(track))]?.data ?? EMPTY_DATA
    return alignCurve(track, data, name, alignment) ?? []
  })
  // Where the sides went the same way their curves lie on each other: the one that ends first stays in sight.
  const drawn = [...curves].sort((one, two) => (two.x.at(-1) ?? 0) - (one.x.at(-1) ?? 0))
  const data: ChartData = { revision: 0, extent: extentOf(curves), curves: drawn }
  const labels = tracks.map(({ label }) => label)
  const looks = new Map(
    labels.map((label, index): [string, SeriesLook] => [
      label,
      { token: TOKENS[index % TOKENS.length] ?? 'c1', dash: index < TOKENS.length ? [] : DASH }
    ])
  )
  return (
    <ChartPanel
      id={`aligned-${name}`}
      title={name}
      titleIsWords={false}
      subtitle={t(`align.unit.${alignment}`)}
      hint={name}
      data={data}
      keys={labels}
      looks={looks}
      group={group}
      axis={alignment === 'time' ? 'relative' : 'step'}
      log={false}
      marks={NO_MARKS}
      lane={false}
      stalledFor={null}
      loading={answers.some(({ isPending }) => isPending)}
      running={false}
      releaseAt={nothing}
      onPick={ignore}
      onColumns={ignore}
    />
  )
}

const nothing = (): null => null
const ignore = (): void => undefined
