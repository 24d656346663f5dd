import type { Release } from '@contract/releases'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { KeyboardEvent, MouseEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { currentPalette, drawSoon, onPaletteChange, undraw } from '../../charts'
import { Kbd, Panel, Segmented } from '../../ui'
import { graphScale, graphWidth, layoutChain, stepAlong, visibleColumns } from './chain-layout'
import { nodeAt, paintChain } from './chain-painter'
import type { ChainScene, ChainWords } from './chain-painter'
import { countsOf } from './release-model'

const HEIGHT = 130

export type ChainGraphProps = {
  readonly releases: readonly Release[]
  readonly selected: number | null
  readonly other: number | null
  readonly proposed: number | null
  readonly onSelect: (step: number) => void
  readonly onOther: (step: number) => void
}

/** The chain as a graph with branches after rollbacks. Draws only what is in sight. */
export function ChainGraph(props: ChainGraphProps) {
  const { t } = useTranslation('releases')
  const [mode, setMode] = useState<'fit' | 'natural'>('fit')
  const counts = useMemo(() => countsOf(props.releases), [props.releases])
  const rest = [
    counts.leftBehind > 0 ? t('countLeft', { count: counts.leftBehind }) : '',
    counts.rejected > 0 ? t('countRejected', { count: counts.rejected }) : ''
  ].join('')
  return (
    <Panel
      title={t('chain')}
      className="mx-3 mt-3 flex-none overflow-hidden"
      sub={t('counts', {
        releases: t('countReleases', { count: counts.all }),
        attempts: t('countAttempts', { count: counts.attempts }),
        rest
      })}
      actions={
        <>
          <Segmented
            label={t('scale')}
            size="small"
            value={mode}
            onChange={setMode}
            segments={[
              { value: 'fit', label: t('fit') },
              { value: 'natural', label: t('natural') }
            ]}
          />
          <span className="t2 flex items-center gap-1 font-normal">
            <Kbd keys="ArrowLeft" />
            <Kbd keys="ArrowRight" /> {t('along')} <Kbd keys="ArrowUp" />
            <Kbd keys="ArrowDown" /> {t('branch')}
          </span>
        </>
      }
      data-testid="chain-graph"
    >
      <ChainCanvas {...props} mode={mode} />
    </Panel>
  )
}

function ChainCanvas(props: ChainGraphProps & { mode: 'fit' | 'natural' }) {
  const { t } = useTranslation('releases')
  const scroller = useRef<HTMLDivElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const [width, setWidth] = useState(0)
  const [hovered, setHovered] = useState<number | null>(null)
  const layout = useMemo(() => layoutChain(props.releases), [props.releases])
  const words = useMemo(
    (): ChainWords => ({
      creation: (name) => t('graphCreation', { name }),
      leftBehind: (first, last) =>
        first === last ? t('graphLeftOne', { first }) : t('graphLeft', { first, last }),
      served: (name) => t('stripServed', { name }),
      rollback: (name, target) => t('stripRollback', { name, target }),
      rejected: (name) => t('stripRejected', { name }),
      proposed: (name) => t('proposed', { name })
    }),
    [t]
  )
  const scale = graphScale(props.mode, layout.nodes.length, width)
  const { selected, other, proposed } = props

  const scene = (): ChainScene => {
    const scrolled = scroller.current?.scrollLeft ?? 0
    return {
      layout,
      scale,
      span: visibleColumns(scale, layout.nodes.length, { left: scrolled, width }),
      scrolled,
      width,
      height: HEIGHT,
      palette: currentPalette(),
      words,
      selected,
      other,
      hovered,
      proposed
    }
  }
  const draw = (): void => {
    const element = canvas.current
    const pen = element?.getContext('2d') ?? null
    if (element === null || pen === null || width === 0) return
    const ratio = window.devicePixelRatio || 1
    element.width = Math.round(width * ratio)
    element.height = Math.round(HEIGHT * ratio)
    pen.setTransform(ratio, 0, 0, ratio, 0, 0)
    pen.clearRect(0, 0, width, HEIGHT)
    paintChain(pen, scene())
  }
  const latestDraw = useRef(draw)
  const [drawLatest] = useState(() => () => latestDraw.current())
  useEffect(() => {
    latestDraw.current = draw
    // Not here: React's own work has just taken its share of this task.
    drawSoon(drawLatest)
  })
  useEffect(() => watch(scroller.current, drawLatest, setWidth), [drawLatest])
  useEffect(() => () => void undraw(drawLatest), [drawLatest])
  useEffect(() => {
    const element = scroller.current
    if (element === null || selected === null || props.mode === 'fit') return
    const column = layout.nodes.findIndex((node) => node.release.step === selected)
    const x = scale.left + column * scale.perColumn
    const inSight = x > element.scrollLeft + 40 && x < element.scrollLeft + width - 40
    if (column >= 0 && !inSight) element.scrollLeft = x - width / 2
  }, [selected, props.mode, layout, scale.left, scale.perColumn, width])

  const under = (event: MouseEvent): number | null => {
    const box = canvas.current?.getBoundingClientRect()
    if (box === undefined) return null
    return nodeAt(scene(), event.clientX - box.left, event.clientY - box.top)?.release.step ?? null
  }
  const onClick = (event: MouseEvent): void => {
    const step = under(event)
    if (step === null) return
    if (event.ctrlKey || event.metaKey) props.onOther(step)
    else props.onSelect(step)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const way = WAYS[event.key]
    if (way === undefined || selected === null || event.altKey || event.ctrlKey) return
    event.preventDefault()
    const step = stepAlong(layout, selected, way)
    if (step !== null) props.onSelect(step)
  }
  return (
    <div
      ref={scroller}
      className="relative overflow-x-auto overflow-y-hidden"
      style={{ height: HEIGHT }}
      tabIndex={0}
      role="application"
      aria-label={t('graph')}
      onKeyDown={onKeyDown}
      onClick={onClick}
      onMouseMove={(event) => setHovered(under(event))}
      onMouseLeave={() => setHovered(null)}
    >
      <canvas ref={canvas} className="chain-canvas" style={{ width, height: HEIGHT }} />
      {props.mode === 'natural' ? (
        <div
          aria-hidden
          style={{ width: graphWidth(scale, layout.nodes.length), height: 1, marginTop: -1 }}
        />
      ) : null}
    </div>
  )
}

const WAYS: Readonly<Record<string, 'older' | 'newer' | 'up' | 'down' | undefined>> = {
  ArrowLeft: 'older',
  ArrowRight: 'newer',
  ArrowUp: 'up',
  ArrowDown: 'down'
}

/** Redraws on scroll and theme change and tells width changes; returns what ends it. */
function watch(
  element: HTMLElement | null,
  draw: () => void,
  onWidth: (width: number) => void
): (() => void) | undefined {
  if (element === null) return undefined
  const sizes = new ResizeObserver(() => onWidth(element.clientWidth))
  sizes.observe(element)
  const soon = (): void => drawSoon(draw)
  element.addEventListener('scroll', soon, { passive: true })
  const unwatch = onPaletteChange(soon)
  return () => {
    sizes.disconnect()
    element.removeEventListener('scroll', soon)
    unwatch()
  }
}
