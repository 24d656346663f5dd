import type { TrialSide } from '@contract/behaviour'
import { create } from 'zustand'

/** Who answers on one side: the compared side itself, a second stack, or a file of answers. */
export type SideChoice =
  | { readonly kind: 'compared' }
  | {
      readonly kind: 'address'
      readonly address: string
      readonly tokenName: string
      readonly model: string
    }
  | { readonly kind: 'file'; readonly path: string }

export type TrialDraft = {
  readonly text: string
  readonly blind: boolean
  readonly temperature: string
  readonly a: SideChoice
  readonly b: SideChoice
}

type Behaviour = {
  readonly draft: TrialDraft
  /** Trial that is looked at; null: a new one is prepared. */
  readonly open: string | null
}

const FRESH: Behaviour = {
  draft: {
    text: '',
    blind: true,
    temperature: '',
    a: { kind: 'compared' },
    b: { kind: 'compared' }
  },
  open: null
}

const behaviours = create<{ readonly byRun: ReadonlyMap<string, Behaviour> }>(() => ({
  byRun: new Map()
}))

/** What a run's Behaviour view shows and what was typed there. */
export function useBehaviour(run: string): Behaviour {
  return behaviours((store) => store.byRun.get(run) ?? FRESH)
}

/** The trial that is open in a run's Behaviour view. */
export function useTrialOf(run: string): string | null {
  return useBehaviour(run).open
}

function change(run: string, next: (was: Behaviour) => Behaviour): void {
  behaviours.setState(({ byRun }) => ({
    byRun: new Map(byRun).set(run, next(byRun.get(run) ?? FRESH))
  }))
}

export function openTrial(run: string, open: string | null): void {
  change(run, (was) => ({ ...was, open }))
}

export function draftTrial(run: string, part: Partial<TrialDraft>): void {
  change(run, (was) => ({ ...was, draft: { ...was.draft, ...part } }))
}

/** The side the engine is told of; null while something is missing. */
export function trialSideOf(choice: SideChoice, compared: TrialSide | null): TrialSide | null {
  switch (choice.kind) {
    case 'compared':
      return compared
    case 'address': {
      const address = choice.address.trim()
      if (address === '') return null
      const plain = (text: string): string | null => (text.trim() === '' ? null : text.trim())
      return {
        kind: 'address',
        address,
        tokenName: plain(choice.tokenName),
        model: plain(choice.model),
        scenario: null
      }
    }
    case 'file':
      return choice.path === '' ? null : { kind: 'file', path: choice.path }
  }
}
