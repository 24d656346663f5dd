import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from '@playwright/test'
import {
  beginStory,
  chooseLook,
  curvesDrawn,
  openRun,
  openTab,
  pickRelease,
  releasesReach,
  reopen,
  shoot,
  stage,
  type Story
} from './support/story'
import { test } from './support/test'

const BACK_TO = 3

async function launchFromTheList(story: Story): Promise<void> {
  const { page } = story.slipway
  await expect(page.getByTestId('first-run')).toBeVisible()
  await shoot(story, '01-empty-dark-en')
  await page.getByTestId('plan-first').click()
  await expect(page.getByTestId('plan')).toBeVisible()
  await expect(page.getByTestId('practice-notice')).toBeVisible()
  await shoot(story, '02-plan-dark-en')
  await page.getByTestId('launch').click()
  await expect(page.getByTestId('run-header')).toBeVisible()
}

async function servicesComeUp(story: Story): Promise<void> {
  const { page } = story.slipway
  await openTab(page, 'stack')
  for (const service of ['slime-driver', 'reef'])
    await expect(page.getByTestId(`service-${service}`)).toHaveAttribute('data-state', 'ready', {
      timeout: 60_000
    })
  await shoot(story, '03-stack-dark-en')
}

async function curvesGrow(story: Story): Promise<void> {
  const { page } = story.slipway
  await openTab(page, 'curves')
  await releasesReach(page, 5)
  for (const panel of ['reward', 'loss', 'entropy', 'gradient'])
    await expect(page.getByTestId(`panel-${panel}`)).toBeVisible()
  await expect(page.getByTestId('log-lines')).toContainText(/\S/)
  await curvesDrawn(page)
  await shoot(story, '04-curves-dark-en')
  const before = await stage(page, 'released')
  await releasesReach(page, before + 1)
  for (const name of ['served', 'reported']) expect(await stage(page, name)).toBeGreaterThan(0)
}

async function compareTwo(story: Story): Promise<void> {
  const { page } = story.slipway
  await openTab(page, 'releases')
  await pickRelease(page, BACK_TO)
  await page.keyboard.press('x')
  await pickRelease(page, 5)
  await shoot(story, '05-releases-dark-en')
  await page.keyboard.press('c')
  await expect(page.getByTestId('compare-numbers')).toContainText('rollout/rewards')
  await shoot(story, '06-compare-dark-en')
}

async function goBack(story: Story): Promise<void> {
  const { page } = story.slipway
  await openTab(page, 'releases')
  await pickRelease(page, BACK_TO)
  await page.getByTestId('rollback-open').first().click()
  await expect(page.getByTestId('rollback-dialog')).toContainText(`r${BACK_TO}`)
  await expect(page.getByTestId('rollback-cancel')).toBeFocused()
  await page.getByTestId('rollback-why').fill('practising the way back')
  await shoot(story, '07-rollback-dark-en')
  await page.getByTestId('rollback-confirm').click()
  await expect(page.getByTestId('release-rows')).toContainText(/rollback/i, { timeout: 30_000 })
  await shoot(story, '08-went-back-dark-en')
}

async function closeAndComeBack(story: Story): Promise<void> {
  const before = await stage(story.slipway.page, 'released')
  await reopen(story)
  const { page } = story.slipway
  await openRun(page, 'curves')
  await releasesReach(page, before + 2)
  await expect(page.getByTestId('run-state')).toContainText(/Running|Training|Serving/)
  await curvesDrawn(page)
  await shoot(story, '09-reopened-dark-en')
}

async function otherLooks(story: Story): Promise<void> {
  const { page } = story.slipway
  await chooseLook(page, { theme: 'light', language: 'zh' })
  await openRun(page, 'curves')
  await curvesDrawn(page)
  await shoot(story, '10-curves-light-zh')
  await openTab(page, 'releases')
  await shoot(story, '11-releases-light-zh')
  await chooseLook(page, { theme: 'light', language: 'en' })
  await openRun(page, 'curves')
  await curvesDrawn(page)
  await shoot(story, '12-curves-light-en')
  await chooseLook(page, { theme: 'dark', language: 'zh' })
  await openRun(page, 'curves')
  await curvesDrawn(page)
  await shoot(story, '13-curves-dark-zh')
  await chooseLook(page, { language: 'en' })
}

async function stopIt(story: Story): Promise<void> {
  const { page } = story.slipway
  await openRun(page, 'stack')
  await page.getByTestId('stop').click()
  await expect(page.getByTestId('stop-dialog')).toBeVisible()
  await page.getByTestId('confirm-stop').click()
  await expect(page.getByTestId('run-state')).toHaveAttribute('data-state', 'stopped', {
    timeout: 60_000
  })
  await page.keyboard.press('Escape')
  await shoot(story, '14-stopped-dark-en')
  await page.getByTestId('rail-runs').click()
  await expect(page.locator('[data-testid^="run-row-"]')).toHaveCount(1)
  await shoot(story, '15-runs-dark-en')
}

test('the whole story: launch, learn, compare, go back, close, come back, stop', async ({
  open
}) => {
  test.setTimeout(240_000)
  const shots = process.env['SLIPWAY_SHOTS'] ?? mkdtempSync(join(tmpdir(), 'slipway-shots-'))
  const story = await test.step('the window opens on an empty list', () => beginStory(open, shots))
  await chooseLook(story.slipway.page, { theme: 'dark', language: 'en' })
  await story.slipway.page.getByTestId('rail-runs').click()
  await test.step('practice run planned and launched', () => launchFromTheList(story))
  await test.step('services come up one by one', () => servicesComeUp(story))
  await test.step('curves, log, stages and releases grow', () => curvesGrow(story))
  await test.step('two releases compared', () => compareTwo(story))
  await test.step('rolled back with one click', () => goBack(story))
  await test.step('closed and reopened, the run went on', () => closeAndComeBack(story))
  await test.step('both themes and languages', () => otherLooks(story))
  await test.step('stopped, the record stays', () => stopIt(story))
  expect(story.slipway.complaints).toEqual([])
})
