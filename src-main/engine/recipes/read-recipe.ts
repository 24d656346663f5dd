import { readFile, stat } from 'node:fs/promises'
import type { Stats } from 'node:fs'
import { errorCode, fail, messageOf } from '../lib'
import { LARGEST_TEXT } from './yaml-parse'

/** A recipe file as it is on disk. */
export interface RecipeText {
  text: string
  /** Unix milliseconds. */
  modified: number
}

/**
 * Reads a recipe file whole. Refuses what can be no recipe before reading it: a folder, a device, a file of more than
 * a megabyte, bytes that are no text.
 * @throws FailureError `recipe-not-found`, `recipe-unreadable`
 */
export async function readRecipeText(path: string): Promise<RecipeText> {
  const facts = await stat(path).catch((thrown: unknown) => missing(path, thrown))
  refuseKind(path, facts)
  const bytes = await readFile(path).catch((thrown: unknown) => missing(path, thrown))
  return { text: decoded(path, bytes), modified: facts.mtimeMs }
}

/** A file without a single field cannot be checked or launched, though an editor may open it. */
export function refuseEmpty(path: string, text: string): void {
  if (text.trim() !== '') return
  fail({
    code: 'recipe-unreadable',
    what: { en: 'The recipe is empty.', zh: 'recipe 是空的。' },
    where: path,
    remedy: {
      en: 'Start from a template: the app’s Recipes page or the folder "recipes" holds them.',
      zh: '请从模板开始：模板在应用的 Recipe 页面或 “recipes” 目录中。'
    }
  })
}

function refuseKind(path: string, facts: Stats): void {
  if (!facts.isFile()) {
    fail({
      code: 'recipe-unreadable',
      what: facts.isDirectory()
        ? { en: 'This is a folder, not a recipe.', zh: '这是目录，不是 recipe。' }
        : { en: 'This is no regular file.', zh: '这不是普通文件。' },
      where: path,
      remedy: { en: 'Name one YAML file.', zh: '请指定一个 YAML 文件。' }
    })
  }
  if (facts.size > LARGEST_TEXT) {
    fail({
      code: 'recipe-unreadable',
      what: {
        en: 'The file is too large to be a recipe.',
        zh: '对 recipe 而言文件过大。'
      },
      where: path,
      detail: `${facts.size} bytes; at most ${LARGEST_TEXT}`,
      remedy: {
        en: 'Name the recipe itself. Data belongs into files of its own, named in the recipe.',
        zh: '请指定 recipe 本身。数据应放在单独的文件中，并在 recipe 里引用。'
      }
    })
  }
}

function decoded(path: string, bytes: Uint8Array): string {
  const binary = bytes.includes(0)
  try {
    if (!binary) return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown
  }
  return fail({
    code: 'recipe-unreadable',
    what: { en: 'The file is not UTF-8 text.', zh: '文件不是 UTF-8 文本。' },
    where: path,
    detail: binary ? 'it holds NUL bytes' : 'it holds bytes that are not UTF-8',
    remedy: {
      en: 'Name a YAML file, or save this one as UTF-8.',
      zh: '请指定 YAML 文件，或把该文件另存为 UTF-8。'
    }
  })
}

function missing(path: string, thrown: unknown): never {
  const code = errorCode(thrown)
  const gone = code === 'ENOENT' || code === 'ENOTDIR'
  return fail(
    {
      code: gone ? 'recipe-not-found' : 'recipe-unreadable',
      what: gone
        ? { en: 'There is no such file.', zh: '没有这个文件。' }
        : { en: 'The recipe cannot be read.', zh: '无法读取 recipe。' },
      where: path,
      // “no such file” is said already; the system's own words only help where something else is wrong.
      ...(gone ? {} : { detail: messageOf(thrown) }),
      remedy: gone
        ? {
            en: 'Check the path; it counts from the current folder.',
            zh: '请检查路径；相对路径从当前目录算起。'
          }
        : { en: 'Check the permissions of the file.', zh: '请检查文件权限。' }
    },
    thrown
  )
}
