export { App } from './app'
