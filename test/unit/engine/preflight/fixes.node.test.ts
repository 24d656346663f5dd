import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { checkLines, preflightExit } from '../../../../src-main/cli/preflight'
import { applyFix, type FixSurroundings } from '../../../../src-main/engine/preflight/fixes'
import { findingChecks } from '../../../../src-main/engine/preflight/recipe-findings'
import { checkRecipe, RecipeLibrary } from '../../../../src-main/engine/recipes'

const BROKEN = `schema-version: 3
reef: { host: 127.0.0.1, port: 8900 }
training: { backend: practice }
`

let home = ''
let surroundings: FixSurroundings

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'slipway-fixes-'))
  for (const folder of ['templates', 'own']) {
    await mkdir(join(home, folder))
    await writeFile(join(home, folder, 'a.yaml'), BROKEN)
  }
  const library = new RecipeLibrary({
    templates: join(home, 'templates'),
    own: join(home, 'own'),
    recentFile: join(home, 'recent.json')
  })
  const check = async (path: string) => checkRecipe({ path, text: await readFile(path, 'utf8') })
  surroundings = { library, check }
})
afterEach(async () => {
  await rm(home, { recursive: true, force: true })
})

function request(recipe: string) {
  return { recipe, target: 'local', tags: [], overrides: [], companions: [] }
}

async function versionFix(recipe: string) {
  const check = await surroundings.check(recipe)
  const spec = findingChecks(check).find((one) => one.id.startsWith('recipe/v2/version'))
  const outcome = await spec?.run(null, new AbortController().signal)
  if (outcome?.fix === undefined) throw new Error('no fix was offered')
  return outcome.fix
}

describe('applyFix', () => {
  it('mends a recipe of the person’s own in its file', async () => {
    const recipe = join(home, 'own', 'a.yaml')
    const after = await applyFix(request(recipe), await versionFix(recipe), surroundings)
    expect(after.recipe).toBe(recipe)
    expect(await readFile(recipe, 'utf8')).toBe(BROKEN.replace('3', '2'))
  })

  it('never changes a shipped recipe: mends a copy, each time another one', async () => {
    const recipe = join(home, 'templates', 'a.yaml')
    const fix = await versionFix(recipe)
    const first = await applyFix(request(recipe), fix, surroundings)
    const second = await applyFix(request(recipe), fix, surroundings)
    expect(await readFile(recipe, 'utf8')).toBe(BROKEN)
    expect(first.recipe).not.toBe(second.recipe)
    for (const { recipe: copy } of [first, second])
      expect(await readFile(copy, 'utf8')).toBe(BROKEN.replace('3', '2'))
  })

  it('refuses an edit that does not apply any more', async () => {
    const recipe = join(home, 'own', 'a.yaml')
    const fix = await versionFix(recipe)
    await writeFile(recipe, BROKEN.replace('3', '2'))
    await expect(applyFix(request(recipe), fix, surroundings)).rejects.toMatchObject({
      failure: { code: 'fix-gone' }
    })
  })

  it('replaces an override of the same field and keeps the others', async () => {
    const title = { en: '', zh: '' }
    const before = {
      ...request('/r.yaml'),
      overrides: [
        { path: 'reef.port', value: '1' },
        { path: 'x', value: '2' }
      ]
    }
    const fix = { kind: 'override' as const, title, path: 'reef.port', value: '9' }
    expect((await applyFix(before, fix, surroundings)).overrides).toEqual([
      { path: 'x', value: '2' },
      { path: 'reef.port', value: '9' }
    ])
  })

  it('makes a folder', async () => {
    const path = join(home, 'deep', 'models')
    const fix = { kind: 'make-folder' as const, title: { en: '', zh: '' }, path }
    await applyFix(request('/r.yaml'), fix, surroundings)
    expect((await stat(path)).isDirectory()).toBe(true)
  })
})

describe('slipway preflight', () => {
  it('exits 1 with a fail, 3 with a warning when strict, else 0', () => {
    expect(preflightExit('fail', false)).toBe(1)
    expect(preflightExit('warn', true)).toBe(3)
    expect(preflightExit('warn', false)).toBe(0)
    expect(preflightExit('unknown', true)).toBe(0)
  })

  it('says what to do about a fail, and one line about what is fine', () => {
    const io = { out: () => {}, err: () => {}, exit: () => {}, language: 'zh' as const }
    const base = { id: 'a/b', group: 'disk' as const, judgement: false, took: 1 }
    const text = (zh: string) => ({ en: '', zh })
    const fine = { ...base, title: text('题'), verdict: 'pass' as const, evidence: text('好') }
    expect(checkLines(fine, io)).toEqual(['正常  题 [a/b]: 好'])
    const bad = { ...fine, verdict: 'fail' as const, remedy: text('做'), command: 'ls' }
    expect(checkLines(bad, io)).toEqual(['须解决  题 [a/b]', '    好', '    做', '    $ ls'])
  })
})
