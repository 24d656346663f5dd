import { mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, type Page } from '@playwright/test'
import { makePlace, openSlipway, resize } from './support/app'
import { cleanUp, slipway as commandLine } from './support/command-line'
import { bareKeys, cutTexts, englishLeft } from './support/reading'
import { chooseLook, closeToast, openRun } from './support/story'

/** The practice recipe with nobody asking, one report a step, on a port of its own. */
async function launchSilent(place: ReturnType<typeof makePlace>): Promise<void> {
  const recipe = join(process.cwd(), 'recipes/practice-sao.yaml')
  const port = 19_400 + Math.floor(Math.random() * 1000)
  const sets = [
    `reef.port=${port}`,
    'training.options.traffic=off',
    'training.options.num-critic-only-steps=0',
    'recipe.config.batch-size=1',
    'training.options.global-batch-size=1'
  ].flatMap((one) => ['--set', one])
  await commandLine(place, 'launch', recipe, ...sets, '--name', 'try-it')
}

async function ask(page: Page, form: 'openai' | 'anthropic', number: number): Promise<string> {
  await page.getByTestId(`talk-form-${form}`).click()
  await page.getByTestId('talk-question').fill('What is (4 + 9) mod 10? Answer with one digit.')
  await page.getByTestId('talk-ask').click()
  await expect(page.getByTestId(`exchange-${number}`)).toHaveAttribute('data-state', 'done')
  return (await page.getByTestId('receipt').textContent()) ?? ''
}

test('ask, score, watch the release, and find it all in Records', async () => {
  test.setTimeout(240_000)
  const place = makePlace()
  const shots = process.env['SLIPWAY_SHOTS'] ?? mkdtempSync(join(tmpdir(), 'slipway-shots-'))
  mkdirSync(shots, { recursive: true })
  const found: string[] = []
  try {
    await launchSilent(place)
    const slipway = await openSlipway(place)
    const { page } = slipway
    const look = async (name: string, language: 'en' | 'zh'): Promise<void> => {
      await page.screenshot({ path: join(shots, `${name}.png`) })
      const faults = [
        ...(await cutTexts(page)),
        ...(await bareKeys(page)),
        ...(language === 'zh' ? await englishLeft(page) : [])
      ]
      found.push(...faults.map((fault) => `${name} ${fault}`))
    }
    try {
      await resize(slipway, 1280, 800)
      await openRun(page, 'stack')
      await expect(page.getByTestId('open-try-it')).not.toHaveAttribute('aria-disabled', 'true', {
        timeout: 90_000
      })

      await page.getByTestId('open-try-it').click()
      await page.getByTestId('talk-question').waitFor()
      await look('try-it-empty', 'en')
      const receipt = await ask(page, 'openai', 1)
      await page.getByTestId('score-words').fill('right and short')
      await page.getByTestId('score-1').click()
      const way = page.getByTestId('learning-way')
      await expect(way).toHaveAttribute('data-stage', 'released', { timeout: 60_000 })
      const learner = (await way.getByTestId('learnt-by').textContent()) ?? ''
      expect(learner).toMatch(/^r\d+$/)
      await look('try-it-learnt', 'en')
      expect(await ask(page, 'anthropic', 2)).not.toBe(receipt)
      await page.getByTestId('talk-side-code').click()
      await expect(page.getByTestId('snippet')).toContainText('/v1/messages')
      await look('try-it-code', 'en')

      await page.getByTestId('talk-side-answer').click()
      await page.getByTestId('exchange-1').click()
      await page.getByTestId('see-record').click()
      const told = page.getByTestId('conversation')
      await expect(told).toContainText('right and short')
      await expect(told.getByTestId('learnt-by').first()).toHaveText(learner)
      await page.getByTestId('records-search').fill('right and short')
      await expect(page.getByTestId('records-table').locator('tbody tr')).toHaveCount(1)
      await look('records', 'en')
      await page.getByTestId('records-view-feedback').click()
      await expect(page.getByTestId('feedback-unreported')).toContainText('1')
      await look('feedback', 'en')

      await page.getByTestId('records-view-scenarios').click()
      await page.getByTestId('scenario-name').fill('practise')
      await page.getByTestId('scenario-create').click()
      const slip = page.getByTestId('scenario-practise')
      await expect(slip).toContainText('practice')
      await page.getByTestId('mode-practise-manual').click()
      await expect(page.getByTestId('mode-practise-manual')).toHaveAttribute('data-state', 'on')
      await look('scenarios', 'en')
      await closeToast(page)

      await chooseLook(page, { theme: 'dark', language: 'zh' })
      await openRun(page, 'records')
      await page.getByTestId('scenario-practise').waitFor()
      await look('scenarios-zh', 'zh')
      await page.getByTestId('retire-practise').click()
      await look('retire-zh', 'zh')
      await page.getByTestId('confirm-retire').click()
      await expect(slip).toHaveCount(0)
      await page.getByTestId('records-view-feedback').click()
      await page.getByTestId('feedback-counts').waitFor()
      await look('feedback-zh', 'zh')
      await page.getByTestId('records-view-records').click()
      await page.getByTestId('conversation').waitFor()
      await look('records-zh', 'zh')
      await page.getByTestId('open-try-it').click()
      await page.getByTestId('exchange-1').click()
      await page.getByTestId('learning-way').waitFor()
      await look('try-it-zh', 'zh')
      await page.getByTestId('talk-side-code').click()
      await look('try-it-code-zh', 'zh')
      await page.keyboard.press('Escape')
      await resize(slipway, 1920, 1080)
      await page.getByTestId('conversation').waitFor()
      await look('records-zh-wide', 'zh')
      await page.getByTestId('open-try-it').click()
      await page.getByTestId('exchange-1').click()
      await page.getByTestId('learning-way').waitFor()
      await look('try-it-zh-wide', 'zh')

      // The run ends, and what it recorded stays readable.
      await page.keyboard.press('Escape')
      await page.getByTestId('stop').click()
      await page.getByTestId('confirm-stop').click()
      await expect(page.getByTestId('run-state')).toHaveAttribute('data-state', 'stopped', {
        timeout: 90_000
      })
      await page.keyboard.press('Escape')
      await expect(page.getByTestId('records-kept')).toBeVisible({ timeout: 60_000 })
      await expect(page.getByTestId('conversation')).toContainText('right and short')
      await look('records-kept-zh', 'zh')
      await page.getByTestId('records-view-feedback').click()
      await page.getByTestId('feedback-counts').waitFor()
      await look('feedback-kept-zh', 'zh')
      expect(found).toEqual([])
      expect(slipway.complaints).toEqual([])
    } finally {
      await slipway.app.close()
    }
  } finally {
    await cleanUp(place)
  }
})
