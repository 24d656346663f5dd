import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { preflightExit } from '../../../../src-main/cli/preflight'
import { checkLines, reportLines } from '../../../../src-main/cli/preflight-report'
import type { Check } from '../../../../src-main/contract/preflight'
import { applyFix, type FixSurroundings } from '../../../../src-main/engine/preflight/fixes'
import { ownLeftoverOutcome } from '../../../../src-main/engine/preflight/leftovers'
import { findingChecks } from '../../../../src-main/engine/preflight/recipe-findings'
import { refusal } from '../../../../src-main/engine/router/preflight-handlers'
import { systemClock } from '../../../../src-main/engine/lib'
import { localFiles } from '../../../../src-main/engine/targets'
import { checkRecipe, RecipeLibrary } from '../../../../src-main/engine/recipes'

const BROKEN = `schema-version: 3
reef: { host: 127.0.0.1, port: 8900 }
training: { backend: practice }
`

let home = ''
const removed: string[] = []
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
  const found = [{ id: 'c1', name: 'slipway-a-1' }]
  const remove = (id: string): Promise<void> => Promise.resolve(void removed.push(id))
  removed.length = 0
  surroundings = {
    library,
    check,
    files: localFiles(systemClock),
    leftovers: () => Promise.resolve({ found, remove }),
    copyStart: () => Promise.resolve(null)
  }
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

describe('our own leftovers', () => {
  const fix = (what: string) => ({
    kind: 'remove-leftover' as const,
    title: { en: '', zh: '' },
    what
  })

  it('are removed when they still are ours and dead, and nothing else is', async () => {
    await applyFix(request('/r.yaml'), fix('c1,stranger'), surroundings)
    expect(removed).toEqual(['c1'])
  })

  it('are not removed twice', async () => {
    await expect(applyFix(request('/r.yaml'), fix('c0'), surroundings)).rejects.toMatchObject({
      failure: { code: 'fix-gone' }
    })
    expect(removed).toEqual([])
  })

  it('offer exactly what the fix takes', () => {
    const found = [
      { id: 'c1', name: 'slipway-a-1' },
      { id: 'c2', name: 'slipway-b-1' }
    ]
    expect(ownLeftoverOutcome(found)).toMatchObject({
      verdict: 'warn',
      fix: { kind: 'remove-leftover', what: 'c1,c2' }
    })
    expect(ownLeftoverOutcome([]).verdict).toBe('pass')
  })
})

describe('a refusal', () => {
  const text = (en: string) => ({ en, zh: en })
  const check = (title: string, judgement: boolean): Check => ({
    id: title,
    group: 'disk',
    title: text(title),
    verdict: 'fail',
    took: 1,
    evidence: text(`${title} is wrong`),
    remedy: text(`mend ${title}`),
    judgement
  })

  it('is said in the words of the checks, with how to go on all the same only for judgements', () => {
    const { what, remedy } = refusal([check('a', true), check('b', false)])
    expect(what.en).toBe(
      'Preflight found 2 reasons not to start.\na: a is wrong\n  → mend a\nb: b is wrong\n  → mend b'
    )
    expect(remedy).toBeUndefined()
    const told = refusal([{ ...check('c', true), command: 'ulimit -n 9' }])
    expect(told.what.zh).toContain('\n  → mend c\n  $ ulimit -n 9')
    expect(refusal([check('a', true)]).remedy?.en).toContain('say why')
  })
})

describe('slipway preflight', () => {
  it('groups by what to do next and prints the total', () => {
    const io = { out: () => {}, err: () => {}, exit: () => {}, language: 'en' as const }
    const text = (en: string) => ({ en, zh: en })
    const one = (id: string, verdict: Check['verdict'], judgement = false): Check => ({
      id,
      group: 'disk',
      title: text(id),
      verdict,
      evidence: text('seen'),
      judgement,
      took: 1
    })
    const checks = [one('a', 'fail', true), one('b', 'fail'), one('c', 'warn'), one('d', 'pass')]
    const lines = reportLines({ checks, running: [], verdict: 'fail', took: 1234 }, io)
    expect(lines.filter((line) => /\(\d\)$/.test(line))).toEqual([
      'Change first: the stack would refuse (1)',
      'Change, or say why it may stay (launch --because) (1)',
      'Worth knowing (1)',
      'Fine (1)'
    ])
    expect(lines.indexOf('FIX  b [b]')).toBeLessThan(lines.indexOf('FIX  a [a]'))
    expect(lines.at(-1)).toBe('2 to fix, 1 worth knowing, 0 unknown, 1 fine; 1.2 s')
  })

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
