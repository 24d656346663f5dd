export { canStop, isActive, lookOf, needsAttention, wordOf } from './attempt-state'
export { RunStateChip, RunStateLine, useExitText, useStateReason } from './run-state'
export { RunsPage } from './runs-page'
export { useRunUpdate, type RunChange } from './use-run-update'
