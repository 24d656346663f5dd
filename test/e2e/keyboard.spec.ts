import { expect, type Page } from '@playwright/test'
import { releasesReach } from './support/story'
import { test } from './support/test'

/** Counts what a mouse or a finger would send, so that no step can use one unnoticed. */
async function countPointer(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    document.documentElement.dataset['pointed'] = '0'
    const note = (): void => {
      const { dataset } = document.documentElement
      dataset['pointed'] = String(Number(dataset['pointed']) + 1)
    }
    for (const kind of ['pointerdown', 'wheel']) window.addEventListener(kind, note, true)
  })
  return async () => Number(await page.locator('html').getAttribute('data-pointed'))
}

/** Where the focus is, and whether a person sees it there: an outline, a field's frame or a row's own mark. */
async function focus(page: Page): Promise<{ name: string; seen: boolean }> {
  return page.evaluate(() => {
    const focused = document.activeElement
    if (focused === null || focused === document.body) return { name: 'page', seen: true }
    const framed = (element: Element | null): boolean =>
      element !== null && getComputedStyle(element).boxShadow !== 'none'
    const within = focused.querySelector('[aria-selected="true"]')
    const outlined = [focused, within].some(
      (element) => element !== null && getComputedStyle(element).outlineStyle !== 'none'
    )
    const words = focused.getAttribute('aria-label') ?? focused.textContent ?? ''
    const id = focused.closest('[data-testid]')?.getAttribute('data-testid') ?? ''
    return {
      name: `${id} ${words.trim().slice(0, 40)}`,
      seen: outlined || framed(focused.closest('.field'))
    }
  })
}

/** Tab goes all round the page, stays nowhere and shows where it is. */
async function goAround(page: Page): Promise<void> {
  const begin = '[data-testid="open-palette"]'
  await page.locator(begin).focus()
  const unseen: string[] = []
  let steps = 0
  do {
    await page.keyboard.press('Tab')
    const { name, seen } = await focus(page)
    if (!seen) unseen.push(name)
    steps += 1
  } while (steps < 150 && !(await page.locator(begin).evaluate((each) => each.matches(':focus'))))
  expect(unseen).toEqual([])
  expect(steps).toBeGreaterThan(15)
  expect(steps, 'Tab came back to where it began').toBeLessThan(150)
}

async function launch(page: Page): Promise<void> {
  await expect(page.getByTestId('launch-practice')).toBeFocused()
  await page.keyboard.press('Control+Enter')
  await expect(page.getByTestId('run-header')).toBeVisible()
}

async function readCurves(page: Page): Promise<void> {
  await page.keyboard.press('Alt+1')
  await expect(page.getByTestId('curve-grid')).toBeVisible({ timeout: 30_000 })
  await releasesReach(page, 4)
  await page.keyboard.press('l')
  await expect(page.getByTestId('curves-log')).toHaveAttribute('aria-pressed', 'true')
  await page.keyboard.press('l')
  await expect(page.getByTestId('curves-log')).toHaveAttribute('aria-pressed', 'false')
  await goAround(page)
}

const selectedRelease = (page: Page) =>
  page.getByTestId('release-rows').locator('[aria-selected="true"]')

async function compare(page: Page): Promise<void> {
  await page.keyboard.press('Alt+2')
  await expect(page.getByTestId('release-rows')).toBeVisible()
  // However many releases there are by now, the way down ends at the first of them.
  do await page.keyboard.press('j')
  while ((await selectedRelease(page).getAttribute('data-testid')) !== 'release-r0')
  await page.keyboard.press('k')
  await expect(selectedRelease(page)).toHaveAttribute('data-testid', 'release-r1')
  await page.keyboard.press('x')
  await page.keyboard.press('k')
  await expect(selectedRelease(page)).toHaveAttribute('data-testid', 'release-r2')
  await page.keyboard.press('c')
  await expect(page.getByTestId('compare-numbers')).toContainText('rollout/rewards')
}

async function goBack(page: Page): Promise<void> {
  await page.keyboard.press('Alt+2')
  await expect(selectedRelease(page)).toHaveAttribute('data-testid', 'release-r2')
  await page.keyboard.press('Control+b')
  await expect(page.getByTestId('rollback-cancel')).toBeFocused()
  expect((await focus(page)).seen).toBe(true)
  await page.keyboard.press('Enter')
  await expect(page.getByTestId('rollback-dialog')).toBeHidden()
  await page.keyboard.press('Control+b')
  await expect(page.getByTestId('rollback-confirm')).toBeEnabled()
  await page.keyboard.press('Shift+Tab')
  await expect(page.getByTestId('rollback-why')).toBeFocused()
  await page.keyboard.type('without a mouse')
  await page.keyboard.press('Control+Enter')
  await expect(page.getByTestId('release-rows')).toContainText(/rollback/i, { timeout: 30_000 })
}

async function stop(page: Page): Promise<void> {
  await page.keyboard.press('Control+k')
  await expect(page.getByTestId('palette-input')).toBeFocused()
  await page.keyboard.type('Stop')
  await page.keyboard.press('Enter')
  await expect(page.getByTestId('stop-dialog')).toBeVisible()
  await page.keyboard.press('Control+Enter')
  await expect(page.getByTestId('run-state')).toHaveAttribute('data-state', 'stopped', {
    timeout: 60_000
  })
  await page.keyboard.press('Escape')
  await expect(page.getByTestId('stop-dialog')).toBeHidden()
}

test('launch, curves, releases, compare, roll back and stop without a mouse', async ({ open }) => {
  test.setTimeout(240_000)
  const slipway = await open()
  const { page } = slipway
  const pointed = await countPointer(page)
  await test.step('launch', () => launch(page))
  await test.step('read the curves', () => readCurves(page))
  await test.step('compare two releases', () => compare(page))
  await test.step('go back', () => goBack(page))
  await test.step('stop', () => stop(page))
  expect(await pointed()).toBe(0)
  expect(slipway.complaints).toEqual([])
})
