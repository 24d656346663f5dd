import { expect } from '@playwright/test'
import { resize } from './support/app'
import { launchPractice } from './support/command-line'
import { curvesDrawn, openRun, releasesReach, stage } from './support/story'
import { test } from './support/test'

/** Milliseconds a task may take before the page is felt to stick. */
const GOAL = 50
/** Far beyond what a loaded machine adds: only a page that draws far too much gets here. */
const NEVER = 1000

interface Seen {
  tasks: number[]
  panels: number
}

test('twelve live curves hold the page up for no longer than they say', async ({ place, open }) => {
  await launchPractice(place, 4, 'practice-sao')
  const slipway = await open()
  const { page } = slipway
  await resize(slipway, 1920, 1080)
  await openRun(page, 'curves')
  await releasesReach(page, 4)
  await curvesDrawn(page)
  await page.evaluate(() => {
    const tasks: number[] = []
    Object.assign(window, { longTasks: tasks })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) tasks.push(entry.duration)
    }).observe({ type: 'longtask' })
  })
  const from = await stage(page, 'released')
  await releasesReach(page, from + 15)
  const seen = await page.evaluate((): Seen => ({
    tasks: (window as unknown as { longTasks: number[] }).longTasks,
    panels: document.querySelectorAll('[data-testid^="chart-"][data-points]').length
  }))
  const longest = Math.max(0, ...seen.tasks)
  const said = `${seen.panels} panels, 15 releases: ${seen.tasks.length} tasks over ${GOAL} ms, longest ${Math.round(longest)} ms`
  test.info().annotations.push({ type: 'long tasks', description: said })
  console.log(said)
  expect(seen.panels).toBeGreaterThan(5)
  expect(longest).toBeLessThan(NEVER)
})
