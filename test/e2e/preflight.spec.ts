import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { makePlace, openSlipway, resize } from './support/app'
import { openPlan } from './support/practice-run'
import { chooseLook } from './support/story'

/** The practice recipe with a version that no stack takes. */
function brokenRecipe(): string {
  const shipped = readFileSync(join(process.cwd(), 'recipes', 'practice-sao.yaml'), 'utf8')
  const broken = shipped.replace('schema-version: 2', 'schema-version: 3')
  if (broken === shipped) throw new Error('the shipped recipe no longer has this line')
  return broken
}

test('a failing preflight blocks, its fix is applied from the page, the launch goes through', async () => {
  test.setTimeout(240_000)
  const place = makePlace()
  const shots = process.env['SLIPWAY_SHOTS'] ?? mkdtempSync(join(tmpdir(), 'slipway-shots-'))
  mkdirSync(shots, { recursive: true })
  mkdirSync(join(place.home, 'recipes'), { recursive: true })
  const recipe = join(place.home, 'recipes', 'wrong-version.yaml')
  writeFileSync(recipe, brokenRecipe())
  const slipway = await openSlipway(place)
  const { page } = slipway
  const shoot = (name: string) => page.screenshot({ path: join(shots, `${name}.png`) })
  try {
    await resize(slipway, 1440, 900)
    await chooseLook(page, { theme: 'dark', language: 'en' })
    await page.getByTestId('rail-runs').click()
    await openPlan(page)
    await page.getByTestId('recipe-wrong-version.yaml').click()

    const panel = page.getByTestId('preflight')
    const mistakes = panel.getByTestId('preflight-fix')
    await expect(mistakes).toBeVisible({ timeout: 60_000 })
    await expect(panel).toHaveAttribute('data-gate', 'blocked')
    await expect(page.getByTestId('launch')).toHaveAttribute('aria-disabled', 'true')
    await expect(page.getByTestId('launch-reason')).toContainText(/error|preflight/i)
    await expect(page.getByTestId('preflight-progress')).toContainText(/checks in/, {
      timeout: 60_000
    })
    await shoot('preflight-blocked-dark-en')

    // A fix may uncover the next mistake: each has its own button.
    await expect(async () => {
      if (await mistakes.isVisible())
        await mistakes.locator('[data-testid^="fix-"]').first().click({ timeout: 2000 })
      await expect(mistakes).toBeHidden({ timeout: 10_000 })
    }).toPass({ timeout: 90_000 })
    await expect(panel).toHaveAttribute('data-gate', 'clear', { timeout: 60_000 })
    expect(readFileSync(recipe, 'utf8')).not.toBe(brokenRecipe())
    await expect(page.getByTestId('launch-reason')).toHaveText('')
    await shoot('preflight-mended-dark-en')

    await page.getByTestId('launch').click()
    await expect(page.getByTestId('run-header')).toBeVisible({ timeout: 60_000 })
    await page.getByTestId('tab-preflight').click()
    await expect(page.getByTestId('preflight-fine')).toBeVisible()
    await expect(page.getByTestId('preflight-fix')).toBeHidden()
    await shoot('preflight-saved-dark-en')
    await chooseLook(page, { theme: 'light', language: 'zh' })
    await page.getByTestId('rail-runs').click()
    await page.locator('[data-testid^="run-row-"]').first().click()
    await page.getByTestId('tab-preflight').click()
    await expect(page.getByTestId('preflight-fine')).toBeVisible()
    await shoot('preflight-saved-light-zh')
    await page.getByTestId('tab-stack').click()
    await page.getByTestId('stop').click()
    await page.getByTestId('confirm-stop').click()
    await expect(page.getByTestId('run-state')).toHaveAttribute('data-state', 'stopped', {
      timeout: 60_000
    })
    expect(slipway.complaints).toEqual([])
  } finally {
    await slipway.app.close()
    place.remove()
  }
})
