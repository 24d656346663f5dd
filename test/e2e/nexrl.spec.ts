import { mkdirSync, mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, type Page } from '@playwright/test'
import { makeNexrlYard } from '../support/nexrl-yard'
import { startWeaver, WEAVER_KEY } from '../support/weaver-server'
import { makePlace, openSlipway, resize } from './support/app'
import { cleanUp } from './support/command-line'
import { bareKeys, cutTexts, englishLeft } from './support/reading'
import { chooseLook, closeToast, curvesDrawn, openRun, openTab } from './support/story'

test('launch a NexRL recipe, watch its pipeline, keep its weights', async () => {
  test.setTimeout(240_000)
  const place = makePlace()
  const yard = makeNexrlYard(400)
  const server = await startWeaver()
  const shots = process.env['SLIPWAY_SHOTS'] ?? mkdtempSync(join(tmpdir(), 'slipway-shots-'))
  mkdirSync(shots, { recursive: true })
  Object.assign(process.env, {
    WEAVER_API_KEY: WEAVER_KEY,
    WEAVER_BASE_URL: server.url,
    NEXRL_DATA_PATH: yard.root,
    NEXRL_DRIVER_STEPS: '400',
    NEXRL_DRIVER_PACE: '300'
  })
  const found: string[] = []
  try {
    const look = async (page: Page, name: string, language: 'en' | 'zh'): Promise<void> => {
      await page.screenshot({ path: join(shots, `${name}.png`) })
      const faults = [
        ...(await cutTexts(page)),
        ...(await bareKeys(page)),
        ...(language === 'zh' ? await englishLeft(page) : [])
      ]
      found.push(...faults.map((fault) => `${name} ${fault}`))
    }
    const slipway = await openSlipway(place, { args: [yard.recipe] })
    const { page } = slipway
    try {
      await resize(slipway, 1280, 800)
      // Opened with the file: the recipe stands on the launch page.
      await page.getByTestId('nexrl-fields').waitFor({ timeout: 30_000 })
      await page.getByTestId('nexrl-python').fill(yard.python)
      await expect(page.getByTestId('plan-shell')).toContainText('-m nexrl.main')
      await expect(page.getByTestId('nexrl-variables')).toContainText('WEAVER_API_KEY')
      await look(page, 'nexrl-launch', 'en')
      await page.getByTestId('nexrl-way-kubernetes').click()
      await expect(page.getByTestId('plan-shell')).toContainText('cli/run.py -m training-service')
      await look(page, 'nexrl-launch-kubernetes', 'en')
      await page.getByTestId('nexrl-mode-self-hosted').click()
      await page.getByTestId('nexrl-inference-url').fill('10.0.0.9:12345')
      await expect(page.getByTestId('plan-shell')).toContainText('--inference-url 10.0.0.9:12345')
      await look(page, 'nexrl-launch-own', 'en')
      await page.getByTestId('nexrl-mode-training-service').click()
      await expect(page.getByTestId('plan-shell')).not.toContainText('--inference-url')
      await page.getByTestId('nexrl-way-driver').click()
      await expect(page.getByTestId('plan-shell')).toContainText('-m nexrl.main')

      const because = page.getByTestId('preflight-why')
      await expect(page.getByTestId('launch').or(because).first()).toBeVisible({ timeout: 60_000 })
      if (await because.isVisible()) await because.fill('a driver of our own')
      await page.getByTestId('launch').click()

      const verdict = page.getByTestId('nexrl-verdict')
      await expect(verdict).toHaveAttribute('data-verdict', 'running', { timeout: 60_000 })
      await expect(page.getByTestId('pipeline-trainer')).toContainText('of')
      await expect(page.getByTestId('stage-weights')).toContainText(/v[2-9]/, { timeout: 60_000 })
      await look(page, 'nexrl-stack', 'en')

      await openTab(page, 'weaver')
      await page.getByTestId('weaver-every').fill('2')
      await page.getByTestId('weaver-set-rule').click()
      await expect(page.getByTestId('weaver-rule')).toContainText('every 2 steps')
      const row = page.getByTestId('checkpoint-step_000002')
      await row.waitFor()
      await look(page, 'nexrl-weaver-tab', 'en')
      await row.getByRole('button', { name: 'Extend…' }).click()
      await page.getByTestId('weaver-life-ever').click()
      await look(page, 'nexrl-extend', 'en')
      await page.getByTestId('weaver-confirm').click()
      await expect(row.getByTestId('checkpoint-left')).toHaveText('kept for good')
      await page.getByTestId('weaver-save').click()
      await page.getByTestId('weaver-save-name').fill('keep-me')
      await page.getByTestId('weaver-confirm').click()
      await page.getByTestId('checkpoint-keep-me').waitFor()
      await row.getByRole('button', { name: 'Export…' }).click()
      await page.getByTestId('weaver-confirm').click()
      await expect(page.getByTestId('weaver-dialog')).toHaveCount(0)
      await row.getByRole('button', { name: 'Download…' }).click()
      const folder = join(yard.root, 'download')
      await page.getByTestId('weaver-folder').fill(folder)
      await page.getByTestId('weaver-confirm').click()
      await expect(page.getByTestId('weaver-dialog')).toHaveCount(0)
      expect(readdirSync(folder).sort()).toEqual([
        'adapter_config.json',
        'adapter_model.safetensors',
        'sub'
      ])

      await openTab(page, 'curves')
      await curvesDrawn(page)
      await look(page, 'nexrl-curves', 'en')
      await closeToast(page)
      await chooseLook(page, { theme: 'dark', language: 'zh' })
      await page.getByTestId('settings-weaver').click()
      await page.getByTestId('weaver-model-m-1').waitFor()
      await look(page, 'weaver-settings-zh', 'zh')
      await openRun(page, 'stack')
      await page.getByTestId('pipeline').waitFor()
      await look(page, 'nexrl-stack-zh', 'zh')
      await resize(slipway, 1920, 1080)
      await look(page, 'nexrl-stack-zh-wide', 'zh')
      await openTab(page, 'weaver')
      await row.waitFor()
      await look(page, 'nexrl-weaver-tab-zh', 'zh')
      await row.getByRole('button').first().click()
      await page.getByTestId('weaver-dialog').waitFor()
      await look(page, 'nexrl-extend-zh', 'zh')
      await page.keyboard.press('Escape')
      await page.getByTestId('weaver-save').click()
      await page.getByTestId('weaver-dialog').waitFor()
      await look(page, 'nexrl-save-zh', 'zh')
      await page.keyboard.press('Escape')
      await openTab(page, 'curves')
      await curvesDrawn(page)
      await look(page, 'nexrl-curves-zh', 'zh')
      expect(slipway.complaints).toEqual([])
    } finally {
      await slipway.app.close()
    }
    // The form once more, in the language that was chosen.
    const again = await openSlipway(place, { args: [yard.recipe] })
    try {
      await resize(again, 1280, 800)
      await again.page.getByTestId('nexrl-python').fill(yard.python)
      await expect(again.page.getByTestId('plan-shell')).toContainText('-m nexrl.main')
      await look(again.page, 'nexrl-launch-zh', 'zh')
      await again.page.getByTestId('nexrl-way-kubernetes').click()
      await expect(again.page.getByTestId('plan-shell')).toContainText('-m training-service')
      await look(again.page, 'nexrl-launch-kubernetes-zh', 'zh')
    } finally {
      await again.app.close()
    }
    expect(found).toEqual([])
  } finally {
    await cleanUp(place)
    await server.close()
    await yard.remove()
  }
})
