import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, type Page } from '@playwright/test'
import { beginStory, chooseLook, shoot, type Story } from './support/story'
import { test } from './support/test'

const COPY = 'my-sao'
const SLOW = { timeout: 30_000 }

async function openTemplate(page: Page): Promise<void> {
  await page.getByTestId('rail-recipes').click()
  await page.getByTestId('recipe-row-sao.yaml').dblclick()
  await expect(page.getByTestId('recipe-header')).toContainText('sao.yaml')
  await expect(page.locator('.monaco-editor .view-lines')).toContainText('schema-version', SLOW)
  await expect(page.getByTestId('recipe-facts')).toContainText('SAO')
}

async function duplicate(page: Page): Promise<void> {
  await page.getByTestId('recipe-duplicate').click()
  await page.getByTestId('duplicate-name').fill(COPY)
  await page.getByTestId('duplicate-create').click()
  await expect(page.getByTestId('recipe-name')).toHaveText(`${COPY}.yaml`)
  await expect(page.getByTestId('recipe-problems')).toContainText('checked in', SLOW)
}

/** Puts the cursor behind the first place where `text` stands, as a person does with Ctrl+F. */
async function findInText(page: Page, text: string): Promise<void> {
  await page.locator('.monaco-editor .view-lines').first().click()
  await page.keyboard.press('Control+Home')
  await page.keyboard.press('Control+F')
  await page.keyboard.press('Control+A')
  await page.keyboard.type(text)
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
}

async function breakIt(page: Page): Promise<void> {
  await findInText(page, 'global_batch_size: 128')
  await page.keyboard.press('End')
  await page.keyboard.press('Backspace')
  await expect(page.getByTestId('recipe-unsaved')).toBeVisible()
  await expect(page.locator('.monaco-editor .squiggly-warning').first()).toBeVisible(SLOW)
  await expect(page.getByTestId('recipe-problems')).toContainText('batch/agreement')
}

/** The lightbulb's list, at the first place that disagrees: the recipe's own batch follows the new number. */
async function mendIt(page: Page): Promise<void> {
  await page.getByTestId('problem-batch-agreement').first().getByRole('button').first().click()
  await page.keyboard.press('Control+.')
  const menu = page.locator('.action-widget')
  await expect(menu).toContainText('Set to 12', SLOW)
  await page.keyboard.press('Enter')
  await expect(page.getByTestId('recipe-problems')).not.toContainText('batch/agreement', SLOW)
  await expect(page.locator('.monaco-editor .squiggly-warning')).toHaveCount(0)
}

/** Typing a part of a flag offers it; taking it writes the whole. */
async function completes(page: Page): Promise<void> {
  await findInText(page, 'optimizer: adam')
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  await page.keyboard.type('reward-k')
  const list = page.locator('.suggest-widget.visible')
  await expect(list.locator('.monaco-list-row').first()).toContainText('reward-key', SLOW)
  // The names must be seen, not only be there.
  await expect(list.getByText('reward-key', { exact: true }).first()).toBeInViewport()
}

async function takesCompletion(page: Page): Promise<void> {
  await page.keyboard.press('Enter')
  await expect(page.locator('.suggest-widget.visible')).toHaveCount(0)
  await expect(page.locator('.monaco-editor .view-lines')).toContainText('reward-key:')
  await undoAll(page)
}

/** Pointing at a field says what it is. The pointer is moved until the card is there: one that stands still asks once. */
async function hovers(page: Page): Promise<void> {
  await findInText(page, 'max-staleness: 18')
  const field = page.locator('.monaco-editor .view-line', { hasText: 'max-staleness' })
  const card = page.locator('.monaco-hover:not(.hidden)').filter({ hasText: 'max-staleness' })
  let by = 0
  await expect
    .poll(async () => {
      by = (by + 1) % 5
      await field.hover({ position: { x: 64 + by, y: 10 } })
      return card.first().isVisible()
    }, SLOW)
    .toBe(true)
}

async function goesToField(page: Page): Promise<void> {
  await page.mouse.move(4, 400)
  await page.keyboard.press('Control+Shift+O')
  const list = page.locator('.quick-input-widget')
  await expect(list).toContainText('max-staleness', SLOW)
  await page.keyboard.type('critic-lr')
  await expect(list.locator('.monaco-list-row').first()).toContainText('critic-lr')
  await page.keyboard.press('Enter')
  await expect(list).toBeHidden()
  await expect(page.getByTestId('recipe-problems')).toContainText(/Ln [6-9]\d,/, SLOW)
}

/** The place is part of the window's address: after a reload one stands at the same recipe, and the palette leads to any. */
async function comesBack(page: Page): Promise<void> {
  await page.reload()
  await expect(page.getByTestId('recipe-name')).toHaveText(`${COPY}.yaml`, SLOW)
  await expect(page).toHaveTitle(new RegExp(`^${COPY}\\.yaml · `))
  await page.getByTestId('open-palette').click()
  await page.getByTestId('palette-input').fill('tttd')
  await page.getByTestId('palette').getByText('tinker-tttd.yaml').click()
  await expect(page.getByTestId('recipe-name')).toHaveText('tinker-tttd.yaml', SLOW)
  await page.keyboard.press('Alt+ArrowLeft')
  await expect(page.getByTestId('recipe-name')).toHaveText(`${COPY}.yaml`, SLOW)
  await expect(page.locator('.monaco-editor .view-lines')).toContainText('schema-version', SLOW)
}

async function undoAll(page: Page): Promise<void> {
  await expect
    .poll(async () => {
      await page.keyboard.press('Control+Z')
      return page.getByTestId('recipe-unsaved').count()
    }, SLOW)
    .toBe(0)
}

/** What the stack refuses keeps Launch off, with the reason, until it is undone. */
async function launchIsOffWithErrors(page: Page): Promise<void> {
  await findInText(page, 'schema-version: 2')
  await page.keyboard.press('End')
  await page.keyboard.type('\nno-such-section: {')
  await expect(page.locator('.monaco-editor .squiggly-error').first()).toBeVisible(SLOW)
  await expect(page.getByTestId('recipe-launch')).toHaveAttribute('aria-disabled', 'true')
  await undoAll(page)
  await expect(page.getByTestId('recipe-problems')).toContainText('0 errors', SLOW)
}

async function otherLooks(story: Story): Promise<void> {
  const { page } = story.slipway
  await chooseLook(page, { theme: 'dark', language: 'zh' })
  await page.getByTestId('rail-recipes').click()
  await expect(page.locator('.monaco-editor .view-lines')).toContainText('schema-version', SLOW)
  // Some of the editor's words are read while it loads.
  await page.reload()
  await page.locator('.monaco-editor .view-lines').first().click()
  await page.keyboard.press('Control+F')
  await expect(page.locator('.find-widget textarea').first()).toHaveAttribute('placeholder', '查找')
  await page.keyboard.press('Escape')
  await page.getByTestId('recipe-view-values').click()
  await shoot(story, 'recipes-07-values-dark-zh')
  await page.getByTestId('recipe-change').click()
  await page.getByTestId('menu-scale').click()
  await page.getByTestId('scale-size').fill('128')
  await expect(page.getByTestId('recipe-diff')).toContainText('128', SLOW)
  await shoot(story, 'recipes-08-scale-dark-zh')
  await page.getByTestId('review-cancel').click()
  await page.getByTestId('recipe-compare').click()
  await page.getByTestId('compare-with-sao.yaml').click()
  await expect(page.getByTestId('recipe-differences')).toContainText('batch-size', SLOW)
  await shoot(story, 'recipes-09-compare-dark-zh')
  await page.keyboard.press('Escape')
  await chooseLook(page, { language: 'en' })
  await page.getByTestId('rail-recipes').click()
  await page.getByTestId('recipe-new').click()
  await expect(page.getByTestId('proposal-sao.yaml')).toBeVisible(SLOW)
  await shoot(story, 'recipes-10-new-dark-en')
  await page.keyboard.press('Escape')
}

async function openMine(page: Page): Promise<void> {
  await page.getByTestId('rail-recipes').click()
  await page.getByTestId('recipe-row-mine.yaml').dblclick()
  await expect(page.locator('.monaco-editor .view-lines')).toContainText('schema-version', SLOW)
}

async function typeAtTop(page: Page, text: string): Promise<void> {
  await page.locator('.monaco-editor .view-lines').first().click()
  await page.keyboard.press('Control+Home')
  await page.keyboard.type(`${text}\n`)
  await expect(page.getByTestId('recipe-unsaved')).toBeVisible()
}

/** The system's own dialog would wait for a person: it answers with `path` at once. */
async function pickNext(story: Story, path: string): Promise<void> {
  await story.slipway.app.evaluate(({ dialog }, picked) => {
    dialog.showOpenDialog = () => Promise.resolve({ canceled: false, filePaths: [picked] })
  }, path)
}

/** A folder of recipes comes in beside one's own; what is no recipe stays where it is, and is named. */
async function importsFolder(story: Story, home: string): Promise<void> {
  const { page } = story.slipway
  const folder = mkdtempSync(join(tmpdir(), 'slipway-import-'))
  mkdirSync(join(folder, 'lab'))
  writeFileSync(join(folder, 'lab', 'tiny.yaml'), readFileSync('recipes/practice-sao.yaml'))
  writeFileSync(join(folder, 'notes.txt'), 'no recipe')
  await pickNext(story, folder)
  await page.getByTestId('recipe-import-folder').click()
  const result = page.getByTestId('recipe-import-result')
  await expect(result).toContainText('tiny.yaml')
  await expect(page.getByTestId('recipe-row-tiny.yaml')).toBeVisible()
  await shoot(story, 'recipes-00-import')
  await result.getByRole('button').click()
  await expect(result).toHaveCount(0)
  const copies = readdirSync(join(home, 'recipes'), { recursive: true }).map(String)
  expect(copies.filter((name) => name.endsWith('tiny.yaml'))).toHaveLength(1)
  rmSync(folder, { recursive: true })
}

test('a template is opened, duplicated, broken, mended by a quick fix, saved and launched', async ({
  place,
  open
}) => {
  // The template names a token; the engine takes the environment of this test.
  process.env['REEF_TOKEN'] ??= 'a-token-for-this-test'
  const shots = process.env['SLIPWAY_SHOTS'] ?? mkdtempSync(join(tmpdir(), 'slipway-shots-'))
  const story: Story = await beginStory(open, shots)
  const file = join(place.home, 'recipes', `${COPY}.yaml`)
  const { page } = story.slipway
  await page.getByTestId('rail-recipes').click()
  await expect(page.getByTestId('recipes-table')).toBeVisible()
  await shoot(story, 'recipes-01-list')
  await importsFolder(story, place.home)
  await openTemplate(page)
  await shoot(story, 'recipes-02-template')
  await duplicate(page)
  await shoot(story, 'recipes-03-copy')
  await launchIsOffWithErrors(page)
  await completes(page)
  await shoot(story, 'recipes-11-completion')
  await takesCompletion(page)
  await hovers(page)
  await shoot(story, 'recipes-12-hover')
  await goesToField(page)
  await comesBack(page)
  await breakIt(page)
  await shoot(story, 'recipes-04-broken')
  await mendIt(page)
  await shoot(story, 'recipes-05-mended')
  await page.keyboard.press('Control+S')
  await expect(page.getByTestId('recipe-unsaved')).toHaveCount(0)
  await expect.poll(() => /batch-size: 12$/m.test(readFileSync(file, 'utf8'))).toBe(true)
  await otherLooks(story)
  await page.getByTestId('recipe-launch').click()
  await expect(page.getByTestId('launch-page')).toBeVisible()
  await expect(page.getByTestId('plan')).toBeVisible()
  await shoot(story, 'recipes-06-launch')
  expect(story.slipway.complaints).toEqual([])
})

test('edits elsewhere are noticed, and unsaved ones survive a crash', async ({ place, open }) => {
  const file = join(place.home, 'recipes', 'mine.yaml')
  mkdirSync(join(place.home, 'recipes'), { recursive: true })
  const text = readFileSync('recipes/practice-sao.yaml', 'utf8')
  writeFileSync(file, text)
  const story = await beginStory(open, mkdtempSync(join(tmpdir(), 'slipway-shots-')))
  const { page } = story.slipway
  await openMine(page)
  writeFileSync(file, `# from elsewhere\n${text}`)
  await expect(page.locator('.monaco-editor .view-lines')).toContainText('from elsewhere', SLOW)
  await typeAtTop(page, '# mine')
  writeFileSync(file, `# a third hand\n${text}`)
  await expect(page.getByTestId('recipe-changed')).toBeVisible(SLOW)
  await page.keyboard.press('Control+S')
  await expect(page.getByTestId('inline-error')).toBeVisible(SLOW)
  expect(readFileSync(file, 'utf8')).toContain('a third hand')
  await page.getByTestId('keep-mine').click()
  await expect(page.getByTestId('recipe-changed')).toHaveCount(0)
  await expect(page.getByTestId('inline-error')).toHaveCount(0)
  await expect.poll(() => readdirSync(join(place.home, 'recipe-drafts')).length, SLOW).toBe(1)
  const gone = story.slipway.app.waitForEvent('close')
  story.slipway.app.process().kill('SIGKILL')
  await gone
  story.slipway = await open()
  await openMine(story.slipway.page)
  await story.slipway.page.getByTestId('draft-restore').click()
  await expect(story.slipway.page.locator('.monaco-editor .view-lines')).toContainText('# mine')
  await expect(story.slipway.page.getByTestId('recipe-unsaved')).toBeVisible()
})
