export { AlertBell } from './alert-bell'
