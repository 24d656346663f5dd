import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, type Page } from '@playwright/test'
import { resize, type Slipway } from './support/app'
import { launchPractice } from './support/command-line'
import { bareKeys, cutTexts, englishLeft, saysItselfWhole } from './support/reading'
import { chooseLook, openRun, pickRelease, releasesReach } from './support/story'
import { test } from './support/test'

type Language = 'en' | 'zh'

const SMALL = { width: 1280, height: 800 }
const LARGE = { width: 1920, height: 1080 }

interface Stop {
  name: string
  go(page: Page): Promise<void>
}

const tab = (name: string, shown: string): Stop => ({
  name: `run-${name}`,
  async go(page) {
    await openRun(page, name)
    await expect(page.getByTestId(shown).first()).toBeVisible()
  }
})

const settings = (section: string): Stop => ({
  name: `settings-${section}`,
  async go(page) {
    await page.getByTestId('rail-settings').click()
    await page.getByTestId(`settings-${section}`).click()
  }
})

const rail = (name: string, shown: string): Stop => ({
  name,
  async go(page) {
    await page.getByTestId(`rail-${name}`).click()
    await expect(page.getByTestId(shown)).toBeVisible()
  }
})

async function planned(page: Page, recipe: string): Promise<void> {
  await page.getByTestId(`recipe-${recipe}`).first().click()
  await expect(page.getByTestId('launch-page')).not.toContainText(/being checked|正在检查/)
}

/** Every place of the window, and what lies over it. */
const stops: readonly Stop[] = [
  rail('runs', 'runs-table'),
  {
    name: 'launch',
    async go(page) {
      await page.getByTestId('rail-runs').click()
      await page.getByTestId('new-run').first().click()
      await planned(page, 'practice-sao.yaml')
    }
  },
  {
    name: 'launch-slime',
    async go(page) {
      await planned(page, 'sao.yaml')
    }
  },
  rail('recipes', 'recipes-table'),
  {
    name: 'recipe-open',
    async go(page) {
      await page.getByTestId('recipe-row-practice-sao.yaml').dblclick()
      await expect(page.locator('.monaco-editor .view-lines')).toContainText('schema-version')
      await expect(page.getByTestId('recipe-facts')).toBeVisible()
    }
  },
  {
    name: 'recipe-values',
    async go(page) {
      await page.getByTestId('recipe-view-values').click()
      await expect(page.getByTestId('recipe-values')).toBeVisible()
    }
  },
  {
    name: 'recipe-compare',
    async go(page) {
      await page.getByTestId('recipe-compare').click()
      await page.getByTestId('compare-with-practice-tttd.yaml').click()
      await expect(page.getByTestId('recipe-differences')).toBeVisible()
    }
  },
  {
    name: 'recipe-new',
    async go(page) {
      await page.getByTestId('recipe-new').click()
      await expect(page.getByTestId('new-recipe-dialog')).toContainText('.yaml')
    }
  },
  {
    name: 'recipes-again',
    async go(page) {
      await page.getByTestId('recipe-all').click()
      await expect(page.getByTestId('recipes-table')).toBeVisible()
    }
  },
  tab('curves', 'curve-grid'),
  tab('releases', 'release-rows'),
  {
    name: 'run-compare',
    async go(page) {
      await openRun(page, 'releases')
      await pickRelease(page, 2)
      const marked = page.getByTestId('release-r2').and(page.locator('[data-other="true"]'))
      // The key takes a mark away as well, and an earlier round left it.
      if (!(await marked.isVisible())) await page.keyboard.press('x')
      await expect(marked).toBeVisible()
      await pickRelease(page, 4)
      await page.keyboard.press('c')
      await expect(page.getByTestId('compare-numbers')).toBeVisible()
    }
  },
  tab('stack', 'services'),
  tab('log', 'log-lines'),
  tab('recipe', 'panel-recipe'),
  tab('preflight', 'panel-preflight'),
  tab('notes', 'panel-notes'),
  {
    name: 'stop-dialog',
    async go(page) {
      await openRun(page, 'stack')
      await page.getByTestId('stop').click()
      await expect(page.getByTestId('stop-dialog')).toBeVisible()
    }
  },
  {
    name: 'palette',
    async go(page) {
      await page.getByTestId('open-palette').click()
      await expect(page.getByTestId('palette')).toBeVisible()
    }
  },
  {
    name: 'cheat-sheet',
    async go(page) {
      await page.getByTestId('rail-help').click()
      await expect(page.getByTestId('cheat-sheet')).toBeVisible()
    }
  },
  settings('targets'),
  settings('alerts'),
  settings('appearance'),
  settings('keyboard'),
  settings('experimental'),
  settings('about')
]

/** Until nothing is being fetched, fonts are there and the frame with it all is drawn. */
async function settled(page: Page): Promise<void> {
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
  await page.evaluate(async () => {
    await document.fonts.ready
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
  })
}

async function faults(page: Page, language: Language): Promise<string[]> {
  return [
    ...(await cutTexts(page)),
    ...(await bareKeys(page)),
    ...(language === 'zh' ? await englishLeft(page) : [])
  ]
}

interface Round {
  theme: 'dark' | 'light'
  language: Language
  size: { width: number; height: number }
}

const SHORT: readonly Round[] = [
  { theme: 'dark', language: 'en', size: SMALL },
  { theme: 'light', language: 'zh', size: SMALL },
  { theme: 'dark', language: 'zh', size: LARGE }
]

/** Every look. Only where somebody asked for the pictures, since it takes some minutes. */
const FULL: readonly Round[] = [SMALL, LARGE].flatMap((size) =>
  (['en', 'zh'] as const).flatMap((language) =>
    (['dark', 'light'] as const).map((theme) => ({ theme, language, size }))
  )
)

async function walk(slipway: Slipway, round: Round, shots: string): Promise<string[]> {
  const { page } = slipway
  const { theme, language, size } = round
  await resize(slipway, size.width, size.height)
  await chooseLook(page, { theme, language })
  const found: string[] = []
  for (const stop of stops) {
    await stop.go(page)
    await settled(page)
    found.push(...(await faults(page, language)).map((fault) => `${stop.name}: ${fault}`))
    await page.screenshot({
      path: join(shots, `${stop.name}-${theme}-${language}-${size.width}.png`)
    })
    await page.keyboard.press('Escape')
  }
  return found
}

test('the first page shows its text whole and translated, before any run', async ({
  place,
  open
}) => {
  const shots = process.env['SLIPWAY_SHOTS'] ?? join(place.home, '..', 'shots')
  mkdirSync(shots, { recursive: true })
  const slipway = await open()
  const { page } = slipway
  for (const { theme, language, size } of FULL) {
    await resize(slipway, size.width, size.height)
    await chooseLook(page, { theme, language })
    await page.getByTestId('rail-runs').click()
    await expect(page.getByTestId('what-you-will-see').locator('svg')).toBeVisible()
    await settled(page)
    expect.soft(await faults(page, language), `${language}, ${size.width}`).toEqual([])
    await page.screenshot({ path: join(shots, `first-${theme}-${language}-${size.width}.png`) })
  }
  expect(slipway.complaints).toEqual([])
})

/** `SLIPWAY_SHOTS` names a folder for pictures of every look; without it two looks are walked and nothing stays. */
test('every page shows its text whole and translated', async ({ place, open }) => {
  const asked = process.env['SLIPWAY_SHOTS']
  const rounds = asked === undefined ? SHORT : FULL
  test.setTimeout(60_000 + rounds.length * 240_000)
  const shots = asked ?? join(place.home, '..', 'shots')
  mkdirSync(shots, { recursive: true })
  await launchPractice(place, 3, 'practice-sao')
  const slipway = await open()
  const { page } = slipway
  await resize(slipway, SMALL.width, SMALL.height)
  await openRun(page, 'curves')
  await releasesReach(page, 8)
  const said = await saysItselfWhole(page)
  expect(said?.title).toBe(said?.text)
  for (const round of rounds)
    await test.step(`${round.theme}, ${round.language}, ${round.size.width} pixels wide`, async () => {
      expect.soft(await walk(slipway, round, shots)).toEqual([])
    })
  expect(slipway.complaints).toEqual([])
})
