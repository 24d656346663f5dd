import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Panel } from '../../ui'
import { recordedRewards, smoothed } from './recorded-run'

const HEIGHT = 232
const LEFT = 44
const RIGHT = 16
const TOP = 12
const LANE = 184
const AXIS_WORDS = 216
/** Pixels of the plot itself. */
const TALL = LANE - 12 - TOP
const GRID = [0, 0.25, 0.5, 0.75, 1]
const STEPS = [0, 40, 80, 120]
/** Releases one block of the lane stands for. */
const RELEASES_A_BLOCK = 4

/** A recorded practice run, so that one knows what to look for before there is a run. */
export function WhatYouWillSee() {
  const { t } = useTranslation('runs')
  const host = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const element = host.current
    if (element === null) return
    const sizes = new ResizeObserver(() => setWidth(element.clientWidth))
    sizes.observe(element)
    return () => sizes.disconnect()
  }, [])
  return (
    <Panel
      title={t('willSee')}
      sub={t('willSeeSub', { n: recordedRewards.length })}
      data-testid="what-you-will-see"
    >
      <div ref={host} style={{ height: HEIGHT }}>
        {width === 0 ? null : <Drawing width={width} />}
      </div>
    </Panel>
  )
}

function Drawing(props: { width: number }) {
  const { width } = props
  const { t } = useTranslation('runs')
  const wide = width - LEFT - RIGHT
  const toX = (step: number): number => LEFT + (step / recordedRewards.length) * wide
  const toY = (value: number): number => TOP + (1 - value) * TALL
  const path = (values: readonly number[]): string =>
    values
      .map((value, i) => `${i === 0 ? 'M' : 'L'}${toX(i).toFixed(1)} ${toY(value).toFixed(1)}`)
      .join('')
  const first = recordedRewards[0] ?? 0
  return (
    <svg width={width} height={HEIGHT} role="img" aria-label={t('willSeeLabel')}>
      {GRID.map((value) => (
        <g key={value}>
          <line x1={LEFT} x2={width - RIGHT} y1={toY(value)} y2={toY(value)} stroke="var(--grid)" />
          <text className="strip-text" x={LEFT - 8} y={toY(value) + 4} textAnchor="end">
            {value.toFixed(2)}
          </text>
        </g>
      ))}
      <line
        x1={LEFT}
        x2={width - RIGHT}
        y1={toY(first)}
        y2={toY(first)}
        stroke="var(--text-2)"
        strokeDasharray="2 3"
      />
      <text className="strip-text" x={width - RIGHT} y={toY(first) - 6} textAnchor="end">
        {t('untrained', { value: first.toFixed(3) })}
      </text>
      <path d={path(recordedRewards)} fill="none" stroke="var(--c1)" opacity="0.35" />
      <path d={path(smoothed(recordedRewards))} fill="none" stroke="var(--c1)" strokeWidth="2" />
      <Lane toX={toX} />
      {STEPS.map((step) => (
        <text
          key={step}
          className="strip-text"
          x={toX(step)}
          y={AXIS_WORDS}
          textAnchor={step === 0 ? 'start' : step === recordedRewards.length ? 'end' : 'middle'}
        >
          {step === 0 ? t('stepZero') : step}
        </text>
      ))}
    </svg>
  )
}

function Lane(props: { toX: (step: number) => number }) {
  const count = recordedRewards.length / RELEASES_A_BLOCK
  return Array.from({ length: count }, (_, i) => {
    const left = props.toX(i * RELEASES_A_BLOCK)
    const right = props.toX((i + 1) * RELEASES_A_BLOCK)
    return (
      <rect
        key={i}
        x={left + 1}
        y={LANE}
        width={Math.max(1, right - left - 2)}
        height={8}
        rx={2}
        fill={i === count - 1 ? 'var(--ready)' : 'var(--text-3)'}
      />
    )
  })
}
