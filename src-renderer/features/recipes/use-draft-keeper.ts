import { useEffect, useRef } from 'react'
import { engine } from '../../api/client'
import { isDirty, type RecipeDoc } from './workbench'

/** Milliseconds after the last key until unsaved edits are kept on disk. */
const QUIET = 400

/** Forgets edits that were kept for a file. */
export async function forgetDraft(path: string): Promise<void> {
  await engine.recipes.keepDraft({ path, text: null, modified: 0 })
}

/** Keeps unsaved edits outside the window, so that a crash or a quick quit loses none of them. */
export function useDraftKeeper(doc: RecipeDoc): void {
  const { path, text, modified, draft } = doc
  const dirty = isDirty(doc)
  const kept = useRef(false)
  const unsent = useRef<(() => void) | null>(null)
  useEffect(() => {
    unsent.current = null
    // Edits offered back are left alone until the person has said what to do with them.
    if (!dirty && (!kept.current || draft !== null)) return
    const keep = (): void => {
      unsent.current = null
      kept.current = dirty
      // Best effort while typing; what matters to the person is the save, and that one reports.
      engine.recipes
        .keepDraft({ path, text: dirty ? text : null, modified })
        .catch((thrown: unknown) => console.warn('The unsaved edits could not be kept.', thrown))
    }
    unsent.current = keep
    const timer = window.setTimeout(keep, QUIET)
    return () => window.clearTimeout(timer)
  }, [path, text, modified, dirty, draft])
  // Leaving for another page or recipe does not wait for the timer.
  useEffect(() => () => unsent.current?.(), [path])
}
