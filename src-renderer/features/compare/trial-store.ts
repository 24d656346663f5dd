import { FEWEST_SIDES, type TrialSide } from '@contract/behaviour'
import { create } from 'zustand'

/** Who answers on one side: the compared side itself, a second stack, a file of answers, or nobody. */
export type SideChoice =
  | { readonly kind: 'compared' }
  | { readonly kind: 'out' }
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
  /** For the compared sides, by their place; what is not chosen is the side itself. */
  readonly choices: Readonly<Record<number, SideChoice>>
  /** Sides beyond those that are compared. */
  readonly extra: readonly SideChoice[]
}

/** A compared side, and who can be asked for it. */
export type Compared = { readonly label: string; readonly side: TrialSide | null }

/** One place of a trial in preparation. `compared` is null for a side that is in the trial alone. */
export type Seat = {
  readonly key: string
  readonly choice: SideChoice
  readonly compared: Compared | null
  readonly choose: (choice: SideChoice) => void
  /** Out of the trial; null: two sides have to stay. */
  readonly leave: (() => void) | null
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
    choices: {},
    extra: []
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

/** The places of a trial: the compared sides, and those that were added. */
export function seatsOf(run: string, draft: TrialDraft, compared: readonly Compared[]): Seat[] {
  const { choices, extra } = draft
  const askable = compared.filter(({ side }) => side !== null).length
  const choiceAt = (at: number): SideChoice =>
    choices[at] ??
    (compared[at]?.side === null && askable >= FEWEST_SIDES
      ? { kind: 'out' }
      : { kind: 'compared' })
  const taken = compared.filter((_, at) => choiceAt(at).kind !== 'out').length + extra.length
  const leave = (act: () => void): Seat['leave'] => (taken > FEWEST_SIDES ? act : null)
  const choose = (at: number, choice: SideChoice): void =>
    draftTrial(run, { choices: { ...choices, [at]: choice } })
  return [
    ...compared.map((one, at): Seat => ({
      key: `compared-${at}`,
      choice: choiceAt(at),
      compared: one,
      choose: (choice) => choose(at, choice),
      leave: leave(() => choose(at, { kind: 'out' }))
    })),
    ...extra.map((choice, at): Seat => ({
      key: `extra-${at}`,
      choice,
      compared: null,
      choose: (next) =>
        draftTrial(run, { extra: extra.map((one, index) => (index === at ? next : one)) }),
      leave: leave(() => draftTrial(run, { extra: extra.filter((_, index) => index !== at) }))
    }))
  ]
}

/** The side the engine is told of; null while something is missing. */
export function trialSideOf(choice: SideChoice, compared: TrialSide | null): TrialSide | null {
  switch (choice.kind) {
    case 'compared':
      return compared
    case 'out':
      return null
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
