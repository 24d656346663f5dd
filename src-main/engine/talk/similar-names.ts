import { distance } from 'fastest-levenshtein'

/** A scenario by name, with how much it was used. */
export interface UsedName {
  name: string
  answers: number
}

/** Names are compared without what people slip on: case, blanks, dashes, underscores, dots. */
function plain(name: string): string {
  return name.toLowerCase().replace(/[\s._-]+/g, '')
}

/** Two numbered names (`day-1`, `day-2`) differ on purpose. */
function numberedAlike(a: string, b: string): boolean {
  const bare = (name: string): string => name.replace(/\d+/g, '#')
  return a !== b && bare(a) === bare(b) && /\d/.test(a)
}

/**
 * The scenario a name was probably meant to be: a more used one whose name is the same but for case and separators,
 * or at most one slip away (two in names of eight letters or more). Null when none is.
 */
export function meantName(one: UsedName, all: readonly UsedName[]): string | null {
  const mine = plain(one.name)
  const near = all.flatMap((other) => {
    if (other.name === one.name || other.answers <= one.answers) return []
    const theirs = plain(other.name)
    const allowed = Math.min(mine.length, theirs.length) >= 8 ? 2 : 1
    if (Math.min(mine.length, theirs.length) < 3 && mine !== theirs) return []
    if (numberedAlike(one.name, other.name)) return []
    const slips = distance(mine, theirs)
    return slips <= allowed ? [{ name: other.name, slips, answers: other.answers }] : []
  })
  near.sort((a, b) => a.slips - b.slips || b.answers - a.answers)
  return near[0]?.name ?? null
}
