import type { Release } from '@contract/releases'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { LitPiece } from '../../charts'
import { createChartGroup } from '../../charts'
import { EmptyReason } from '../../ui'
import {
  CurvePanel,
  holdMetrics,
  keyFacts,
  keysQuery,
  panelsQuery,
  planPanels,
  useReleaseLane
} from '../curves'
import { releaseSpans } from '../releases'

/** Panels shown beside the numbers: the first ones of the family, where the reward and the loss are. */
const SHOWN = 2

/** The run's first curves with the stretch that made each release lit in its colour. */
export function PairCurves(props: {
  run: string
  releases: readonly Release[]
  a: number
  b: number
}) {
  const { t } = useTranslation('compare')
  const { run, releases, a, b } = props
  const keys = useQuery({ ...keysQuery(run), select: keyFacts }).data?.keys
  const panels = useQuery(panelsQuery(run)).data
  const [group] = useState(createChartGroup)
  useEffect(() => holdMetrics(run), [run])
  const lane = useMemo(
    () =>
      releaseSpans({
        releases,
        axis: 'step',
        attemptStarts: new Map(),
        newest: null,
        training: false
      }),
    [releases]
  )
  const lit = useMemo(
    () =>
      lane.flatMap((block): LitPiece[] =>
        block.step === a || block.step === b
          ? [{ range: [block.from, block.to], tone: block.step === a ? 'cmp-a' : 'cmp-b' }]
          : []
      ),
    [lane, a, b]
  )
  const drawn = useReleaseLane(lane, lit)
  const planned = useMemo(
    () =>
      planPanels({ mode: 'default', panels: panels ?? [], keys: keys ?? [], typed: '' }).slice(
        0,
        SHOWN
      ),
    [panels, keys]
  )
  if (planned.length === 0) return <EmptyReason what={t('noMetricsWhat')} why={t('noMetricsWhy')} />
  return (
    <div className="grid min-h-0 flex-1 grid-rows-2 gap-2 p-2 pt-0">
      {planned.map((panel) => (
        <CurvePanel
          key={panel.id}
          run={run}
          panel={panel}
          group={group}
          axis="step"
          smoothing={SMOOTHING}
          log={false}
          lane={drawn}
          start={null}
          running={false}
          labelRestarts={false}
          releaseAt={nothing}
          onPick={ignore}
        />
      ))}
    </div>
  )
}

const SMOOTHING = { kind: 'ema', weight: 0.9 } as const
const nothing = (): null => null
const ignore = (): void => undefined
