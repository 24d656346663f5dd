export { TryItDialog } from './try-it-dialog'
