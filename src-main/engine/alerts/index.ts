export { refusedAlert } from './judge'
export { AlertWatch } from './alert-watch'
export { Webhook } from './webhook'
