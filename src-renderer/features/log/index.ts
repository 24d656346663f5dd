export { LogDock } from './log-dock'
export { LogTab } from './log-tab'
