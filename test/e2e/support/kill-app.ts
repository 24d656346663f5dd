import { expect } from '@playwright/test'
import { isAlive, processRows } from '../../support/kill-stack'
import type { Slipway } from './app'

/** The main process of the app that Playwright started. */
function mainPid({ app }: Slipway): number {
  const { pid } = app.process()
  if (pid === undefined) throw new Error('the app has no process')
  return pid
}

/** The engine process below a main process; null while there is none. */
export async function enginePid(main: number): Promise<number | null> {
  const rows = await processRows()
  const own = new Set([main])
  // Chromium may put a zygote in between.
  for (const row of rows) if (own.has(row.parent)) own.add(row.pid)
  const engine = rows.find(
    ({ pid, argv }) => own.has(pid) && argv.some((word) => word.includes('node.mojom.NodeService'))
  )
  return engine?.pid ?? null
}

/** Resolves when a process is not there any more. */
export async function gone(pid: number): Promise<void> {
  await expect.poll(() => isAlive(pid), { timeout: 20_000, intervals: [50] }).toBe(false)
}

/** `kill -9` of the whole app; resolves when its engine has ended too, which it has to do by itself. */
export async function killApp(slipway: Slipway): Promise<void> {
  const main = mainPid(slipway)
  const engine = await enginePid(main)
  const closed = slipway.app.waitForEvent('close')
  process.kill(main, 'SIGKILL')
  await closed
  // Two engines must never be, so the orphan has to end by itself.
  if (engine !== null) await gone(engine)
}
