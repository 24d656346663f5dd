export { RecipesPage } from './recipes-page'
