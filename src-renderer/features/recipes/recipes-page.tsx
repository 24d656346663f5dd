import { useCallback, useState } from 'react'
import { Listing } from './listing'
import { NewRecipeDialog } from './new-recipe-dialog'
import { WorkbenchPage } from './workbench-page'

/** All recipes; or, with a path, the workbench. */
export function RecipesPage(props: { path: string | null }) {
  const { path } = props
  const [asking, setAsking] = useState(false)
  const newRecipe = useCallback(() => setAsking(true), [])
  return (
    <>
      {path === null ? (
        <Listing newRecipe={newRecipe} />
      ) : (
        <WorkbenchPage path={path} newRecipe={newRecipe} />
      )}
      {asking ? <NewRecipeDialog close={() => setAsking(false)} /> : null}
    </>
  )
}
