import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from '@playwright/test'
import type { RunDetail } from '../../src-main/contract/run'
import { endStacksBelow, isAlive, stackProcesses } from '../support/kill-stack'
import { ask, launchFaster } from './support/practice-run'
import {
  closeWindow,
  makePlace,
  openSlipway,
  startOf,
  type Place,
  type Slipway
} from './support/app'
import { openRun, releasesReach, stage } from './support/story'

async function withRun(
  work: (slipway: Slipway, run: string, place: Place) => Promise<Slipway>
): Promise<void> {
  const place = makePlace()
  let slipway = await openSlipway(place)
  try {
    const run = await launchFaster(slipway.page, place)
    slipway = await work(slipway, run, place)
    ask(place, 'stop', run)
  } finally {
    await slipway.app.close()
    await endStacksBelow(place.home)
    place.remove()
  }
}

/** Turns “keep watching” on and waits until the app itself has heard of it. */
async function keepWatching({ app, page }: Slipway): Promise<void> {
  await page.getByTestId('rail-settings').click()
  await page.getByTestId('settings-appearance').click()
  await page.getByTestId('keep-watching-on').click()
  // Settings reach the app in order: when it has the theme, it has what was chosen before.
  await page.getByTestId('theme-light').click()
  await expect.poll(() => app.evaluate(({ nativeTheme }) => nativeTheme.themeSource)).toBe('light')
}

test('closing quits, and the run goes on', () =>
  withRun(async (slipway, run, place) => {
    const before = await stage(slipway.page, 'released')
    const main = slipway.app.process().pid ?? 0
    await closeWindow(slipway)
    await expect.poll(() => isAlive(main)).toBe(false)
    const { summary, writer } = ask<RunDetail>(place, 'show', run)
    expect(writer).toBe('nobody')
    expect(await stackProcesses(`${summary.folder}/logs/attempt-1/exit.json`)).not.toBeNull()
    const again = await openSlipway(place)
    await openRun(again.page, 'curves')
    await releasesReach(again.page, before + 2)
    return again
  }))

test('with “keep watching” on, closing leaves the app watching, and a second start brings it back', () =>
  withRun(async (slipway, run, place) => {
    const { app } = slipway
    await keepWatching(slipway)
    const main = app.process().pid ?? 0
    const windows = (): Promise<number> =>
      app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)
    await app.evaluate(({ BrowserWindow }) => {
      BrowserWindow.getAllWindows()[0]?.close()
    })
    await expect.poll(windows).toBe(0)
    const closed = ask<RunDetail>(place, 'show', run)
    expect(closed.writer).toBe('other-process')
    await expect
      .poll(() => ask<RunDetail>(place, 'show', run).summary.step, { timeout: 60_000 })
      .toBeGreaterThan(closed.summary.step + 1)
    expect(isAlive(main)).toBe(true)
    const opened = app.waitForEvent('window')
    const { executablePath, args, env } = startOf(place)
    const second = spawn(executablePath, args, { env, stdio: 'ignore' })
    const [code] = (await once(second, 'exit')) as [number | null]
    expect(code).toBe(0)
    const page = await opened
    await page.getByTestId('status-bar').waitFor()
    await openRun(page, 'curves')
    await releasesReach(page, closed.summary.stages.released + 2)
    return { ...slipway, page }
  }))
