export { AlertWatch } from './alert-watch'
