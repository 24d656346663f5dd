export { LogDock } from './log-dock'
export { LogTab } from './log-tab'
export { openLogAtStep, openLogOf } from './log-jump'
