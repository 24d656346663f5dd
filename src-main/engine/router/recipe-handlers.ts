import { join } from 'node:path'
import type { CheckRequest, RecipeCheck } from '../../contract/recipes'
import type { RunService } from '../stacks'
import {
  checkRecipe,
  compareRecipes,
  completeRecipe,
  gatherInput,
  hoverRecipe,
  migrateRecipe,
  RecipeLibrary,
  type CheckInput
} from '../recipes'
import { os } from './guard'
import type { Services } from './services'

type Asked = Omit<CheckRequest, 'overrides'> & { overrides?: CheckRequest['overrides'] }

/** The library of this home: shipped templates, the person's own recipes and what was opened lately. */
export function libraryOf(home: string, templates: string): RecipeLibrary {
  return new RecipeLibrary({
    templates,
    own: join(home, 'recipes'),
    recentFile: join(home, 'recent-recipes.json')
  })
}

async function inputOf(library: RecipeLibrary, asked: Asked): Promise<CheckInput> {
  const { path, dialect, generation, overrides = [] } = asked
  const text = asked.text ?? (await library.read(path)).text
  const base: CheckInput = { path, text, dialect, generation, overrides, environment: process.env }
  // The model's name is only known once the text is read; its files say more than its name.
  return gatherInput(base, checkRecipe(base).facts.model)
}

/** Checks a recipe with everything on this machine that the checker may look at. */
export async function checkWithFiles(library: RecipeLibrary, asked: Asked): Promise<RecipeCheck> {
  return checkRecipe(await inputOf(library, asked))
}

/** A recipe to compare: a file, or the recipe a run was launched with (`run:<id>`). */
async function sideOf(library: RecipeLibrary, runs: RunService, side: string): Promise<CheckInput> {
  const run = /^run:(.+)$/.exec(side)?.[1]
  return inputOf(library, { path: run === undefined ? side : runs.paths(run).recipe })
}

export function recipeHandlers({ library, runs }: Services) {
  return {
    list: os.recipes.list.handler(() => library.list()),
    read: os.recipes.read.handler(({ input }) => library.read(input.path)),
    save: os.recipes.save.handler(({ input }) => library.save(input)),
    create: os.recipes.create.handler(({ input }) => library.create(input)),
    check: os.recipes.check.handler(({ input }) => checkWithFiles(library, input)),
    complete: os.recipes.complete.handler(({ input }) => completeRecipe(input)),
    hover: os.recipes.hover.handler(({ input }) =>
      hoverRecipe({ ...input, environment: process.env })
    ),
    migrate: os.recipes.migrate.handler(({ input }) => migrateRecipe(input)),
    compare: os.recipes.compare.handler(async ({ input }) => {
      const [a, b] = await Promise.all([
        sideOf(library, runs, input.a),
        sideOf(library, runs, input.b)
      ])
      return compareRecipes(a, b)
    })
  }
}
