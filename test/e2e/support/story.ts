import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, type Page } from '@playwright/test'
import { test } from './test'
import { closeWindow, resize, type Slipway } from './app'

const SMALL = { width: 1280, height: 800 }

/** What the story carries from one step to the next. */
export interface Story {
  open: () => Promise<Slipway>
  shots: string
  slipway: Slipway
}

export async function beginStory(open: () => Promise<Slipway>, shots: string): Promise<Story> {
  mkdirSync(shots, { recursive: true })
  const slipway = await open()
  await resize(slipway, SMALL.width, SMALL.height)
  return { open, shots, slipway }
}

/** A picture of the window, named in the test's output so that a person can open it. */
export async function shoot(story: Story, name: string): Promise<void> {
  const path = join(story.shots, `${name}.png`)
  await story.slipway.page.screenshot({ path })
  test.info().annotations.push({ type: 'screenshot', description: path })
}

export async function chooseLook(
  page: Page,
  look: { theme?: 'dark' | 'light'; language?: 'en' | 'zh' }
): Promise<void> {
  await page.getByTestId('rail-settings').click()
  await page.getByTestId('settings-appearance').click()
  if (look.theme !== undefined) await page.getByTestId(`theme-${look.theme}`).click()
  if (look.language !== undefined) await page.getByTestId(`language-${look.language}`).click()
  if (look.theme !== undefined)
    await expect(page.locator('html')).toHaveAttribute('data-theme', look.theme)
  if (look.language !== undefined)
    await expect(page.locator('html')).toHaveAttribute(
      'lang',
      look.language === 'zh' ? 'zh-CN' : 'en'
    )
}

/** Puts away what was said at the bottom, if it is still there: it goes by itself, so that a click on it may come too late. */
export async function closeToast(page: Page): Promise<void> {
  const toast = page.getByTestId('toast')
  await toast.evaluateAll((all) => {
    for (const one of all) one.querySelector<HTMLElement>('button:last-of-type')?.click()
  })
  await expect(toast).toHaveCount(0)
}

export async function openRun(page: Page, tab: string): Promise<void> {
  await page.getByTestId('rail-runs').click()
  await page.locator('[data-testid^="run-row-"]').first().click()
  await page.getByTestId(`tab-${tab}`).click()
}

export async function openTab(page: Page, tab: string): Promise<void> {
  await page.getByTestId(`tab-${tab}`).click()
}

/** Waits until the first curve is drawn: its newest value then stands in the panel's head. */
export async function curvesDrawn(page: Page): Promise<void> {
  await expect(page.getByTestId('chart-value').first()).toHaveText(/\d/)
}

function count(text: string | null): number {
  return Number((text ?? '').replace(/[^0-9]/g, ''))
}

export async function stage(page: Page, name: string): Promise<number> {
  return count(await page.getByTestId(`stage-${name}`).locator('b').textContent())
}

/** Waits until the run page counts at least so many releases. */
export async function releasesReach(page: Page, wanted: number): Promise<void> {
  await expect
    .poll(() => stage(page, 'released'), { timeout: 90_000, intervals: [500] })
    .toBeGreaterThanOrEqual(wanted)
}

/** The rows of the release table as the page shows them, newest first. */
export async function releaseRows(page: Page): Promise<string[]> {
  return page.getByTestId('release-rows').locator('[data-testid^="release-r"]').allInnerTexts()
}

export async function reopen(story: Story): Promise<void> {
  await closeWindow(story.slipway)
  story.slipway = await story.open()
  await resize(story.slipway, SMALL.width, SMALL.height)
}

/** Brings a release's row into the virtual table and clicks it. */
export async function pickRelease(page: Page, step: number): Promise<void> {
  const row = page.getByTestId(`release-r${step}`)
  const rows = page.getByTestId('release-rows')
  await expect
    .poll(async () => {
      if (await row.isVisible()) return true
      await rows.hover()
      await page.mouse.wheel(0, 10_000)
      return false
    })
    .toBe(true)
  await row.click()
  await expect(row).toHaveAttribute('aria-selected', 'true')
}
