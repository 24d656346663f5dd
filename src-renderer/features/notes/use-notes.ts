import { useCallback, useEffect, useRef, useState } from 'react'
import { engine } from '../../api/client'
import { isDirty, keepMine, keptIsNow, savedAs, startDraft, takeTheirs } from './draft'

/** Milliseconds after the last key until the text is saved. */
const QUIET = 800

export type NotesStatus =
  { kind: 'saved' } | { kind: 'unsaved' } | { kind: 'saving' } | { kind: 'failed'; thrown: unknown }

export interface NotesState {
  text: string
  status: NotesStatus
  /** The text as changed elsewhere while one was typing here, or null. */
  theirs: string | null
  edit: (text: string) => void
  save: () => void
  takeTheirs: () => void
  keepMine: () => void
}

type Act = { kind: 'idle' } | { kind: 'saving' } | { kind: 'failed'; thrown: unknown }

/** Edits the notes of a run. What is not yet saved when the page goes away is saved then. */
export function useNotes(run: string, kept: string): NotesState {
  const [draft, setDraft] = useState(() => startDraft(kept))
  const [seen, setSeen] = useState(kept)
  const [act, setAct] = useState<Act>({ kind: 'idle' })
  if (kept !== seen) {
    setSeen(kept)
    setDraft(keptIsNow(draft, kept))
  }
  const dirty = isDirty(draft)
  const blocked = draft.theirs !== null
  const { text } = draft

  const save = useCallback(() => {
    setAct({ kind: 'saving' })
    engine.runs.update({ run, notes: text }).then(
      () => {
        setDraft((now) => savedAs(now, text))
        setAct({ kind: 'idle' })
      },
      (thrown: unknown) => setAct({ kind: 'failed', thrown })
    )
  }, [run, text])

  useEffect(() => {
    if (!dirty || blocked) return
    const timer = window.setTimeout(save, QUIET)
    return () => window.clearTimeout(timer)
  }, [dirty, blocked, save])

  const leaving = useRef<(() => void) | null>(null)
  useEffect(() => {
    leaving.current = dirty && !blocked ? save : null
  }, [dirty, blocked, save])
  useEffect(() => () => leaving.current?.(), [])

  return {
    text,
    status: statusOf(act, dirty),
    theirs: draft.theirs,
    edit: (next) => {
      setAct({ kind: 'idle' })
      setDraft((now) => ({ ...now, text: next }))
    },
    save,
    takeTheirs: () => setDraft(takeTheirs),
    keepMine: () => setDraft(keepMine)
  }
}

function statusOf(act: Act, dirty: boolean): NotesStatus {
  if (act.kind === 'failed' || act.kind === 'saving') return act
  return dirty ? { kind: 'unsaved' } : { kind: 'saved' }
}
