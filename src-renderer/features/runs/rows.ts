import type { DamagedRun, RunList, RunSummary } from '@contract/run'
import type { RunsView } from '../../state'
import { isActive, needsAttention } from './attempt-state'

export type GroupName = 'attention' | 'running' | 'finished' | 'damaged'

export type Row =
  | { kind: 'group'; group: GroupName; count: number; folded: boolean }
  | { kind: 'run'; run: RunSummary }
  | { kind: 'damaged'; damaged: DamagedRun }

export function inView(run: RunSummary, view: RunsView): boolean {
  if (view.kind === 'archived') return run.archived
  if (run.archived) return false
  switch (view.kind) {
    case 'all':
      return true
    case 'active':
      return isActive(run.state)
    case 'attention':
      return needsAttention(run.state)
    case 'target':
      return run.target.id === view.id
    case 'tag':
      return run.tags.includes(view.tag)
  }
}

function groupOf(run: RunSummary): GroupName {
  if (needsAttention(run.state)) return 'attention'
  return isActive(run.state) ? 'running' : 'finished'
}

/** Rows in screen order: groups with their runs, newest first; damaged folders last and never filtered away. */
export function rowsOf(
  list: RunList,
  view: RunsView,
  matches: (run: RunSummary) => boolean,
  folded: readonly string[]
): Row[] {
  const shown = list.runs
    .filter((run) => inView(run, view) && matches(run))
    .sort((a, b) => b.startedAt - a.startedAt)
  const rows: Row[] = []
  for (const group of ['attention', 'running', 'finished'] as const) {
    const members = shown.filter((run) => groupOf(run) === group)
    if (members.length === 0) continue
    const isFolded = folded.includes(group)
    rows.push({ kind: 'group', group, count: members.length, folded: isFolded })
    if (!isFolded) rows.push(...members.map((run): Row => ({ kind: 'run', run })))
  }
  if (list.damaged.length > 0 && view.kind === 'all') {
    const isFolded = folded.includes('damaged')
    rows.push({ kind: 'group', group: 'damaged', count: list.damaged.length, folded: isFolded })
    if (!isFolded) {
      rows.push(...list.damaged.map((damaged): Row => ({ kind: 'damaged', damaged })))
    }
  }
  return rows
}

/** The run the keyboard goes to from `cursor`, `by` runs down or up; null when there is none. */
export function moveCursor(rows: readonly Row[], cursor: string | null, by: 1 | -1): string | null {
  const ids = rows.flatMap((row) => (row.kind === 'run' ? [row.run.id] : []))
  if (ids.length === 0) return null
  const at = cursor === null ? -1 : ids.indexOf(cursor)
  if (at === -1) return (by === 1 ? ids[0] : ids.at(-1)) ?? null
  return ids[Math.max(0, Math.min(ids.length - 1, at + by))] ?? null
}

/** Counts for the side panel. */
export function tally(runs: readonly RunSummary[]): {
  all: number
  active: number
  attention: number
  archived: number
  targets: { id: string; name: string; count: number }[]
  tags: { tag: string; count: number }[]
} {
  const open = runs.filter((run) => !run.archived)
  const targets = new Map<string, { id: string; name: string; count: number }>()
  const tags = new Map<string, number>()
  for (const run of open) {
    const { id, name } = run.target
    targets.set(id, { id, name, count: (targets.get(id)?.count ?? 0) + 1 })
    for (const tag of run.tags) tags.set(tag, (tags.get(tag) ?? 0) + 1)
  }
  return {
    all: open.length,
    active: open.filter((run) => isActive(run.state)).length,
    attention: open.filter((run) => needsAttention(run.state)).length,
    archived: runs.length - open.length,
    targets: [...targets.values()].sort((a, b) => b.count - a.count),
    tags: [...tags].map(([tag, count]) => ({ tag, count })).sort((a, b) => b.count - a.count)
  }
}
