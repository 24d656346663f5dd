import { diffWordsWithSpace } from 'diff'

/** A stretch of one answer; `own` when the other answer has it not. */
export type Piece = { readonly text: string; readonly own: boolean }

/** Milliseconds after which two long answers are shown without marks. */
const LONGEST = 150

/** Both answers in pieces, word by word. */
export function piecesOf(left: string, right: string): { left: Piece[]; right: Piece[] } {
  const parts = diffWordsWithSpace(left, right, { timeout: LONGEST })
  if (parts === undefined)
    return { left: [{ text: left, own: false }], right: [{ text: right, own: false }] }
  return {
    left: parts
      .filter(({ added }) => !added)
      .map(({ value, removed }) => ({ text: value, own: removed })),
    right: parts
      .filter(({ removed }) => !removed)
      .map(({ value, added }) => ({ text: value, own: added }))
  }
}
