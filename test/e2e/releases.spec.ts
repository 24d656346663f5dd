import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, type Page } from '@playwright/test'
import type { Chain } from '../../src-main/contract/releases'
import type { Place } from './support/app'
import { resize } from './support/app'
import { ask } from './support/practice-run'
import {
  beginStory,
  chooseLook,
  curvesDrawn,
  openRun,
  openTab,
  pickRelease,
  releasesReach,
  shoot,
  type Story
} from './support/story'
import { test } from './support/test'
import { fromValues, safetensors, seeded, tensor } from '../unit/engine/compare/weight-files'

const shotsFolder = (): string =>
  process.env['SLIPWAY_SHOTS'] ?? mkdtempSync(join(tmpdir(), 'slipway-shots-'))

function launch(place: Place, rollback: 'api' | 'redeploy'): string {
  const words = ['launch', 'recipes/practice-sao.yaml']
  const set = [`training.options.rollback=${rollback}`, 'training.options.speed=2']
  const { run } = ask<{ run: { id: string } }>(
    place,
    ...words,
    ...set.flatMap((pair) => ['--set', pair])
  )
  return run.id
}

const chainOf = (place: Place, run: string): Pick<Chain, 'releases'> => ask(place, 'releases', run)

/** The newest release but one that was saved and is not served. */
function earlier(place: Place, run: string): number {
  const saved = chainOf(place, run).releases.filter(
    (release) => release.checkpoint !== null && release.restorable && !release.served
  )
  return saved[1]?.step ?? saved[0]?.step ?? 0
}

async function view(page: Page, name: string): Promise<void> {
  await page.getByTestId(`compare-view-${name}`).click()
}

async function compareAll(story: Story, run: string, step: number): Promise<void> {
  const { page } = story.slipway
  await openTab(page, 'releases')
  await pickRelease(page, step)
  await shoot(story, 'releases-01-chosen-dark-en')
  await page.getByTestId('compare-with').click()
  await expect(page.getByTestId('compare-numbers')).toContainText('rollout/rewards')
  await shoot(story, 'releases-02-numbers-dark-en')
  await view(page, 'weights')
  await expect(page.getByTestId('weights')).toBeVisible({ timeout: 30_000 })
  await expect(page.getByTestId('tensor-detail')).toBeVisible()
  await shoot(story, 'releases-03-weights-dark-en')
  await view(page, 'settings')
  await expect(page.getByTestId('settings-equal')).toBeVisible()
  await view(page, 'results')
  await page
    .getByTestId('results-text')
    .fill(`release,task,n,correct\n${step},sums,100,52\n${step + 1},sums,100,71\n`)
  await page.getByTestId('results-attach').click()
  await expect(page.getByTestId('result-chart-sums')).toBeVisible()
  await takeResultsBack(page, step)
  await shoot(story, 'releases-04-results-dark-en')
  await view(page, 'numbers')
  await page.getByTestId('compare-add').click()
  await page.getByRole('menuitem', { name: /^r\d+/ }).first().click()
  await expect(page.getByTestId('compare-sides')).toContainText('rollout/rewards')
  await shoot(story, 'releases-05-three-sides-dark-en')
  await view(page, 'weights')
  await page.getByTestId('weights-side').getByRole('radio').last().click()
  await expect(page.getByTestId('weights')).toBeVisible({ timeout: 30_000 })
  await view(page, 'numbers')
  await page.getByTestId('compare-align-fork').click()
  await expect(page.getByTestId('aligned-curves').locator('canvas').first()).toBeVisible()
  await shoot(story, 'releases-14-fork-dark-en')
  expect(run).not.toBe('')
}

/** A task attached by mistake goes again, and only that one. */
async function takeResultsBack(page: Page, step: number): Promise<void> {
  await page.getByTestId('results-text').fill(`release,task,n,correct\n${step},sumz,100,52\n`)
  await page.getByTestId('results-attach').click()
  await page.getByTestId('results-remove-sumz').click()
  await page.getByTestId('results-remove-confirm').click()
  await expect(page.getByTestId('result-chart-sumz')).toBeHidden()
  await expect(page.getByTestId('result-chart-sums')).toBeVisible()
}

/** The same prompts to all three compared sides, judged blind: one is best, two are best together. */
async function judgeThree(story: Story): Promise<void> {
  const { page } = story.slipway
  await view(page, 'behaviour')
  await page
    .getByTestId('trial-prompts')
    .fill(
      'What is (4 + 9) mod 10? Answer with one digit.\nWhat is (1 + 1) mod 10? Answer with one digit.'
    )
  await page.getByTestId('trial-start').click()
  await expect(page.getByTestId('trial-answer-2')).toContainText('Answer C')
  await answersCame(page, 'judge-a', 2)
  await shoot(story, 'releases-22-three-blind-dark-en')
  await page.keyboard.press('1')
  await expect(page.getByTestId('trial-tally')).toContainText('1 of 2 judged')
  await page.getByTestId('trial-among-0').click()
  await page.getByTestId('trial-among-2').click()
  await page.getByTestId('judge-several').click()
  await expect(page.getByTestId('trial-outcome')).toContainText('baseline')
  await expect(page.getByTestId('trial-outcome').locator('tbody tr')).toHaveCount(3)
  await shoot(story, 'releases-23-three-judged-dark-en')
  await page.getByTestId('trial-back').click()
  await page.getByTestId('trial-side-leave-c').click()
  await expect(page.getByTestId('trial-left-out')).toBeVisible()
}

async function answersCame(page: Page, judge: string, last: number): Promise<void> {
  const text = page.getByTestId(`trial-answer-${last}`).locator('.trial-text')
  await expect(text).not.toBeEmpty({ timeout: 60_000 })
  await expect(page.getByTestId(judge)).not.toHaveAttribute('aria-disabled', 'true', {
    timeout: 60_000
  })
}

/** The same prompts to two, judged blind; then all of it under a name, opened again from the palette. */
async function judgeAndKeep(story: Story): Promise<void> {
  const { page } = story.slipway
  await page.getByTestId('trial-start').click()
  await expect(page.getByTestId('trial-answer-1')).toContainText('Answer B')
  await answersCame(page, 'judge-left', 1)
  await shoot(story, 'releases-15-blind-dark-en')
  await page.keyboard.press('1')
  await expect(page.getByTestId('trial-tally')).toContainText('1 of 2 judged')
  await page.getByTestId('judge-tie').click()
  // All is judged: the sides have their names.
  await expect(page.getByTestId('trial-tally')).toContainText('1 tied')
  await expect(page.getByTestId('trial-answer-0')).toContainText(/r\d+/)
  await shoot(story, 'releases-16-judged-dark-en')
  await page.getByTestId('comparison-save').click()
  await page.getByTestId('comparison-name').fill('before and after')
  await page.getByTestId('comparison-save-confirm').click()
  await page.getByTestId('comparison-saved').click()
  await page.getByRole('menuitem', { name: /before and after/ }).click()
  await expect(page.getByTestId('saved-comparison')).toContainText('before and after')
  await view(page, 'numbers')
  await expect(page.getByTestId('compare-sides')).toContainText('rollout/rewards')
  await shoot(story, 'releases-17-saved-dark-en')
  await page.getByTestId('comparison-close').click()
  await openTab(page, 'curves')
  await expect(page.getByTestId('result-panel-sums').locator('canvas').first()).toBeAttached()
  await page.getByTestId('result-panel-sums').scrollIntoViewIfNeeded()
  await shoot(story, 'releases-18-results-on-curves-dark-en')
}

/** Two folders of weights of several layers, kept by the command and opened from the palette. */
async function layers(story: Story, place: Place): Promise<void> {
  const { page } = story.slipway
  const folders = [0, 1].map((side) => {
    const folder = join(place.profile, `weights-${side}`)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'model.safetensors'), layeredWeights(side))
    return folder
  })
  ask(place, 'compare', ...folders, '--save', 'two folders')
  await page.keyboard.press('Control+k')
  await page.getByTestId('palette-input').fill('two folders')
  await page.getByRole('option', { name: /two folders/ }).click()
  await expect(page.getByTestId('saved-comparison')).toContainText('two folders')
  await view(page, 'weights')
  const cells = page.getByTestId('heat-map').locator('.heat-cell')
  await expect(cells).toHaveCount(LAYERS * MODULES.length)
  // The last layer moved most: its cell is the one chosen, and stronger than the first layer's.
  await expect(
    page.locator(`[data-testid^="heat-${LAYERS - 1}-"][aria-pressed="true"]`)
  ).toHaveCount(1)
  const colours = await Promise.all(
    [0, LAYERS - 1].map((layer) =>
      page
        .getByTestId(`heat-${layer}-q_proj`)
        .evaluate((cell) => getComputedStyle(cell).backgroundColor)
    )
  )
  expect(colours[0]).not.toBe(colours[1])
  await shoot(story, 'releases-21-heat-map-dark-en')
  await page.getByTestId('comparison-close').click()
}

const LAYERS = 12
const MODULES = ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'up_proj', 'down_proj']

/** The second side moved, each layer more than the one before. */
function layeredWeights(side: number): Buffer {
  const random = seeded(1)
  const names = Array.from({ length: LAYERS }, (_, layer) =>
    MODULES.map((module) => ({ layer, name: `model.layers.${layer}.${module}.weight` }))
  ).flat()
  return safetensors(
    Object.fromEntries(
      names.map(({ layer, name }) => {
        const moved = (side * (layer + 1)) / 1000
        const values = Array.from({ length: 64 }, () => (random() - 0.5) * (1 + moved))
        return [name, tensor([8, 8], fromValues('F32', values))]
      })
    )
  )
}

async function looks(story: Story): Promise<void> {
  const { page } = story.slipway
  await chooseLook(page, { theme: 'light', language: 'zh' })
  await openRun(page, 'compare')
  await view(page, 'weights')
  await expect(page.getByTestId('weights')).toBeVisible({ timeout: 30_000 })
  await shoot(story, 'releases-06-weights-light-zh')
  await resize(story.slipway, 1800, 1000)
  await shoot(story, 'releases-07-weights-light-zh-1800')
  await view(page, 'results')
  await shoot(story, 'releases-08-results-light-zh-1800')
  await view(page, 'behaviour')
  await shoot(story, 'releases-19-behaviour-light-zh-1800')
  await page.getByTestId('trial-back').click()
  await shoot(story, 'releases-20-new-trial-light-zh-1800')
  await resize(story.slipway, 1280, 800)
  await chooseLook(page, { theme: 'dark', language: 'en' })
}

test('from a curve to a release, a comparison, a branch, and back', async ({ open, place }) => {
  test.setTimeout(420_000)
  const run = launch(place, 'redeploy')
  const story = await beginStory(open, shotsFolder())
  const { page } = story.slipway
  await chooseLook(page, { theme: 'dark', language: 'en' })
  await openRun(page, 'curves')
  await releasesReach(page, 6)
  await curvesDrawn(page)
  const step = earlier(place, run)
  await test.step('compared in numbers, weights, settings and results', () =>
    compareAll(story, run, step))
  await test.step('judged blind, three at once', () => judgeThree(story))
  await test.step('judged blind, and kept under a name', () => judgeAndKeep(story))
  await test.step('folders of weights, layer by layer', () => layers(story, place))
  await test.step('in the other looks', () => looks(story))
  await test.step('what is saved, and whole', async () => {
    await openRun(page, 'releases')
    await page.getByTestId('release-list-saved').click()
    await page.locator('[data-testid^="verify-"]').first().click()
    await expect(page.getByTestId('checkpoints')).toContainText('whole')
    await shoot(story, 'releases-13-checkpoints-dark-en')
  })
  await test.step('the branch', async () => {
    await page.getByTestId('release-list-releases').click()
    await pickRelease(page, step)
    await page.getByTestId('rollback-open').first().click()
    await expect(page.getByTestId('rollback-dialog')).toContainText('inference.model-path')
    await shoot(story, 'releases-09-redeploy-dark-en')
    await page.getByTestId('rollback-why').fill('the reward fell')
    await page.getByTestId('rollback-confirm').click()
    await expect(page.getByTestId('rollback-undo')).toBeVisible({ timeout: 60_000 })
    await expect
      .poll(() => chainOf(place, run).releases.some(({ attempt }) => attempt === 2), {
        timeout: 90_000,
        intervals: [3000]
      })
      .toBe(true)
    await shoot(story, 'releases-10-branch-dark-en')
  })
  await test.step('undone', async () => {
    await page.getByTestId('undo-last').click()
    await expect(page.getByTestId('rollback-dialog')).toContainText('Undo the redeploy?')
    await shoot(story, 'releases-11-undo-dark-en')
    await page.getByTestId('rollback-confirm').click()
    await expect
      .poll(() => chainOf(place, run).releases.find(({ served }) => served)?.attempt, {
        timeout: 90_000,
        intervals: [3000]
      })
      .not.toBe(2)
    await shoot(story, 'releases-12-undone-dark-en')
  })
  expect(story.slipway.complaints).toEqual([])
})

test('a rollback through the service is undone with one click', async ({ open, place }) => {
  test.setTimeout(180_000)
  const run = launch(place, 'api')
  const story = await beginStory(open, shotsFolder())
  const { page } = story.slipway
  await openRun(page, 'releases')
  await releasesReach(page, 4)
  await expect(page.getByTestId('undo-last')).toBeHidden()
  await pickRelease(page, earlier(place, run))
  await page.getByTestId('rollback-open').first().click()
  await page.getByTestId('rollback-confirm').click()
  await page.getByTestId('rollback-undo').click()
  await expect(page.getByTestId('rollback-dialog')).toBeVisible()
  await page.getByTestId('rollback-confirm').click()
  const rollbacks = (): number =>
    chainOf(place, run).releases.filter(({ operation }) => operation === 'rollback').length
  await expect.poll(rollbacks, { timeout: 30_000 }).toBe(2)
  expect(story.slipway.complaints).toEqual([])
})
