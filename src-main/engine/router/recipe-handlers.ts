import { basename, join } from 'node:path'
import type {
  CheckRequest,
  ProposalRequest,
  RecipeCheck,
  RecipeProposal
} from '../../contract/recipes'
import type { RunService } from '../stacks'
import {
  checkRecipe,
  compareRecipes,
  refuseBroken,
  completeRecipe,
  gatherInput,
  hoverRecipe,
  migrateRecipe,
  newRecipeProposal,
  RecipeLibrary,
  scaleBatch,
  type CheckInput
} from '../recipes'
import { os } from './guard'
import { RecipeDrafts } from './recipe-drafts'
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
async function sideOf(
  library: RecipeLibrary,
  runs: RunService,
  side: string,
  text: string | undefined
): Promise<CheckInput> {
  const run = /^run:(.+)$/.exec(side)?.[1]
  return inputOf(library, { path: run === undefined ? side : runs.paths(run).recipe, text })
}

/** The proposals whose template is among the shipped ones, named by its path. */
async function propose(library: RecipeLibrary, asked: ProposalRequest): Promise<RecipeProposal[]> {
  const shipped = (await library.list()).filter((entry) => entry.kind === 'template')
  return newRecipeProposal(asked).flatMap((proposal) => {
    const entry = shipped.find(({ path }) => basename(path) === proposal.template)
    return entry === undefined ? [] : [{ ...proposal, from: entry.path }]
  })
}

export function recipeHandlers({ library, runs, home, clock }: Services) {
  const drafts = new RecipeDrafts(join(home, 'recipe-drafts'), clock)
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
    scale: os.recipes.scale.handler(({ input: { path, text, size } }) => {
      const scaled = scaleBatch({ path, text, environment: process.env }, size)
      return { text: scaled.text, changes: scaled.changes }
    }),
    propose: os.recipes.propose.handler(({ input }) => propose(library, input)),
    compare: os.recipes.compare.handler(async ({ input }) => {
      const [a, b] = await Promise.all([
        sideOf(library, runs, input.a, input.textA),
        sideOf(library, runs, input.b, input.textB)
      ])
      refuseBroken(a)
      refuseBroken(b)
      return compareRecipes(a, b)
    }),
    import: os.recipes.import.handler(({ input }) => library.import(input.path)),
    stat: os.recipes.stat.handler(async ({ input }) => ({
      modified: await library.modified(input.path)
    })),
    opened: os.recipes.opened.handler(async ({ input }) => {
      await library.opened(input.path)
      return {}
    }),
    draft: os.recipes.draft.handler(async ({ input }) => ({
      draft: await drafts.read(input.path)
    })),
    keepDraft: os.recipes.keepDraft.handler(async ({ input }) => {
      await drafts.keep(input)
      return {}
    })
  }
}
