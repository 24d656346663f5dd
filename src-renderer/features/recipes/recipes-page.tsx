import { useState } from 'react'
import { Listing } from './listing'
import { NewRecipeDialog } from './new-recipe-dialog'
import { workbench } from './workbench'
import { WorkbenchPage } from './workbench-page'

/** All recipes; or, once one is open, the workbench. */
export function RecipesPage() {
  const open = workbench((store) => store.open)
  const [asking, setAsking] = useState(false)
  const newRecipe = (): void => setAsking(true)
  return (
    <>
      {open === null ? (
        <Listing newRecipe={newRecipe} />
      ) : (
        <WorkbenchPage path={open} newRecipe={newRecipe} />
      )}
      {asking ? <NewRecipeDialog close={() => setAsking(false)} /> : null}
    </>
  )
}
