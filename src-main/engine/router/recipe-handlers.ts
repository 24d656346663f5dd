import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { checkRecipe } from '../recipes'
import { os } from './guard'
import type { Services } from './services'

export function recipeHandlers({ recipesFolder }: Services) {
  return {
    list: os.recipes.list.handler(async () => {
      const names = (await readdir(recipesFolder)).filter((name) => name.endsWith('.yaml'))
      return Promise.all(
        names.map(async (name) => {
          const path = join(recipesFolder, name)
          const { facts, dialect } = checkRecipe({ path, text: await readFile(path, 'utf8') })
          return {
            path,
            name: facts.name,
            description: facts.sentences[0] ?? { en: '', zh: '' },
            dialect,
            family: facts.family,
            practice: facts.practice,
            kind: 'template' as const
          }
        })
      )
    }),
    read: os.recipes.read.handler(async ({ input: { path } }) => ({
      path,
      text: await readFile(path, 'utf8'),
      modified: (await stat(path)).mtimeMs,
      readOnly: path.startsWith(recipesFolder)
    })),
    check: os.recipes.check.handler(async ({ input }) =>
      checkRecipe({
        ...input,
        text: input.text ?? (await readFile(input.path, 'utf8')),
        environment: process.env
      })
    )
  }
}
