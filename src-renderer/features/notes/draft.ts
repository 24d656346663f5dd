/**
 * A text being edited here while the kept one may change elsewhere. `base` is the kept text the draft began from.
 * Nothing is overwritten unseen: when both changed, `theirs` holds the other text until the person chooses.
 */
export interface Draft {
  base: string
  text: string
  theirs: string | null
}

export function startDraft(kept: string): Draft {
  return { base: kept, text: kept, theirs: null }
}

export function isDirty(draft: Draft): boolean {
  return draft.text !== draft.base
}

/** The kept text is now `kept`, as the engine says. */
export function keptIsNow(draft: Draft, kept: string): Draft {
  if (kept === draft.base) return draft
  if (kept === draft.text) return { base: kept, text: kept, theirs: null }
  if (!isDirty(draft)) return startDraft(kept)
  return { ...draft, theirs: kept }
}

/** Our text `text` was saved; more may have been typed since. */
export function savedAs(draft: Draft, text: string): Draft {
  return { ...draft, base: text }
}

export function takeTheirs(draft: Draft): Draft {
  return draft.theirs === null ? draft : startDraft(draft.theirs)
}

export function keepMine(draft: Draft): Draft {
  return draft.theirs === null ? draft : { ...draft, base: draft.theirs, theirs: null }
}
