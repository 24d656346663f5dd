import type { TFunction } from 'i18next'
import { memo, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { xLabels, xTicks } from '../../charts'
import type { AxisKind, ChartGroup, LaneBlock } from '../../charts'
import { Panel } from '../../ui'
import { layoutStrip } from './strip-layout'
import type { StripBlock, StripLabel, StripScene } from './strip-layout'
import { useCalmRange } from './use-newest'
import { nameOf } from '../releases'

const HEIGHT = 58
const SIDE = 16
const TOP = 19
const BLOCK = 12

export type ReleaseStripProps = {
  readonly lane: readonly LaneBlock[]
  readonly axis: AxisKind
  readonly group: ChartGroup
  readonly sub: string
  readonly selected: number | null
  readonly onSelect: (step: number) => void
  readonly onHover: (step: number | null) => void
}

/** The releases on the same x as the curves above: hover lights a piece of them, a click chooses. */
export const ReleaseStrip = memo(function ReleaseStrip(props: ReleaseStripProps) {
  const { t } = useTranslation('releases')
  return (
    <Panel
      title={t('releases')}
      sub={props.sub}
      className="flex-none"
      actions={LEGEND}
      data-testid="release-strip"
    >
      <StripDrawing {...props} />
    </Panel>
  )
})

const LEGEND = <StripLegend />

function StripDrawing(props: ReleaseStripProps) {
  const { t } = useTranslation(['releases', 'curves'])
  const host = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  const [low, high] = useCalmRange(props.group)
  const { lane, selected, onSelect, onHover } = props
  const wordsOf = useWords()
  const { t: kind } = useTranslation('releases')
  const words = useMemo(() => kindWords(kind), [kind])
  const inner = Math.max(1, width - SIDE * 2)
  const layout = useMemo(
    () => layoutStrip({ lane, range: [low, high], width: inner, selected, wordsOf }),
    [lane, low, high, inner, selected, wordsOf]
  )
  useEffect(() => {
    const element = host.current
    if (element === null) return
    const sizes = new ResizeObserver(() => setWidth(element.clientWidth))
    sizes.observe(element)
    return () => sizes.disconnect()
  }, [])
  return (
    <div ref={host} style={{ height: HEIGHT }} onMouseLeave={() => props.onHover(null)}>
      <svg width={width} height={HEIGHT} role="group" aria-label={t('curves:strip')}>
        <g transform={`translate(${SIDE} 0)`}>
          <StripAxis range={[low, high]} width={inner} axis={props.axis} />
          {layout.blocks.map((block) => (
            <Block
              key={block.block.step}
              block={block.block}
              x={block.x}
              width={block.width}
              title={titleOf(block, words[kindWord(block.block)])}
              chosen={block.block.step === selected}
              onSelect={onSelect}
              onHover={onHover}
            />
          ))}
          {layout.arcs.map((arc) => (
            <path
              key={arc.step}
              d={`M${arc.from} ${TOP - 2}C${arc.from - 6} ${TOP - 17} ${arc.to + 8} ${TOP - 17} ${arc.to} ${TOP - 4}`}
              fill="none"
              stroke="var(--warn)"
              strokeWidth="1.5"
            />
          ))}
          {layout.labels.map((label) => (
            <Label key={`${label.step}/${label.kind}`} label={label} />
          ))}
        </g>
      </svg>
    </div>
  )
}

function StripAxis(props: { range: readonly [number, number]; width: number; axis: AxisKind }) {
  const [low, high] = props.range
  const y = TOP + BLOCK + 8.5
  const ticks = xTicks(props.axis, [low, high], 5)
  const words = xLabels(props.axis, ticks)
  return (
    <>
      <line x1={0} x2={props.width} y1={y} y2={y} stroke="var(--line-2)" />
      {ticks.map((tick, index) => {
        const x = ((tick - low) / (high - low)) * props.width
        const anchor = x < 12 ? 'start' : x > props.width - 12 ? 'end' : 'middle'
        return (
          <g key={tick}>
            <line x1={x} x2={x} y1={y} y2={y + 4} stroke="var(--axis)" />
            <text className="strip-text" x={x} y={HEIGHT - 4} textAnchor={anchor}>
              {words[index]}
            </text>
          </g>
        )
      })}
    </>
  )
}

/** What a block says under the pointer. */
function titleOf({ block, count }: StripBlock, kind: string): string {
  return count > 1 ? `${count} · ${block.label}` : `${block.label} ${kind}`
}

/** What the kinds of blocks are called: asked for once and not for each block. */
function kindWords(t: TFunction<'releases'>): Record<ReturnType<typeof kindWord>, string> {
  return {
    training: t('kind.training'),
    rejected: t('kind.rejected'),
    pending: t('kind.pending'),
    rollback: t('kind.rollback'),
    served: t('kind.served')
  }
}

const Block = memo(function Block(props: {
  block: LaneBlock
  x: number
  width: number
  title: string
  chosen: boolean
  onSelect: (step: number) => void
  onHover: (step: number) => void
}) {
  const { block, x, width, chosen } = props
  const centre = x + width / 2
  return (
    <g
      className="strip-block"
      role="button"
      aria-label={block.label}
      data-testid={`strip-r${block.step}`}
      onClick={() => {
        if (block.kind !== 'running') props.onSelect(block.step)
      }}
      onMouseEnter={() => props.onHover(block.step)}
    >
      <title>{props.title}</title>
      <rect x={x - 1} y={TOP - 4} width={width + 2} height={BLOCK + 12} fill="transparent" />
      <Shape block={block} x={x} width={width} chosen={chosen} />
      {block.restorable && block.kind !== 'left-behind' ? (
        <line
          x1={centre}
          x2={centre}
          y1={TOP + BLOCK + 2}
          y2={TOP + BLOCK + 6}
          stroke={chosen ? 'var(--text)' : 'var(--text-2)'}
          strokeWidth="2"
        />
      ) : null}
      {chosen ? (
        <rect
          x={x - 3}
          y={TOP - 3}
          width={width + 6}
          height={BLOCK + 6}
          rx="4"
          fill="none"
          stroke="var(--ring)"
          strokeWidth="2"
        />
      ) : null}
    </g>
  )
})

function kindWord(block: LaneBlock): 'training' | 'rejected' | 'pending' | 'rollback' | 'served' {
  switch (block.kind) {
    case 'left-behind':
    case 'running':
    case 'training':
      return 'training'
    case 'rejected':
    case 'pending':
    case 'rollback':
    case 'served':
      return block.kind
  }
}

function Shape(props: { block: LaneBlock; x: number; width: number; chosen: boolean }) {
  const { block, x, width } = props
  const rounded = { x, y: TOP, width, height: BLOCK, rx: Math.min(2, width / 3) }
  switch (block.kind) {
    case 'rejected': {
      const middle = x + width / 2
      return (
        <>
          <rect {...rounded} fill="var(--fail-wash)" stroke="var(--fail)" />
          <path
            d={`M${middle - 3} ${TOP + 3}l6 6m0-6l-6 6`}
            stroke="var(--fail)"
            strokeWidth="1.5"
          />
        </>
      )
    }
    case 'pending':
      return <rect {...rounded} fill="none" stroke="var(--text)" strokeDasharray="2.5 2" />
    case 'rollback': {
      const centre = x + width / 2
      return (
        <rect
          x={centre - 4}
          y={TOP + 2}
          width="8"
          height="8"
          fill="var(--warn)"
          transform={`rotate(45 ${centre} ${TOP + 6})`}
        />
      )
    }
    case 'running':
      return <rect {...rounded} fill="none" stroke="var(--running)" strokeDasharray="3 2" />
    case 'served':
      return <rect {...rounded} fill="var(--ready)" />
    case 'training':
    case 'left-behind':
      return (
        <rect
          {...rounded}
          fill={props.chosen ? 'var(--text)' : 'var(--text-3)'}
          opacity={
            props.chosen ? 1 : block.kind === 'left-behind' ? 0.32 : block.restorable ? 0.95 : 0.6
          }
        />
      )
  }
}

const LABEL_COLOURS: Readonly<Record<StripLabel['kind'], string>> = {
  served: 'var(--ready)',
  rejected: 'var(--fail)',
  rollback: 'var(--warn)',
  chosen: 'var(--text)',
  pending: 'var(--text-2)',
  training: 'var(--text-2)',
  'left-behind': 'var(--text-2)',
  running: 'var(--text-2)'
}

function Label(props: { label: StripLabel }) {
  const { label } = props
  const strong = label.kind === 'served' || label.kind === 'chosen'
  return (
    <text
      className="strip-text"
      x={label.x}
      y={TOP - 8}
      style={{ fill: LABEL_COLOURS[label.kind], fontWeight: strong ? 500 : 400 }}
    >
      {label.words}
    </text>
  )
}

/** The words over a block, in the current language. */
function useWords(): StripScene['wordsOf'] {
  const { t } = useTranslation('releases')
  return useCallback(
    (block, kind) => {
      const name = block.label
      switch (kind) {
        case 'served':
          return t('stripServed', { name })
        case 'rejected':
          return t('stripRejected', { name })
        case 'rollback':
          return block.backToStep === null
            ? name
            : t('stripRollback', { name, target: nameOf(block.backToStep) })
        case 'chosen':
        case 'pending':
        case 'training':
        case 'left-behind':
        case 'running':
          return name
      }
    },
    [t]
  )
}

function StripLegend() {
  const { t } = useTranslation('releases')
  return (
    <span className="flex items-center gap-3 text-xs font-normal">
      <Swatch word={t('kind.training')}>
        <rect width="10" height="8" y="1" rx="2" fill="var(--text-3)" />
      </Swatch>
      <Swatch word={t('kind.restorable')}>
        <rect width="10" height="6" rx="1.5" fill="var(--text-3)" />
        <path d="M5 7v3" stroke="var(--text-2)" strokeWidth="2" />
      </Swatch>
      <Swatch word={t('kind.rejected')}>
        <path d="M1.5 1.5l7 7M8.5 1.5l-7 7" stroke="var(--fail)" strokeWidth="2" />
      </Swatch>
      <Swatch word={t('kind.pending')}>
        <rect
          x=".75"
          y=".75"
          width="8.5"
          height="8.5"
          rx="1.5"
          fill="none"
          stroke="var(--text-2)"
          strokeWidth="1.5"
          strokeDasharray="2 1.5"
        />
      </Swatch>
      <Swatch word={t('kind.rollback')}>
        <path d="M5 0l5 5-5 5-5-5z" fill="var(--warn)" />
      </Swatch>
      <Swatch word={t('kind.served')}>
        <rect width="10" height="8" y="1" rx="2" fill="var(--ready)" />
      </Swatch>
    </span>
  )
}

function Swatch(props: { word: string; children: React.ReactNode }) {
  return (
    <span className="t2 flex items-center gap-1.5 whitespace-nowrap">
      <svg width="10" height="10" aria-hidden>
        {props.children}
      </svg>
      {props.word}
    </span>
  )
}
