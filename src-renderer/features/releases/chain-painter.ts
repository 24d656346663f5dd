import type { Palette } from '../../charts'
import type { ChainLayout, ChainNode, GraphScale } from './chain-layout'
import { drawnColumns } from './chain-layout'

export const LANE_TOP = 44
const LANE_GAP = 46
const BOTTOM = 20
/** Plain nodes nearer than this would run together. */
const LEAST_APART = 9

/** What the canvas has to do here; tests record it. */
export type ChainPen = Pick<
  CanvasRenderingContext2D,
  | 'beginPath'
  | 'moveTo'
  | 'lineTo'
  | 'bezierCurveTo'
  | 'arc'
  | 'rect'
  | 'fill'
  | 'stroke'
  | 'setLineDash'
  | 'fillText'
  | 'measureText'
> & {
  fillStyle: CanvasRenderingContext2D['fillStyle']
  strokeStyle: CanvasRenderingContext2D['strokeStyle']
  lineWidth: number
  globalAlpha: number
  font: string
  textAlign: CanvasRenderingContext2D['textAlign']
}

export type ChainWords = {
  readonly creation: (name: string) => string
  readonly leftBehind: (first: string, last: string) => string
  readonly served: (name: string) => string
  readonly rollback: (name: string, target: string) => string
  readonly rejected: (name: string) => string
  readonly proposed: (name: string) => string
}

export type ChainScene = {
  readonly layout: ChainLayout
  readonly scale: GraphScale
  /** Columns to draw. */
  readonly span: readonly [number, number]
  /** CSS pixels scrolled to the left of the canvas. */
  readonly scrolled: number
  readonly width: number
  readonly height: number
  readonly palette: Palette
  readonly words: ChainWords
  readonly selected: number | null
  readonly other: number | null
  readonly hovered: number | null
  /** Row a dialog proposes to go back to. */
  readonly proposed: number | null
}

/** y of a lane, squeezed when there are more branches than room. */
export function laneY(lane: number, lanes: number, height: number): number {
  if (lanes <= 1) return LANE_TOP
  const gap = Math.min(LANE_GAP, (height - BOTTOM - LANE_TOP) / (lanes - 1))
  return LANE_TOP + lane * gap
}

/** Node nearest to a point of the canvas, within reach; null when none is. */
export function nodeAt(
  scene: Pick<ChainScene, 'layout' | 'scale' | 'scrolled' | 'height'>,
  x: number,
  y: number
): ChainNode | null {
  const { layout, scale } = scene
  const reach = Math.max(6, Math.ceil(LEAST_APART / Math.max(scale.perColumn, 0.001)) + 1)
  const middle = scale.perColumn === 0 ? 0 : (x + scene.scrolled - scale.left) / scale.perColumn
  const first = Math.max(0, Math.floor(middle - reach))
  const last = Math.min(layout.nodes.length - 1, Math.ceil(middle + reach))
  let best: { node: ChainNode; distance: number } | null = null
  for (let column = first; column <= last; column++) {
    const node = layout.nodes[column]
    if (node === undefined) continue
    const dx = scale.left + column * scale.perColumn - scene.scrolled - x
    const dy = laneY(node.lane, layout.lanes, scene.height) - y
    const distance = Math.hypot(dx, dy)
    if (distance < 18 && (best === null || distance < best.distance)) best = { node, distance }
  }
  return best?.node ?? null
}

/** Draws the visible part of the chain: lines, then shapes, then the words that fit. */
export function paintChain(pen: ChainPen, scene: ChainScene): void {
  const columns = drawnColumns(scene.layout, scene.scale, scene.span, LEAST_APART)
  const shown = new Set(columns)
  for (const step of [scene.selected, scene.other, scene.hovered]) {
    const node = step === null ? undefined : nodeOfStep(scene.layout, step)
    if (node !== undefined && node.column >= scene.span[0] && node.column <= scene.span[1])
      shown.add(node.column)
  }
  paintLines(pen, scene)
  if (scene.proposed !== null) paintProposal(pen, scene, scene.proposed)
  const nodes = [...shown]
    .sort((a, b) => a - b)
    .flatMap((column) => scene.layout.nodes[column] ?? [])
  for (const node of nodes) paintNode(pen, scene, node)
  paintWords(pen, scene, nodes)
}

function nodeOfStep(layout: ChainLayout, step: number): ChainNode | undefined {
  const first = layout.nodes[0]
  const guess = first === undefined ? undefined : layout.nodes[step - first.release.step]
  return guess?.release.step === step
    ? guess
    : layout.nodes.find((node) => node.release.step === step)
}

function at(scene: ChainScene, node: { column: number; lane: number }): [number, number] {
  return [
    scene.scale.left + node.column * scene.scale.perColumn - scene.scrolled,
    laneY(node.lane, scene.layout.lanes, scene.height)
  ]
}

type LineKind = 'left-behind' | 'rollback' | 'plain'

/** Lines of one look share one path: 20,000 rows cost three strokes. */
function paintLines(pen: ChainPen, scene: ChainScene): void {
  const last = Math.min(scene.layout.nodes.length - 1, scene.span[1] + 1)
  const inSight = scene.layout.nodes.slice(scene.span[0], last + 1)
  // A rollback that jumps over the whole window has both its ends out of sight.
  const over = scene.layout.jumps.filter(
    (node) => node.column > last && (node.from?.column ?? 0) < scene.span[0]
  )
  const kinds: readonly LineKind[] = ['left-behind', 'plain', 'rollback']
  for (const kind of kinds) {
    pen.beginPath()
    paintEdges(pen, scene, inSight, kind)
    paintEdges(pen, scene, over, kind)
    pen.lineWidth = 2
    pen.globalAlpha = kind === 'left-behind' ? 0.55 : 1
    pen.strokeStyle = kind === 'rollback' ? scene.palette.warn : scene.palette.text3
    pen.stroke()
  }
  pen.globalAlpha = 1
}

/** Edges of one look; those that go straight on from one another are one line, however many there are. */
function paintEdges(
  pen: ChainPen,
  scene: ChainScene,
  nodes: readonly ChainNode[],
  kind: LineKind
): void {
  let begun: ChainNode['from'] = null
  let end: ChainNode | null = null
  const flush = (): void => {
    if (begun !== null && end !== null) edge(pen, at(scene, begun), at(scene, end))
    begun = null
    end = null
  }
  for (const node of nodes) {
    const { from, lane } = node
    if (from === null || lineKind(node) !== kind) continue
    const last: ChainNode | null = end
    const goesOn = last !== null && endsAt(last, from) && from.lane === lane
    if (!goesOn) {
      flush()
      begun = from
    }
    // A line that changes its lane bends, and is one of its own.
    end = node
    if (from.lane !== lane) flush()
  }
  flush()
}

function endsAt(node: ChainNode, place: NonNullable<ChainNode['from']>): boolean {
  return node.column === place.column && node.lane === place.lane
}

function lineKind(node: ChainNode): LineKind {
  if (node.lane > 0) return 'left-behind'
  const goesBack = node.from !== null && node.column - node.from.column > 1
  return goesBack ? 'rollback' : 'plain'
}

function edge(pen: ChainPen, from: [number, number], to: [number, number]): void {
  pen.moveTo(from[0], from[1])
  if (from[1] === to[1]) {
    pen.lineTo(to[0], to[1])
    return
  }
  const bend = Math.min(14, Math.abs(to[0] - from[0]))
  pen.bezierCurveTo(from[0] + bend, from[1], from[0], to[1], from[0] + bend, to[1])
  pen.lineTo(to[0], to[1])
}

function paintNode(pen: ChainPen, scene: ChainScene, node: ChainNode): void {
  const { palette } = scene
  const [x, y] = at(scene, node)
  const { release } = node
  pen.setLineDash([])
  pen.lineWidth = 1.5
  if (release.result === 'rejected' || release.result === 'failed') crossBox(pen, palette, x, y)
  else if (release.served)
    dot(pen, [x, y], { radius: 5, fill: palette.ready, stroke: palette.ready })
  else if (release.result === 'pending') {
    pen.setLineDash([2, 1.6])
    dot(pen, [x, y], { radius: 4, fill: palette.panel, stroke: palette.text })
    pen.setLineDash([])
  } else if (release.operation === 'rollback' || release.operation === 'promote')
    diamond(pen, palette, x, y)
  else {
    const colour = release.leftBehind ? palette.text3 : palette.text2
    const saved = release.contentKind === 'saved_artifact' || release.restorable
    dot(pen, [x, y], {
      radius: 3.5,
      fill: saved ? colour : palette.panel,
      stroke: saved ? colour : palette.text3
    })
  }
  const ring = ringColour(scene, release.step)
  if (ring === null) return
  pen.beginPath()
  pen.arc(x, y, 8, 0, Math.PI * 2)
  pen.lineWidth = 2
  pen.strokeStyle = ring
  pen.stroke()
}

function ringColour(scene: ChainScene, step: number): string | null {
  if (step === scene.selected) return scene.palette.ring
  if (step === scene.other) return scene.palette.compareB
  return step === scene.hovered ? scene.palette.text2 : null
}

function dot(
  pen: ChainPen,
  centre: readonly [number, number],
  look: { readonly radius: number; readonly fill: string; readonly stroke: string }
): void {
  pen.beginPath()
  pen.arc(centre[0], centre[1], look.radius, 0, Math.PI * 2)
  pen.fillStyle = look.fill
  pen.fill()
  pen.strokeStyle = look.stroke
  pen.stroke()
}

function crossBox(pen: ChainPen, palette: Palette, x: number, y: number): void {
  pen.beginPath()
  pen.rect(x - 4, y - 4, 8, 8)
  pen.fillStyle = palette.panel
  pen.fill()
  pen.strokeStyle = palette.fail
  pen.stroke()
  pen.beginPath()
  pen.moveTo(x - 2, y - 2)
  pen.lineTo(x + 2, y + 2)
  pen.moveTo(x + 2, y - 2)
  pen.lineTo(x - 2, y + 2)
  pen.stroke()
}

function diamond(pen: ChainPen, palette: Palette, x: number, y: number): void {
  pen.beginPath()
  pen.moveTo(x, y - 6)
  pen.lineTo(x + 6, y)
  pen.lineTo(x, y + 6)
  pen.lineTo(x - 6, y)
  pen.lineTo(x, y - 6)
  pen.fillStyle = palette.warn
  pen.fill()
}

/** A dashed branch from the chosen row to where a new one would stand. */
function paintProposal(pen: ChainPen, scene: ChainScene, step: number): void {
  const node = nodeOfStep(scene.layout, step)
  if (node === undefined) return
  const [x, y] = at(scene, node)
  const bottom = scene.height - 14
  const end = scene.scale.left + scene.layout.nodes.length * scene.scale.perColumn - scene.scrolled
  const right = Math.min(end, scene.width - 12)
  pen.setLineDash([4, 4])
  pen.lineWidth = 1.5
  pen.strokeStyle = scene.palette.ring
  pen.beginPath()
  pen.moveTo(x, y + 8)
  pen.lineTo(x, bottom - 10)
  pen.bezierCurveTo(x, bottom - 4, x + 4, bottom, x + 10, bottom)
  pen.lineTo(right - 6, bottom)
  pen.stroke()
  pen.setLineDash([])
  dot(pen, [right, bottom], { radius: 4.5, fill: scene.palette.panel, stroke: scene.palette.ring })
  pen.textAlign = 'right'
  pen.fillStyle = scene.palette.accentText
  pen.font = `12px ${scene.palette.sans}`
  pen.fillText(scene.words.proposed(`r${step}`), right + 4, bottom - 9)
}

type Word = {
  readonly text: string
  readonly x: number
  readonly y: number
  readonly colour: string
  readonly align: 'left' | 'center' | 'right'
  readonly bold: boolean
  /** Left out rather than moved when it does not fit where it belongs. */
  readonly fixed: boolean
}

/** Words above and under nodes, the most wanted first; one that would touch an earlier one is left out. */
function paintWords(pen: ChainPen, scene: ChainScene, nodes: readonly ChainNode[]): void {
  const taken: { left: number; right: number; y: number }[] = []
  for (const word of wantedWords(scene, nodes)) {
    pen.font = `${word.bold ? 500 : 400} 12px ${scene.palette.sans}`
    const width = pen.measureText(word.text).width
    const wanted =
      word.align === 'left' ? word.x : word.align === 'right' ? word.x - width : word.x - width / 2
    const left = Math.max(4, Math.min(wanted, scene.width - width - 4))
    const right = left + width
    const hit = taken.some(
      (other) =>
        Math.abs(other.y - word.y) < 14 && left < other.right + 10 && right + 10 > other.left
    )
    if (hit || Math.abs(left - wanted) > (word.fixed ? 0 : width)) continue
    taken.push({ left, right, y: word.y })
    pen.textAlign = 'left'
    pen.fillStyle = word.colour
    pen.fillText(word.text, left, word.y)
  }
}

function wantedWords(scene: ChainScene, nodes: readonly ChainNode[]): Word[] {
  const { palette, words } = scene
  const above = (node: ChainNode, text: string, colour: string, bold: boolean): Word => {
    const [x, y] = at(scene, node)
    return { text, x, y: y - 15, colour, align: 'center', bold, fixed: false }
  }
  const named = (node: ChainNode): string => `r${node.release.step}`
  const chosen = nodes.filter((node) => ringColour(scene, node.release.step) !== null)
  const served = nodes.filter((node) => node.release.served)
  const turns = nodes.filter((node) => node.release.operation === 'rollback')
  const refused = nodes.filter((node) => node.release.result === 'rejected')
  return [
    ...served.map((node) => above(node, words.served(named(node)), palette.ready, true)),
    ...chosen
      .filter((node) => !node.release.served)
      .map((node) => above(node, named(node), palette.text, true)),
    ...turns.map((node) =>
      above(
        node,
        words.rollback(named(node), `r${node.release.rollbackTargetStep ?? ''}`),
        palette.warn,
        false
      )
    ),
    ...refused.map((node) => above(node, words.rejected(named(node)), palette.fail, false)),
    ...branchWords(scene),
    ...nodes
      .filter((node) => node.column === 0)
      .map((node): Word => {
        const [x, y] = at(scene, node)
        return {
          text: words.creation(named(node)),
          x: x - 4,
          y: y + 22,
          colour: palette.text2,
          align: 'left',
          bold: false,
          fixed: false
        }
      })
  ]
}

function branchWords(scene: ChainScene): Word[] {
  return scene.layout.branches
    .filter((branch) => branch.lastColumn >= scene.span[0] && branch.firstColumn <= scene.span[1])
    .slice(-24)
    .map((branch): Word => {
      const [x, y] = at(scene, { column: branch.lastColumn, lane: branch.lane })
      return {
        text: scene.words.leftBehind(`r${branch.firstStep}`, `r${branch.lastStep}`),
        x: x + 12,
        y: y + 4,
        colour: scene.palette.text2,
        align: 'left',
        bold: false,
        fixed: true
      }
    })
}
