import { editDistance } from '../engine/lib'

/** Keys named when one was asked for that is not there; a run can have any number of them. */
const MOST = 5
/** Letters that may differ: more are another name. */
const MOST_EDITS = 8

/** Keys that are there, the ones first that an unknown name resembles most: it may lack a folder, or be misspelt. */
export function nearKeys(wanted: string, keys: Iterable<string>): string[] {
  const typed = wanted.toLowerCase()
  return [...keys]
    .map((key) => ({ key, distance: distanceOf(typed, key.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance || (a.key < b.key ? -1 : 1))
    .slice(0, MOST)
    .map(({ key }) => key)
}

function distanceOf(typed: string, key: string): number {
  if (key === typed) return 0
  const last = (name: string): string => name.slice(name.lastIndexOf('/') + 1)
  if (key.includes(typed) || typed.includes(key)) return 0.5
  return Math.min(
    editDistance(typed, key, MOST_EDITS),
    // The same name in another folder is nearer than most misspellings.
    1 + editDistance(last(typed), last(key), MOST_EDITS)
  )
}
