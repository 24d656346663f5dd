export { StackTab } from './stack-tab'
