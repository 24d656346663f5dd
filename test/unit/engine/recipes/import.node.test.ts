import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { RecipeLibrary } from '../../../../src-main/engine/recipes'
import { nexrlBase, saoRecipe, soundWorker } from './recipe-texts'

let home = ''
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'slipway-import-'))
})
afterEach(async () => {
  await rm(home, { recursive: true, force: true })
})

async function put(name: string, text: string): Promise<string> {
  const path = join(home, name)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
  return path
}

function library(): RecipeLibrary {
  return new RecipeLibrary({
    templates: join(home, 'templates'),
    own: join(home, 'own'),
    recentFile: join(home, 'recent.json')
  })
}

test('a folder comes with bases and Python files, and everything is accounted for', async () => {
  const { text, siblings } = nexrlBase()
  const named = text.replace(
    '  type: agent',
    '  type: agent\n  custom_rollout_worker_module_path: code/worker.py'
  )
  await put('from/math/leaf.yaml', named)
  await put('from/math/common.yaml', siblings['common.yaml'] ?? '')
  await put('from/math/code/worker.py', soundWorker)
  await put('from/sao.yaml', saoRecipe())
  await put('from/pod.yaml', 'kind: Pod\n')
  await put('from/binary.yaml', '\u0000')
  await put('from/README.md', 'hello')
  await put('from/.git/config', 'x')
  const first = await library().import(join(home, 'from'))
  expect(first).toEqual({
    folder: join(home, 'own/from'),
    copied: ['math/common.yaml', 'math/leaf.yaml', 'math/code/worker.py', 'sao.yaml'],
    same: [],
    conflicts: [],
    skipped: ['README.md', 'binary.yaml', 'pod.yaml']
  })
  expect(await readFile(join(home, 'own/from/math/code/worker.py'), 'utf8')).toBe(soundWorker)

  await writeFile(join(home, 'own/from/sao.yaml'), '# mine\n')
  const again = await library().import(join(home, 'from'))
  expect([again.copied, again.conflicts, again.same.length]).toEqual([[], ['sao.yaml'], 3])
  expect(await readFile(join(home, 'own/from/sao.yaml'), 'utf8')).toBe('# mine\n')
})

test('one file is imported by itself; what is no recipe is refused', async () => {
  const file = await put('from/sao.yaml', saoRecipe())
  expect(await library().import(file)).toMatchObject({
    folder: join(home, 'own'),
    copied: ['sao.yaml']
  })
  const refused: [path: string, code: string][] = [
    [join(home, 'from/gone.yaml'), 'recipe-not-found'],
    [await put('from/pod.yaml', 'kind: Pod\n'), 'recipe-unreadable']
  ]
  for (const [path, code] of refused)
    await expect(library().import(path)).rejects.toMatchObject({ failure: { code } })
})
