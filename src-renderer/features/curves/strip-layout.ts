import type { LaneBlock, Range } from '../../charts'

/** A block of the release strip in CSS pixels. Plain releases too narrow to tell apart stand as one bar. */
export type StripBlock = {
  readonly block: LaneBlock
  readonly x: number
  readonly width: number
  /** Releases it stands for. */
  readonly count: number
}

/** An arc from a rollback to the release whose content it republishes. */
export type StripArc = { readonly step: number; readonly from: number; readonly to: number }

export type StripLabel = {
  readonly step: number
  readonly kind: LaneBlock['kind'] | 'chosen'
  readonly words: string
  /** Left edge in CSS pixels. */
  readonly x: number
}

export type StripLayout = {
  readonly blocks: readonly StripBlock[]
  readonly arcs: readonly StripArc[]
  readonly labels: readonly StripLabel[]
}

export type StripScene = {
  readonly lane: readonly LaneBlock[]
  readonly range: Range
  /** CSS pixels between the two ends of the range. */
  readonly width: number
  readonly selected: number | null
  /** What is written over a block. */
  readonly wordsOf: (block: LaneBlock, kind: StripLabel['kind']) => string
}

/** Narrower than this with its gap, a block is merged with its neighbours of the same kind. */
const LEAST_WIDTH = 3
const GAP = 2
const MARK_WIDTH = 8
/** Room of a letter at 12 px, narrow and wide (CJK); nothing is measured, so that layout stays a pure function. */
const LETTER = 6.6
const WIDE_LETTER = 12
const LABEL_GAP = 10

/** Places releases on the x of the curves. Only what is in sight is returned. */
export function layoutStrip(scene: StripScene): StripLayout {
  const [low, high] = scene.range
  const perUnit = scene.width / (high - low)
  const toX = (x: number): number => (x - low) * perUnit
  const inSight = scene.lane.filter((block) => block.to >= low && block.from <= high)
  return {
    blocks: mergedBlocks(inSight, scene, toX),
    arcs: inSight.flatMap((block) =>
      block.kind === 'rollback' && block.backTo !== null
        ? [{ step: block.step, from: toX(block.to), to: toX(block.backTo) }]
        : []
    ),
    labels: placedLabels(inSight, scene, toX)
  }
}

function mergedBlocks(
  lane: readonly LaneBlock[],
  scene: StripScene,
  toX: (x: number) => number
): StripBlock[] {
  const blocks: StripBlock[] = []
  for (const block of lane) {
    const left = Math.max(0, toX(block.from))
    const right = Math.min(scene.width, toX(block.to))
    const wide = right - left
    const telling = isTelling(block) || block.step === scene.selected
    if (telling && wide < MARK_WIDTH) {
      const centre = block.from === block.to ? right : (left + right) / 2
      blocks.push({ block, x: centre - MARK_WIDTH / 2, width: MARK_WIDTH, count: 1 })
      continue
    }
    const last = blocks.at(-1)
    const joins =
      !telling &&
      wide < LEAST_WIDTH + GAP &&
      last !== undefined &&
      last.block.kind === block.kind &&
      last.width < scene.width &&
      left - (last.x + last.width) <= GAP &&
      last.block.step !== scene.selected
    if (joins) {
      blocks[blocks.length - 1] = { ...last, width: right - last.x, count: last.count + 1, block }
      continue
    }
    const gap = wide > LEAST_WIDTH + GAP ? GAP : 0
    blocks.push({ block, x: left + gap / 2, width: Math.max(1, wide - gap), count: 1 })
  }
  return blocks
}

function isTelling(block: LaneBlock): boolean {
  switch (block.kind) {
    case 'served':
    case 'rejected':
    case 'rollback':
    case 'pending':
      return true
    case 'training':
    case 'left-behind':
    case 'running':
      return false
  }
}

/** Words over blocks, the most wanted first; one that would touch an earlier one is left out. */
function placedLabels(
  lane: readonly LaneBlock[],
  scene: StripScene,
  toX: (x: number) => number
): StripLabel[] {
  const ranked: readonly [LaneBlock[], StripLabel['kind'] | null][] = [
    [lane.filter((block) => block.kind === 'served'), null],
    [lane.filter((block) => block.step === scene.selected && block.kind !== 'served'), 'chosen'],
    [newestFirst(lane.filter((block) => block.kind === 'rollback')), null],
    [newestFirst(lane.filter((block) => block.kind === 'rejected')), null]
  ]
  const labels: StripLabel[] = []
  const taken: Span[] = []
  for (const [blocks, given] of ranked) {
    for (const block of blocks) {
      const kind = given ?? block.kind
      const words = scene.wordsOf(block, kind)
      const width = widthOf(words)
      const left = wantedLefts(block, width, toX)
        .map((wanted) => Math.min(scene.width - width, Math.max(0, wanted)))
        .find((candidate) => !hits(candidate, width, [...taken, ...arcsOf(block, toX)]))
      if (left === undefined) continue
      taken.push({ left, right: left + width })
      labels.push({ step: block.step, kind, words, x: left })
    }
  }
  return labels
}

interface Span {
  left: number
  right: number
}

function hits(left: number, width: number, taken: readonly Span[]): boolean {
  return taken.some(
    (other) => left < other.right + LABEL_GAP && left + width + LABEL_GAP > other.left
  )
}

/** What a rollback's own words must not stand on: its arc. */
function arcsOf(block: LaneBlock, toX: (x: number) => number): Span[] {
  if (block.kind !== 'rollback' || block.backTo === null) return []
  const ends = [toX(block.backTo), toX(block.to)]
  return [{ left: Math.min(...ends) + LABEL_GAP, right: Math.max(...ends) - LABEL_GAP }]
}

/** Centred over its block; a rollback's words stand before its arc or, where there is no room, behind it. */
function wantedLefts(block: LaneBlock, width: number, toX: (x: number) => number): number[] {
  if (block.kind === 'rollback' && block.backTo !== null)
    return [toX(block.backTo) - width - 8, toX(block.to) + 8]
  return [toX((block.from + block.to) / 2) - width / 2]
}

function widthOf(words: string): number {
  return [...words].reduce((sum, letter) => sum + (letter > '\u2e80' ? WIDE_LETTER : LETTER), 0)
}

function newestFirst(lane: readonly LaneBlock[]): LaneBlock[] {
  return [...lane].sort((a, b) => b.step - a.step)
}
