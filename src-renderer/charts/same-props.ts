import { replaceEqualDeep } from '@tanstack/react-query'

/** Whether what a small chart shows is what it showed before, though it came as new objects. */
export function sameProps<T extends object>(before: T, now: T): boolean {
  return replaceEqualDeep(before, now) === before
}
