export { WeaverSection } from './weaver-section'
export { WeaverTab } from './weaver-tab'
