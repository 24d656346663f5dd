import { create } from 'zustand'
import type { Generation, RecipeDraft } from '@contract/recipes'

/** A recipe that is open, with the text as it is being edited. */
export interface RecipeDoc {
  path: string
  /** As on disk when last read or saved, without a byte order mark. */
  base: string
  text: string
  /** The byte order mark of the file, put back when it is saved. */
  lead: '' | '\uFEFF'
  /** Modification time of what `base` was read from, Unix milliseconds. */
  modified: number
  readOnly: boolean
  /** Generation the person chose to check for; null: the one found in the text. */
  generation: Generation | null
  /** Unsaved edits of an earlier window that are offered back. */
  draft: RecipeDraft | null
  /** Counts texts that came from elsewhere than the editor; the editor follows those. */
  revision: number
}

interface Workbench {
  docs: Readonly<Record<string, RecipeDoc>>
  opened: (
    file: { path: string; text: string; modified: number; readOnly: boolean },
    draft: RecipeDraft | null
  ) => void
  edited: (path: string, text: string) => void
  saved: (path: string, text: string, modified: number) => void
  /** The file has another text now; `text` absent keeps the edits and only takes the file as known. */
  reread: (path: string, base: string, modified: number, keepEdits: boolean) => void
  restoreDraft: (path: string) => void
  dropDraft: (path: string) => void
  chooseGeneration: (path: string, generation: Generation | null) => void
}

function unmarked(text: string): { lead: RecipeDoc['lead']; text: string } {
  return text.startsWith('\uFEFF') ? { lead: '\uFEFF', text: text.slice(1) } : { lead: '', text }
}

export function isDirty(doc: RecipeDoc): boolean {
  return doc.text !== doc.base
}

/** What is open in the workbench. It outlives the page, so edits wait while one looks at a run. */
export const workbench = create<Workbench>((set) => {
  const change = (path: string, part: (doc: RecipeDoc) => Partial<RecipeDoc>): void =>
    set((was) => {
      const doc = was.docs[path]
      return doc === undefined ? was : { docs: { ...was.docs, [path]: { ...doc, ...part(doc) } } }
    })
  return {
    docs: {},
    opened: (file, kept) =>
      set((was) => {
        const { lead, text } = unmarked(file.text)
        const draft = kept === null || kept.text === text || file.readOnly ? null : kept
        const { path, modified, readOnly } = file
        const doc: RecipeDoc = {
          path,
          base: text,
          text,
          lead,
          modified,
          readOnly,
          draft,
          generation: null,
          revision: 0
        }
        return { docs: { ...was.docs, [path]: doc } }
      }),
    edited: (path, text) => change(path, () => ({ text })),
    saved: (path, text, modified) => change(path, () => ({ base: text, modified })),
    reread: (path, raw, modified, keepEdits) =>
      change(path, (doc) => {
        const { lead, text: base } = unmarked(raw)
        const text = keepEdits ? doc.text : base
        const revision = keepEdits ? doc.revision : doc.revision + 1
        return { lead, base, text, modified, revision }
      }),
    restoreDraft: (path) =>
      change(path, (doc) => ({
        text: doc.draft?.text ?? doc.text,
        draft: null,
        revision: doc.revision + 1
      })),
    dropDraft: (path) => change(path, () => ({ draft: null })),
    chooseGeneration: (path, generation) => change(path, () => ({ generation }))
  }
})
