import { readFileSync, writeFileSync } from 'node:fs'

/** Where the window was, and what it looked like. Sizes and places in pixels. */
export interface RememberedWindow {
  width: number
  height: number
  x?: number
  y?: number
  maximized: boolean
  /** Background before the first paint, so that a dark window never flashes white. */
  dark: boolean
}

const first: RememberedWindow = { width: 1440, height: 900, maximized: false, dark: true }

/** Where the window was. A missing or damaged file means the first-time size: nothing of value is in it. */
export function recallWindow(file: string): RememberedWindow {
  try {
    return rememberedFrom(JSON.parse(readFileSync(file, 'utf8'))) ?? first
  } catch {
    // Absent on the first start; a damaged one holds nothing but a window position.
    return first
  }
}

/** Read by hand: the library that reads everything else would be most of what loads before the first picture. */
export function rememberedFrom(value: unknown): RememberedWindow | null {
  if (typeof value !== 'object' || value === null) return null
  const { width, height, x, y, maximized, dark }: Partial<Record<string, unknown>> = { ...value }
  if (!isWhole(width) || width < 640 || !isWhole(height) || height < 480) return null
  if (typeof maximized !== 'boolean' || typeof dark !== 'boolean') return null
  if ((x !== undefined && !isWhole(x)) || (y !== undefined && !isWhole(y))) return null
  const place = { ...(x === undefined ? {} : { x }), ...(y === undefined ? {} : { y }) }
  return { width, height, ...place, maximized, dark }
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value)
}

export function rememberWindow(file: string, window: RememberedWindow): void {
  writeFileSync(file, JSON.stringify(window))
}
