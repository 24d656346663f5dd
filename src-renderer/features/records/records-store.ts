import { create } from 'zustand'
import type { RecordKind } from './talk-feed'

export type RecordsPart = 'records' | 'feedback' | 'scenarios'

export interface RecordsView {
  scenario: string | null
  view: RecordsPart
  kind: RecordKind
  text: string
  /** Id of the record that is read. */
  chosen: string | null
}

const fresh: RecordsView = {
  scenario: null,
  view: 'records',
  kind: 'all',
  text: '',
  chosen: null
}

interface RecordsStore {
  views: Readonly<Record<string, RecordsView>>
  set: (run: string, change: Partial<RecordsView>) => void
}

/** What a person looks at in the Records tab of each run, kept while the window is open. */
export const recordsView = create<RecordsStore>((set) => ({
  views: {},
  set: (run, change) =>
    set(({ views }) => ({ views: { ...views, [run]: { ...(views[run] ?? fresh), ...change } } }))
}))

export function useRecordsView(run: string): RecordsView {
  return recordsView((store) => store.views[run]) ?? fresh
}
