export { Bubble, LearntBy } from './conversation-view'
export { recordsView } from './records-store'
export { RecordsTab } from './records-tab'
export { ReleaseLink } from './release-link'
export { ScenarioChoice } from './scenario-choice'
export {
  conversationQuery,
  doorwayQuery,
  pulseQuery,
  renewScenario,
  scenariosQuery,
  useScenarioNames,
  useScenarioPulse
} from './talk-feed'
