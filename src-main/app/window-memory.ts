import { readFileSync, writeFileSync } from 'node:fs'
import { z } from 'zod'

const Remembered = z.object({
  width: z.number().int().min(640),
  height: z.number().int().min(480),
  x: z.number().int().optional(),
  y: z.number().int().optional(),
  maximized: z.boolean(),
  /** Background before the first paint, so that a dark window never flashes white. */
  dark: z.boolean()
})
export type RememberedWindow = z.infer<typeof Remembered>

const first: RememberedWindow = { width: 1440, height: 900, maximized: false, dark: true }

/** Where the window was. A missing or damaged file means the first-time size: nothing of value is in it. */
export function recallWindow(file: string): RememberedWindow {
  try {
    const read = Remembered.safeParse(JSON.parse(readFileSync(file, 'utf8')))
    return read.success ? read.data : first
  } catch {
    // Absent on the first start; a damaged one holds nothing but a window position.
    return first
  }
}

export function rememberWindow(file: string, window: RememberedWindow): void {
  writeFileSync(file, JSON.stringify(window))
}
