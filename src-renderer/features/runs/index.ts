export { canStop, isActive, lookOf, wordOf } from './attempt-state'
export { RunStateChip, useExitText } from './run-state'
export { RunsPage } from './runs-page'
export { useRunUpdate } from './use-run-update'
