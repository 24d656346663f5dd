import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'
import type { RecipeImport } from '../../contract/recipes'
import { fail, FailureError } from '../lib'
import { checkRecipe } from './check'
import { readModules, readSiblings } from './inputs'
import { readRecipeText } from './read-recipe'

/** Deeper or larger folders are no collection of recipes, but somebody's disk. */
const DEEPEST = 4
const MOST_FILES = 500

/** Writes one file, unless one of this name exists: then it says whether its content is the same. */
export type PlaceFile = (file: string, text: string) => Promise<'copied' | 'same' | 'conflict'>

/**
 * Copies a recipe, or a folder of recipes with what they are made of, into `target`. Nothing is written over; every file
 * looked at is named in the answer.
 * @throws FailureError `recipe-not-found`, `recipe-unreadable`, `too-many-files`
 */
export async function importRecipes(
  from: string,
  target: string,
  place: PlaceFile
): Promise<RecipeImport> {
  const source = resolve(from)
  const folder = (await isFolder(source)) ? source : dirname(source)
  const files = folder === source ? await filesBelow(source) : [source]
  const wanted = new Map<string, string>()
  const skipped = new Set<string>()
  for (const file of files) {
    const parts = /\.ya?ml$/i.test(file) ? await recipeParts(file, folder) : null
    if (parts === null && folder !== source) {
      fail({
        code: 'recipe-unreadable',
        what: { en: 'This file is no recipe.', zh: '该文件不是 recipe。' },
        where: source,
        remedy: { en: 'Choose a YAML file or a folder.', zh: '请选择 YAML 文件或目录。' }
      })
    }
    if (parts === null) skipped.add(relative(folder, file))
    for (const [part, text] of parts ?? []) wanted.set(part, text)
  }
  const home = folder === source ? join(target, basename(source)) : target
  const result: RecipeImport = { folder: home, copied: [], same: [], conflicts: [], skipped: [] }
  for (const [part, text] of wanted) {
    const placed = await place(join(home, part), text)
    if (placed === 'copied') result.copied.push(part)
    else if (placed === 'same') result.same.push(part)
    else result.conflicts.push(part)
  }
  // A base or a Python file is no recipe by itself, and comes along with the one that names it.
  result.skipped = [...skipped].filter((file) => !wanted.has(file)).sort()
  return result
}

/** A recipe with everything it is made of, by path below `folder`; null when the file is none. */
async function recipeParts(file: string, folder: string): Promise<Map<string, string> | null> {
  const text = await readRecipeText(file).then(
    (read) => read.text,
    (thrown: unknown) => {
      if (thrown instanceof FailureError) return null
      throw thrown
    }
  )
  if (text === null || checkRecipe({ path: file, text }).dialect === 'unknown') return null
  const parts = new Map([[relative(folder, file), text]])
  const beside = (name: string): string => relative(folder, join(dirname(file), name))
  const siblings = /^defaults:/m.test(text) ? await readSiblings(file) : {}
  for (const [name, content] of Object.entries(siblings))
    if (text.includes(name.replace(/\.ya?ml$/i, ''))) parts.set(beside(name), content)
  for (const [name, content] of Object.entries(await readModules(file, [...parts.values()])))
    if (content !== null && !beside(name).startsWith('..')) parts.set(beside(name), content)
  return parts
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory()
  } catch {
    // What is not there is said by whoever reads it, with the reason.
    await readRecipeText(path)
    return false
  }
}

async function filesBelow(folder: string, depth = 0): Promise<string[]> {
  const found: string[] = []
  for (const item of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, item.name)
    if (item.name.startsWith('.')) continue
    if (item.isDirectory() && depth < DEEPEST) found.push(...(await filesBelow(path, depth + 1)))
    else if (item.isFile()) found.push(path)
    if (found.length > MOST_FILES) {
      fail({
        code: 'too-many-files',
        what: {
          en: `This folder holds more than ${MOST_FILES} files.`,
          zh: `该目录包含超过 ${MOST_FILES} 个文件。`
        },
        where: folder,
        remedy: {
          en: 'Choose the folder that holds the recipes only.',
          zh: '请选择只包含 recipe 的目录。'
        }
      })
    }
  }
  return found.sort()
}
