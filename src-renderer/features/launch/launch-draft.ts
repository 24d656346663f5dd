import type { Override } from '@contract/launch'
import type { NexrlChoices } from '@contract/nexrl'
import type { LaunchInput } from '../../api/queries'
import type { Gate } from '../preflight'
import { readTags } from '../shared/read-tags'
import { type CompanionDraft, type CompanionLack, companionsOf, lackOf } from './companion-draft'
import {
  containerChoicesOf,
  hasWrongSize,
  noContainerTexts,
  type ContainerTexts
} from './container-draft'

/** What a person has filled in for one launch. */
export interface LaunchDraft {
  recipe: string | null
  target: string
  name: string
  tags: string
  overrides: readonly Override[]
  companions: readonly CompanionDraft[]
  /** Where a container finds its things. Only looked at where `takesContainer`. */
  container: ContainerTexts
  /** Only sent where something was chosen: other stacks have none of it. */
  nexrl?: NexrlChoices
}

export function emptyDraft(recipe: string | null): LaunchDraft {
  return {
    recipe,
    target: 'local',
    name: '',
    tags: '',
    overrides: [],
    companions: [],
    container: noContainerTexts
  }
}

/** The draft as the engine's input; null while no recipe is chosen. Rows without a field are not sent. */
export function inputOf(draft: LaunchDraft): LaunchInput | null {
  if (draft.recipe === null) return null
  const name = draft.name.trim()
  const container = containerChoicesOf(draft.container)
  const companions = companionsOf(draft.companions)
  return {
    recipe: draft.recipe,
    target: draft.target,
    tags: readTags(draft.tags),
    overrides: draft.overrides.filter((each) => each.path.trim() !== ''),
    ...(name === '' ? {} : { name }),
    ...(companions.length === 0 ? {} : { companions }),
    ...(container === null ? {} : { container }),
    ...(draft.nexrl === undefined ? {} : { nexrl: draft.nexrl })
  }
}

/**
 * Whether what was found out for one launch may stand on screen while another is looked at: its name, tags and values
 * change by the key, but of another target or recipe nothing that was shown holds.
 */
export function samePlace(
  a: Pick<LaunchInput, 'recipe' | 'target'> | null | undefined,
  b: Pick<LaunchInput, 'recipe' | 'target'> | null | undefined
): boolean {
  return a?.recipe === b?.recipe && a?.target === b?.target
}

/** True when a row has a value and no field to put it in. */
export function hasLooseValue(draft: LaunchDraft): boolean {
  return draft.overrides.some((each) => each.path.trim() === '' && each.value !== '')
}

/** Why the launch button is off, or null when it is on. The first reason is the one a person should mend first. */
export type LaunchObstacle =
  | { kind: 'no-recipe' }
  | { kind: 'launching' }
  | { kind: 'loose-override' }
  | { kind: 'unfinished-companion'; lacks: CompanionLack }
  | { kind: 'wrong-size' }
  | { kind: 'target-down' }
  | { kind: 'checking' }
  | { kind: 'errors'; count: number }
  | { kind: 'no-plan' }
  | { kind: 'plan-failed' }
  | { kind: 'preflight'; gate: Exclude<Gate, { kind: 'clear' }> }

export interface LaunchFacts {
  draft: LaunchDraft
  launching: boolean
  /** Undefined while the recipe is being checked. */
  errors: number | undefined
  plan: 'pending' | 'failed' | 'ready'
  targetDown: boolean
  /** Absent where preflight is not asked. */
  gate?: Gate
}

export function obstacleTo(facts: LaunchFacts): LaunchObstacle | null {
  if (facts.draft.recipe === null) return { kind: 'no-recipe' }
  if (facts.launching) return { kind: 'launching' }
  if (hasLooseValue(facts.draft)) return { kind: 'loose-override' }
  const lacks = lackOf(facts.draft.companions)
  if (lacks !== null) return { kind: 'unfinished-companion', lacks }
  if (hasWrongSize(facts.draft.container)) return { kind: 'wrong-size' }
  if (facts.errors !== undefined && facts.errors > 0) {
    return { kind: 'errors', count: facts.errors }
  }
  if (facts.targetDown) return { kind: 'target-down' }
  if (facts.plan === 'failed') return { kind: 'plan-failed' }
  if (facts.errors === undefined) return { kind: 'checking' }
  if (facts.plan !== 'ready') return { kind: 'no-plan' }
  const { gate } = facts
  return gate === undefined || gate.kind === 'clear' ? null : { kind: 'preflight', gate }
}
