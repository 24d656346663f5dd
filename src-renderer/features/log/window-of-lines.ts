/**
 * Lines that are laid out at once. Browsers cannot lay out more than about 33 million pixels, which a log of two million
 * lines passes: longer logs are shown through a window that moves with what is looked at.
 */
export const WINDOW = 400_000

/** The first line of the window in which `line` can be seen, keeping the window where it is when it can be seen there. */
export function windowFor(line: number, base: number, count: number): number {
  const last = Math.max(0, count - WINDOW)
  if (line >= base && line < base + WINDOW) return Math.min(base, last)
  return Math.min(last, Math.max(0, line - WINDOW / 2))
}

/** The window to show when its upper or lower end is reached; the same one when there is nothing beyond. */
export function windowBeyond(end: 'top' | 'bottom', base: number, count: number): number {
  const last = Math.max(0, count - WINDOW)
  return end === 'top' ? Math.max(0, base - WINDOW / 2) : Math.min(last, base + WINDOW / 2)
}
