import type { KeyInfo, Panel } from '@contract/metrics'
import type { Text } from '@contract/text'
import type { AxisKind } from '../../charts'

/** What is known of a key whatever its numbers are: those change with every sample. */
export type KeyNote = Omit<KeyInfo, 'count' | 'nonFinite' | 'last' | 'source'> & {
  /** Whether it is known when its values were logged; null while it has none. */
  readonly timed: boolean | null
}

function noteOf({ last, ...info }: KeyInfo): KeyNote {
  const { key, axis, unit, description, healthy, failure, direction } = info
  const timed = last === null ? null : last.at > 0
  return { key, axis, unit, description, healthy, failure, direction, timed }
}

/** One chart of the page. */
export type PlannedPanel = {
  readonly id: string
  readonly title: Text | null
  readonly keys: readonly string[]
  /** What its first key is, where that needs saying. */
  readonly note: Text | null
  /** Native x axis of its keys. */
  readonly axis: KeyInfo['axis']
  /** What is known of each of its keys. */
  readonly infos: readonly KeyNote[]
}

/** The panels of a page: the family's default ones, or one for each key, filtered by what was typed. */
export function planPanels(scene: {
  readonly mode: 'default' | 'all'
  readonly panels: readonly Panel[]
  readonly keys: readonly KeyNote[]
  readonly typed: string
}): PlannedPanel[] {
  const infos = new Map(scene.keys.map((info) => [info.key, info]))
  if (scene.mode === 'default') {
    return scene.panels.map((panel) => {
      const known = panel.keys.flatMap((key) => infos.get(key) ?? [])
      return {
        id: panel.id,
        title: panel.title ?? null,
        note: panel.note ?? null,
        keys: panel.keys,
        axis: known[0]?.axis ?? 'step',
        infos: known
      }
    })
  }
  const words = scene.typed.toLowerCase().split(/\s+/)
  return [...scene.keys]
    .filter((info) => words.every((word) => info.key.toLowerCase().includes(word)))
    .sort((a, b) => a.key.localeCompare(b.key))
    .map((info) => ({
      id: info.key,
      title: null,
      note: null,
      keys: [info.key],
      axis: info.axis,
      infos: [info]
    }))
}

/** Difference of two axes' newest x, as a share, up to which they count as one. */
const SAME_AXIS = 0.02

/**
 * Which native axes share one x range and crosshair. Optimizer steps, rollouts and commits are different numbers in
 * general, but where each rollout makes one step they run together, and then a page has one x.
 * @returns for each axis the axis whose group it joins
 */
export function axisGroups(
  keys: readonly KeyInfo[]
): ReadonlyMap<KeyInfo['axis'], KeyInfo['axis']> {
  const newest = new Map<KeyInfo['axis'], number>()
  for (const info of keys) {
    if (info.last === null) continue
    newest.set(info.axis, Math.max(newest.get(info.axis) ?? 0, info.last.x))
  }
  const step = newest.get('step')
  const groups = new Map<KeyInfo['axis'], KeyInfo['axis']>()
  for (const [axis, x] of newest) {
    const joins = step !== undefined && Math.abs(x - step) <= Math.max(2, step * SAME_AXIS)
    groups.set(axis, joins ? 'step' : axis)
  }
  return groups
}

/**
 * Names the x range that a chart shares. Those by steps share it with their native axis; all others are one. A metric
 * on the x axis may be called anything, `wall` or `step` too, and must not share the range of the axis of that name.
 */
export function groupId(axis: AxisKind, axisKey: string | null, native: string): string {
  switch (axis) {
    case 'step':
      return `step ${native}`
    case 'metric':
      return `metric ${axisKey ?? ''}`
    case 'rollout':
    case 'relative':
    case 'wall':
      return axis
  }
}

/** What a page needs to know of the keys of a run. */
export type KeyFacts = {
  readonly keys: readonly KeyNote[]
  /** Which native axes run together (`axisGroups`), as `from=to` pairs in words. */
  readonly axes: string
}

/** Of the keys what changes with a new key or axis alone, so that samples that come in plan nothing anew. */
export function keyFacts(keys: readonly KeyInfo[]): KeyFacts {
  return {
    keys: keys.map(noteOf),
    axes: [...axisGroups(keys)].map(([from, to]) => `${from}=${to}`).join(' ')
  }
}
