import { mkdir, readdir, readFile, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import type { RecipeEntry, RecipeImport } from '../../contract/recipes'
import type { Text } from '../../contract/text'
import { errorCode, fail, FailureError, writeFileAtomic } from '../lib'
import { checkRecipe } from './check'
import { recipeName } from './facts'
import { familyById } from './families'
import { importRecipes } from './import-recipes'
import { readModules, readSiblings } from './inputs'
import { readRecipeText } from './read-recipe'

export interface LibraryFolders {
  /** Templates shipped with the app; never written. */
  templates: string
  /** The person's own recipes. */
  own: string
  /** JSON list of recently opened files. */
  recentFile: string
}

export interface RecipeFile {
  path: string
  text: string
  /** Unix milliseconds; hand it back to `save`. */
  modified: number
  readOnly: boolean
}

const MOST_RECENT = 20

/** Recipe files on this machine: templates, the person's own, recently opened ones. */
export class RecipeLibrary {
  constructor(private readonly folders: LibraryFolders) {}

  /** Templates first, then own, then recent ones from elsewhere that still exist. */
  async list(): Promise<RecipeEntry[]> {
    const templates = await listTemplates(this.folders.templates)
    const own = await entriesIn(this.folders.own, 'own')
    const known = new Set([...templates, ...own].map((entry) => entry.path))
    const recent: RecipeEntry[] = []
    for (const path of await this.recent()) {
      if (known.has(path)) continue
      const entry = await entryOfFile(path, 'recent')
      if (entry !== null) recent.push(entry)
    }
    return [...templates, ...own, ...recent]
  }

  async read(path: string): Promise<RecipeFile> {
    const file = resolve(path)
    const { text, modified } = await readRecipeText(file)
    return { path: file, text, modified, readOnly: this.isTemplate(file) }
  }

  /** Writes, unless the file changed since `modified` (null: it must not exist yet). Throws FailureError then. */
  async save(request: {
    path: string
    text: string
    modified: number | null
  }): Promise<{ path: string; modified: number }> {
    const file = resolve(request.path)
    if (this.isTemplate(file)) {
      fail({
        code: 'template-is-read-only',
        what: { en: 'a template cannot be changed', zh: '模板不能修改' },
        where: file,
        remedy: { en: 'Duplicate it and change the copy.', zh: '请复制后修改副本。' }
      })
    }
    const before = await stat(file).catch(noFile)
    refuseConflict(file, before?.mtimeMs ?? null, request.modified)
    await mkdir(dirname(file), { recursive: true })
    // Through a link, the file it names is replaced and the link stays.
    const target = before === null ? file : await realpath(file)
    await writeFileAtomic(target, request.text, before === null ? 0o644 : before.mode & 0o777)
    return { path: file, modified: (await stat(file)).mtimeMs }
  }

  /** A copy of a recipe under a new name in the person's folder; files it is composed from come along. */
  async create(request: { from: string; name: string }): Promise<{ path: string }> {
    const source = await this.read(request.from)
    const slug = slugOf(request.name)
    const parts = await this.partsOf(source)
    const folder = parts.size === 0 ? this.folders.own : join(this.folders.own, slug)
    const path = join(folder, `${slug}.yaml`)
    await this.save({ path, text: source.text, modified: null })
    for (const [file, text] of parts)
      await this.save({ path: join(folder, file), text, modified: null })
    return { path }
  }

  /** Copies a recipe or a folder of recipes into the person's folder; what exists already is left as it is. */
  async import(from: string): Promise<RecipeImport> {
    return importRecipes(from, this.folders.own, async (file, text) => {
      const before = await readFile(file, 'utf8').catch(noFile)
      if (before !== null) return before === text ? 'same' : 'conflict'
      await this.save({ path: file, text, modified: null })
      return 'copied'
    })
  }

  /** Files a recipe is nothing without, by their path beside it: what it is composed from, its own Python files. */
  private async partsOf({ path, text }: RecipeFile): Promise<Map<string, string>> {
    const siblings = /^defaults:/m.test(text) ? await readSiblings(path) : {}
    const parts = new Map<string, string>()
    for (const [file, content] of Object.entries(siblings))
      if (namedInDefaults(text, file)) parts.set(file, content)
    for (const [file, content] of Object.entries(
      await readModules(path, [text, ...parts.values()])
    ))
      if (content !== null && !file.split('/').includes('..')) parts.set(file, content)
    return parts
  }

  /** When the file was last changed on disk, Unix milliseconds; null when it is not there. */
  async modified(path: string): Promise<number | null> {
    const facts = await stat(resolve(path)).catch(noFile)
    return facts?.mtimeMs ?? null
  }

  /** Remembers a file as recently opened. */
  async opened(path: string): Promise<void> {
    const file = resolve(path)
    const paths = [file, ...(await this.recent()).filter((one) => one !== file)].slice(
      0,
      MOST_RECENT
    )
    await mkdir(dirname(this.folders.recentFile), { recursive: true })
    await writeFileAtomic(this.folders.recentFile, `${JSON.stringify(paths, null, 2)}\n`)
  }

  private async recent(): Promise<string[]> {
    const text = await readFile(this.folders.recentFile, 'utf8').catch(noFile)
    if (text === null) return []
    try {
      const parsed: unknown = JSON.parse(text)
      return Array.isArray(parsed) ? parsed.filter((one) => typeof one === 'string') : []
    } catch {
      // A damaged list costs its convenience only; the next opened file writes it anew.
      return []
    }
  }

  private isTemplate(file: string): boolean {
    return file.startsWith(resolve(this.folders.templates) + sep)
  }
}

/** The recipes shipped with the app, sorted by file name; folders hold composed (NexRL) ones. */
export async function listTemplates(folder: string): Promise<RecipeEntry[]> {
  return entriesIn(folder, 'template')
}

async function entriesIn(
  folder: string,
  kind: RecipeEntry['kind'],
  depth = 0
): Promise<RecipeEntry[]> {
  const items = await readdir(folder, { withFileTypes: true }).catch(noFile)
  const found: RecipeEntry[] = []
  for (const item of (items ?? []).sort((a, b) => a.name.localeCompare(b.name))) {
    const path = join(folder, item.name)
    if (item.isDirectory() && depth < 2) found.push(...(await entriesIn(path, kind, depth + 1)))
    // A shared base of composed recipes cannot be launched and is not offered.
    else if (/\.ya?ml$/i.test(item.name) && !/^common\.ya?ml$/i.test(item.name)) {
      const entry = await entryOfFile(path, kind)
      if (entry !== null) found.push(entry)
    }
  }
  return found
}

async function entryOfFile(path: string, kind: RecipeEntry['kind']): Promise<RecipeEntry | null> {
  const text = await readable(path)
  if (text === null) return null
  const siblings = /^defaults:/m.test(text) ? await readSiblings(path) : {}
  const { dialect, facts } = checkRecipe({ path, text, siblings })
  const name = headerLine(text, 'name') ?? recipeName(path)
  return {
    path,
    name,
    title: { en: name, zh: titleIn(text, kind) ?? name },
    description: describe(text, facts.family),
    dialect,
    family: facts.family,
    practice: facts.practice,
    kind
  }
}

/** A file that is no recipe is left out of the list; it says why when it is opened. */
async function readable(path: string): Promise<string | null> {
  try {
    return (await readRecipeText(path)).text
  } catch (thrown) {
    if (thrown instanceof FailureError) return null
    throw thrown
  }
}

/** Header comments `# en: …` and `# zh: …` describe a recipe; else its first comment, else its family. */
function describe(text: string, family: string | null): Text {
  const en = headerLine(text, 'en')
  const zh = headerLine(text, 'zh')
  if (en !== null) return { en, zh: zh ?? en }
  const first = /^#\s*(\S.*)$/m.exec(text.slice(0, 400))?.[1]
  if (first !== undefined && text.startsWith('#')) return { en: first, zh: first }
  const known = family === null ? undefined : familyById(family)
  return known?.signal ?? { en: '', zh: '' }
}

/**
 * Header comment `# name zh: …`, of templates alone: who copies one and names the copy would go on to read the old name.
 */
function titleIn(text: string, kind: RecipeEntry['kind']): string | null {
  return kind === 'template' ? headerLine(text, 'name zh') : null
}

function headerLine(text: string, key: string): string | null {
  return new RegExp(`^# ${key}: (.+)$`, 'm').exec(text.slice(0, 2_000))?.[1]?.trim() ?? null
}

function namedInDefaults(text: string, file: string): boolean {
  const stem = basename(file).replace(/\.ya?ml$/i, '')
  const block = /^defaults:\s*\n((?:[ \t]*-.*\n?)*)/m.exec(text)?.[1] ?? ''
  return block.split('\n').some((line) => line.replace(/^\s*-\s*/, '').trim() === stem)
}

function slugOf(name: string): string {
  const slug = name
    .trim()
    .replace(/\.ya?ml$/i, '')
    .replace(/[^\p{L}\p{N}._-]+/gu, '-')
    .replace(/^[-.]+|[-.]+$/g, '')
  if (slug !== '') return slug
  return fail({
    code: 'bad-name',
    what: { en: 'a recipe needs a name with letters or digits', zh: 'recipe 名称须包含文字或数字' },
    where: name
  })
}

function refuseConflict(file: string, actual: number | null, expected: number | null): void {
  if (actual === expected) return
  if (expected === null) {
    fail({
      code: 'already-exists',
      what: { en: 'a file of this name exists already', zh: '同名文件已存在' },
      where: file,
      remedy: { en: 'Choose another name.', zh: '请换一个名称。' }
    })
  }
  fail({
    code: 'changed-on-disk',
    what:
      actual === null
        ? { en: 'the file was removed meanwhile', zh: '文件已被删除' }
        : { en: 'the file was changed by someone else meanwhile', zh: '文件已被其他程序修改' },
    where: file,
    remedy: {
      en: 'Compare with the file on disk, then save again or under another name.',
      zh: '请与磁盘上的文件比较，再重新保存或另存为其他名称。'
    }
  })
}

function noFile(thrown: unknown): null {
  const code = errorCode(thrown)
  if (code === 'ENOENT' || code === 'ENOTDIR') return null
  throw thrown
}
