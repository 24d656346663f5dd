/** NexRL: reading its recipes for a launch, its command lines, and judging a driver by its log. */
export { DriverFollower } from './driver-follower'
export { type DriverJudgement, judgeDriver } from './judge'
export {
  driverLine,
  hydraOverrides,
  launcherCommand,
  type LauncherFound,
  launcherLine
} from './launch-line'
export { type NexrlRecipeFacts, readNexrlRecipe } from './launch-recipe'
export { pipelineOf } from './pipeline'
export { nexrlVariables } from './variables'
