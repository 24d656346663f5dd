export { BuildDialog } from './build-dialog'
export { CloneDialog } from './clone-dialog'
export { PathField } from './path-field'
export { useErrands } from './use-errands'
