import type { Release } from '@contract/releases'

/** Where one release stands in the graph: `column` along time, `lane` 0 for the line that leads to the newest row. */
export type ChainNode = {
  readonly release: Release
  readonly column: number
  readonly lane: number
  /** Column and lane of the row it goes on from; null for the first. */
  readonly from: { readonly column: number; readonly lane: number } | null
}

export type ChainLayout = {
  /** Oldest first; the index is the column. */
  readonly nodes: readonly ChainNode[]
  readonly lanes: number
  /** Steps that leave the main line, with the last column of the branch, for labels. */
  readonly branches: readonly ChainBranch[]
  /** Rows that go on from one further back than the row before them. */
  readonly jumps: readonly ChainNode[]
}

export type ChainBranch = {
  readonly lane: number
  readonly firstStep: number
  readonly lastStep: number
  readonly firstColumn: number
  readonly lastColumn: number
}

/**
 * Lays a chain out as a graph. A rollback goes on from the row whose content it republishes, so what it left behind
 * becomes a branch below the main line; every other row goes on from the row before it.
 * @param releases Newest first, as the engine gives them.
 */
export function layoutChain(releases: readonly Release[]): ChainLayout {
  const rows = [...releases].reverse()
  const parents = rows.map((release, column) => parentColumn(release, column, rows))
  const onMain = ancestorsOfLast(parents)
  const lanes = assignLanes(parents, onMain)
  const nodes = rows.map((release, column): ChainNode => {
    const parent = parents[column] ?? -1
    return {
      release,
      column,
      lane: lanes[column] ?? 0,
      from: parent < 0 ? null : { column: parent, lane: lanes[parent] ?? 0 }
    }
  })
  return {
    nodes,
    lanes: lanes.reduce((most, lane) => Math.max(most, lane), 0) + 1,
    branches: branchesOf(nodes),
    jumps: nodes.filter((node) => node.from !== null && node.column - node.from.column > 1)
  }
}

function parentColumn(release: Release, column: number, rows: readonly Release[]): number {
  const target = release.operation === 'training' ? null : release.rollbackTargetStep
  const goesBack = target === null ? -1 : columnOf(rows, target)
  return goesBack >= 0 && goesBack < column ? goesBack : column - 1
}

/** Chains are nearly always without holes: a row is where its step says. */
function columnOf(rows: readonly Release[], step: number): number {
  const guess = step - (rows[0]?.step ?? 0)
  return rows[guess]?.step === step ? guess : rows.findIndex((row) => row.step === step)
}

/** Flags by column: numbers cost next to nothing, which a set of 20,000 does not. */
type Flags = Readonly<Uint8Array>

function ancestorsOfLast(parents: readonly number[]): Flags {
  const onMain = new Uint8Array(parents.length)
  for (let column = parents.length - 1; column >= 0; column = parents[column] ?? -1)
    onMain[column] = 1
  return onMain
}

/**
 * Lanes for rows off the main line: a row shares its parent's lane when it is the parent's last child, else it opens
 * a branch in the nearest lane that is free from where it leaves to where it ends.
 */
function assignLanes(parents: readonly number[], main: Flags): number[] {
  const onMain = (column: number): boolean => main[column] === 1
  const lastChild = new Map<number, number>()
  parents.forEach((parent, column) => {
    if (!onMain(column) || !onMain(parent)) lastChild.set(parent, column)
  })
  const lanes = parents.map(() => 0)
  const open = new Map<number, { first: number; columns: number[] }>()
  const branchOf = new Map<number, number>()
  parents.forEach((parent, column) => {
    if (onMain(column)) return
    const continues = !onMain(parent) && lastChild.get(parent) === column
    const branch = continues ? (branchOf.get(parent) ?? column) : column
    branchOf.set(column, branch)
    const known = open.get(branch) ?? { first: Math.max(0, parent), columns: [] }
    known.columns.push(column)
    open.set(branch, known)
  })
  const busyUntil: number[] = []
  // Widest branches first would save height; oldest first keeps a branch in its lane as the chain grows.
  for (const branch of [...open.values()].sort((a, b) => a.first - b.first)) {
    const last = branch.columns.at(-1) ?? branch.first
    let lane = busyUntil.findIndex((until) => until < branch.first)
    if (lane < 0) lane = busyUntil.length
    busyUntil[lane] = last
    for (const column of branch.columns) lanes[column] = lane + 1
  }
  return lanes
}

function branchesOf(nodes: readonly ChainNode[]): ChainBranch[] {
  const branches: ChainBranch[] = []
  const byLane = new Map<number, ChainBranch>()
  for (const node of nodes) {
    if (node.lane === 0) continue
    const known = byLane.get(node.lane)
    const continues = known !== undefined && node.from?.lane === node.lane
    const branch: ChainBranch = continues
      ? { ...known, lastStep: node.release.step, lastColumn: node.column }
      : {
          lane: node.lane,
          firstStep: node.release.step,
          lastStep: node.release.step,
          firstColumn: node.column,
          lastColumn: node.column
        }
    if (continues) branches[branches.indexOf(known)] = branch
    else branches.push(branch)
    byLane.set(node.lane, branch)
  }
  return branches
}

/** How columns and lanes become CSS pixels. `fit` shows the whole chain in a width, `natural` gives each row its room. */
export type GraphScale = { readonly left: number; readonly perColumn: number }

export const NATURAL_COLUMN = 16
const MARGIN = 24

export function graphScale(mode: 'fit' | 'natural', columns: number, width: number): GraphScale {
  const room = Math.max(1, width - MARGIN * 2)
  const fitted = columns <= 1 ? 0 : room / (columns - 1)
  return { left: MARGIN, perColumn: mode === 'fit' ? Math.min(fitted, 48) : NATURAL_COLUMN }
}

/** Full width of the drawing in CSS pixels. */
export function graphWidth(scale: GraphScale, columns: number): number {
  return scale.left * 2 + scale.perColumn * Math.max(0, columns - 1)
}

/** Columns that are in sight of a scrolled window, with one to spare at each side. */
export function visibleColumns(
  scale: GraphScale,
  columns: number,
  window: { readonly left: number; readonly width: number }
): readonly [number, number] {
  if (scale.perColumn === 0) return [0, columns - 1]
  const first = Math.floor((window.left - scale.left) / scale.perColumn) - 1
  const last = Math.ceil((window.left + window.width - scale.left) / scale.perColumn) + 1
  return [Math.max(0, first), Math.min(columns - 1, last)]
}

/**
 * Which of the visible columns get a shape when there are more columns than pixels: every telling row (served,
 * rejected, rollback, pending, branch ends) and plain ones only where they are apart by `least` CSS pixels.
 */
export function drawnColumns(
  layout: ChainLayout,
  scale: GraphScale,
  span: readonly [number, number],
  least: number
): number[] {
  const drawn: number[] = []
  let lastPlain = -Infinity
  const budget = 4000
  for (let column = span[0]; column <= span[1] && drawn.length < budget; column++) {
    const node = layout.nodes[column]
    if (node === undefined) continue
    const at = column * scale.perColumn
    if (isTelling(node.release)) {
      drawn.push(column)
      continue
    }
    if (at - lastPlain < least) continue
    lastPlain = at
    drawn.push(column)
  }
  return drawn
}

function isTelling(release: Release): boolean {
  return (
    release.served ||
    release.operation === 'rollback' ||
    release.operation === 'promote' ||
    release.result === 'rejected' ||
    release.result === 'failed' ||
    release.result === 'pending'
  )
}

/** The row one reaches from another with an arrow key; null when there is none that way. */
export function stepAlong(
  layout: ChainLayout,
  step: number,
  way: 'older' | 'newer' | 'up' | 'down'
): number | null {
  const node = layout.nodes.find((candidate) => candidate.release.step === step)
  if (node === undefined) return null
  const sameLane = (candidate: ChainNode): boolean => candidate.lane === node.lane
  switch (way) {
    case 'older': {
      const before = layout.nodes.slice(0, node.column).filter(sameLane).at(-1)
      if (before !== undefined && node.lane === 0) return before.release.step
      return node.from === null ? null : (layout.nodes[node.from.column]?.release.step ?? null)
    }
    case 'newer':
      return layout.nodes.slice(node.column + 1).find(sameLane)?.release.step ?? null
    case 'up':
    case 'down': {
      const lane = node.lane + (way === 'up' ? -1 : 1)
      const there = layout.nodes.filter((candidate) => candidate.lane === lane)
      const nearest = there.reduce<ChainNode | null>(
        (best, candidate) =>
          best === null ||
          Math.abs(candidate.column - node.column) < Math.abs(best.column - node.column)
            ? candidate
            : best,
        null
      )
      return nearest?.release.step ?? null
    }
  }
}
