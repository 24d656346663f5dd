export { CompareTab } from './compare-tab'
