import { execFileSync } from 'node:child_process'
import { expect, type Page } from '@playwright/test'
import type { Place } from './app'
import { openTab, releasesReach } from './story'

/** `slipway` of the same build, for what the window's page does not give in numbers. */
export function ask<T>(place: Place, ...words: string[]): T {
  const args = ['out/main/cli.js', '--home', place.home, '--json', ...words]
  // A long test's releases are several megabytes.
  const options = { encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 } as const
  return JSON.parse(execFileSync(process.execPath, args, options)) as T
}

/** From the empty list to the plan of the practice run. */
export async function openPlan(page: Page): Promise<void> {
  await page.getByTestId('plan-first').click()
  await expect(page.getByTestId('add-override')).toBeVisible({ timeout: 60_000 })
}

/** Launches the practice run from the empty list, four times as fast as shipped; resolves with its id. */
export async function launchFaster(page: Page, place: Place): Promise<string> {
  await openPlan(page)
  await page.getByTestId('add-override').click()
  await page.getByTestId('override-path-0').fill('training.options.speed')
  await page.getByTestId('override-value-0').fill('4')
  await expect(page.getByTestId('plan-shell')).toContainText('training.options.speed=4')
  await page.getByTestId('launch').click()
  await expect(page.getByTestId('run-header')).toBeVisible()
  await openTab(page, 'curves')
  await releasesReach(page, 2)
  const { runs } = ask<{ runs: { id: string }[] }>(place, 'runs')
  return runs[0]?.id ?? ''
}
